"""Any classifier of River as a learner."""

import copy
from inspect import signature
from typing import Any

from thalweg._types import Floats, Ints
from thalweg.adapters.foreign import ForeignLearner
from thalweg.errors import ParameterError


class RiverLearner(ForeignLearner):
    """A classifier or pipeline of River.

    It gets each row as a dict of the inputs' names. A row of any weight above 0 is learned once.

    Parameters
    ----------
    model : classifier of River
        It is copied without what it has learned.

    Attributes
    ----------
    model_ : classifier of River
        The model as it is now. Its classes are positions in `classes_`.
    """

    uses_weights = False

    def __init__(self, model: Any = None) -> None:
        self.model = model

    def model_with_seed(self, seed: int) -> Any:
        """Return the model with this `seed`, and so each step of a pipeline, if it has one."""
        if not hasattr(self.model, "steps"):
            return _with_seed(self.model, seed)
        copy = self.model.clone()
        copy.steps.update((name, _with_seed(step, seed)) for name, step in self.model.steps.items())
        return copy

    def _begin(self, n_features: int, n_classes: int) -> None:
        if isinstance(self.model, type):
            name = self.model.__name__
            raise ParameterError(f"RiverLearner: got the class {name}; pass an instance: {name}()")
        for method in ("learn_one", "predict_proba_one", "clone"):
            if not hasattr(self.model, method):
                raise ParameterError(f"RiverLearner: model must be a classifier of River, got {self.model!r}")
        self._model = self.model.clone()
        self._set_keys()

    def _set_keys(self) -> None:
        # Of the dicts that River gets: the names of the inputs if all are known, else their positions.
        names = list(self._names)
        self._keys = names if len(names) == self.n_features_in_ else list(range(self.n_features_in_))

    def _rows(self, X: Floats) -> list[dict[Any, float]]:
        return [dict(zip(self._keys, row, strict=True)) for row in X.tolist()]

    def _learn(self, X: Floats, y: Ints, w: Floats, p: Floats) -> None:
        for i, row in enumerate(self._rows(X)):
            self._predict_row_of(row, p[i])
            if w[i] > 0:
                self._model.learn_one(row, int(y[i]))

    def _predict(self, X: Floats, p: Floats) -> None:
        for i, row in enumerate(self._rows(X)):
            self._predict_row_of(row, p[i])

    def _predict_row_of(self, row: dict[Any, float], p: Floats) -> None:
        found = self._model.predict_proba_one(row)
        total = sum(found.values())
        if not total > 0:
            p[:] = 1.0 / len(p)
            return
        p[:] = 0.0
        for code, probability in found.items():
            p[int(code)] = probability / total

    def _grow_from(self, n_features: int, n_classes: int) -> None:
        self._model = copy.deepcopy(self._model)  # River takes new inputs and classes as they come
        if self.n_features_in_ > n_features:
            self._set_keys()


def _with_seed(model: Any, seed: int) -> Any:
    if not hasattr(model, "clone"):
        return model
    return model.clone({"seed": seed} if "seed" in signature(type(model)).parameters else None)


def river_parameters(value: Any) -> Any:
    """Return the parameters of an object of River, of a pipeline its steps; None if it is not of River."""
    if not hasattr(value, "_get_params"):
        return None
    # The parameters of a pipeline do not name the classes of its steps.
    return dict(value.steps) if hasattr(value, "steps") else value._get_params()
