"""The classifier of CapyMOA that `to_capymoa` returns; importing it needs CapyMOA and Java."""

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from thalweg._types import Floats
from thalweg.learners.base.stream_classifier import StreamClassifier

if TYPE_CHECKING:

    class Classifier:
        """The base class of CapyMOA, which is rarely installed."""

        def __init__(self, schema: Any, random_seed: int) -> None: ...
else:
    from capymoa.base import Classifier


class CapymoaClassifier(Classifier):
    """Calls a learner for CapyMOA."""

    def __init__(self, schema: Any = None, learner: Any = None, random_seed: int = 1) -> None:
        super().__init__(schema=schema, random_seed=random_seed)
        self.learner = learner
        self._begun: StreamClassifier | None = None
        if schema is not None:
            self._begun = begun(learner, schema)

    def __str__(self) -> str:
        return type(self.learner).__name__

    def _of(self, instance: Any) -> StreamClassifier:
        if self._begun is None:
            self.schema = instance.schema
            self._begun = begun(self.learner, self.schema)
        return self._begun

    def train(self, instance: Any) -> None:
        """Learn a labelled instance; observe one whose label is missing."""
        learner = self._of(instance)
        x, code = np.asarray(instance.x, dtype=np.float64), int(instance.y_index)
        if code < 0:
            learner.observe(x[None])
        else:
            learner.learn_one(x, learner._labels.list[code])

    def predict_proba(self, instance: Any) -> Floats:
        """Return the probability of each class."""
        return self._of(instance).predict_proba_one(np.asarray(instance.x, dtype=np.float64))


def begun(learner: StreamClassifier, schema: Any) -> StreamClassifier:
    """Return a copy of a learner that has begun for the inputs and classes of a schema."""
    header = schema.get_moa_header()
    inputs = [header.attribute(j) for j in range(header.numAttributes()) if j != header.classIndex()]
    classes = [str(label) for label in schema.get_label_values()]
    if hasattr(learner, "classes_"):
        if (learner.n_features_in_, len(learner.classes_)) != (len(inputs), len(classes)):
            raise ValueError(
                f"to_capymoa: the learner has {learner.n_features_in_} inputs and {len(learner.classes_)} "
                f"classes, the schema {len(inputs)} and {len(classes)}"
            )
        return learner.copy()
    names = [str(each.name()) for each in inputs]
    n_categories = [int(each.numValues()) if each.isNominal() else 0 for each in inputs]
    return clone(learner).begin(len(inputs), classes, names=names, n_categories=n_categories)
