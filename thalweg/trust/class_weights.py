"""A learner around a learner that learns rows of rare or costly classes with more weight."""

from typing import Any

import numpy as np

from thalweg._parameters import is_real, real_number, wrong
from thalweg._types import Floats
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.trust._native.class_weights import MOST_FACTOR, ClassWeightsKernel
from thalweg.trust.around_learner import AroundLearner

ALLOWED = f'"balanced", or weights by label above 0 and at most {MOST_FACTOR:g}, as a dict or in order'


class ClassWeights(AroundLearner):
    """ClassWeights: a learner that learns rows of rare or costly classes with more weight.

    A learner that sees one fraud in a thousand rows may never answer "fraud". With weights it learns as if
    there were more of them; "balanced" follows the numbers as they change. The probabilities are then
    those of a stream with such numbers: put the learner into `Calibrated` where they must be right. If
    mistakes have known costs, `Calibrated(learner, costs=…)` alone is often better.

    Memory: the learner, and a number for each class.

    Parameters
    ----------
    learner : learner, default=None
        What learns; `NaiveBayes()` if None. It must make use of weights.
    weights : "balanced", dict or sequence, default="balanced"
        The weight of each class: {"fraud": 20}, where others have 1, or a number for each class in the order
        of `classes_`. With "balanced" all classes count as much as each other, at most 1,000 times more.
    decay : float, default=0.9999
        By how much the numbers of the classes are faded with each row, if they are balanced.

    Attributes
    ----------
    learner_ : learner
        The learner as it is now.
    importance_ : ndarray
        How much each input counts, if the learner is made of trees.

    Examples
    --------
    >>> import numpy as np
    >>> from thalweg.learners import NaiveBayes
    >>> from thalweg.trust import ClassWeights
    >>> rng = np.random.default_rng(1)
    >>> y = (rng.random(3000) < 0.05).astype(int)
    >>> X = rng.normal(size=(3000, 1)) + y[:, None]
    >>> for learner in (NaiveBayes(), ClassWeights(NaiveBayes())):
    ...     p = learner.begin(1, [0, 1]).test_then_train(X, y)
    ...     print(round(float((p.argmax(axis=1) == 1)[y == 1].mean()), 2))
    0.0
    0.66
    """

    _kernel: ClassWeightsKernel

    def __init__(
        self, learner: StreamClassifier | None = None, *, weights: Any = "balanced", decay: float = 0.9999
    ) -> None:
        self.learner = learner
        self.weights = weights
        self.decay = decay

    def _template(self) -> StreamClassifier:
        found = super()._template()
        if not found.uses_weights:
            raise wrong(self, "learner", "a learner that makes use of weights", self.learner)
        return found

    def _new_kernel(self, n_features: int, n_classes: int) -> ClassWeightsKernel:
        decay = real_number(self, "decay", self.decay, above=0, most=1)
        return ClassWeightsKernel(self._who, n_features, n_classes, self._factors(n_classes), decay)

    def _factors(self, n_classes: int) -> Floats | None:
        """Return the weights that are given, 1 for classes without; None if classes are balanced."""
        if isinstance(self.weights, str):
            if self.weights != "balanced":
                raise wrong(self, "weights", ALLOWED, self.weights)
            return None
        labels, is_open = self._labels.list, self._labels.is_open
        given = self.weights
        if not isinstance(given, dict):
            try:
                given = dict(enumerate(list(given)))
            except TypeError:
                raise wrong(self, "weights", ALLOWED, self.weights) from None
            if len(given) < len(labels) or (len(given) > len(labels) and not is_open):
                raise wrong(self, "weights", f"{len(labels)} weights, one for each class", self.weights)
            given = {labels[i] if i < len(labels) else (i,): each for i, each in given.items()}
        strange = [label for label in given if label not in labels]
        if strange and not is_open:
            raise wrong(self, "weights", f"weights of {labels}", self.weights)
        if not all(is_real(each) and 0 < each <= MOST_FACTOR for each in given.values()):
            raise wrong(self, "weights", ALLOWED, self.weights)
        factors = np.ones(n_classes)
        for k, label in enumerate(labels):
            factors[k] = given.get(label, 1.0)
        return factors
