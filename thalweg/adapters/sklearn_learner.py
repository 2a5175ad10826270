"""Any classifier or pipeline of scikit-learn as a learner."""

from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.linear_model import SGDClassifier
from sklearn.utils import get_tags

from thalweg._parameters import is_seed, is_whole, whole_number, wrong
from thalweg._types import Floats, Ints, State
from thalweg.adapters.foreign import ForeignLearner
from thalweg.adapters.sklearn_steps import partial_fit, takes_weights, weights, without_partial_fit
from thalweg.errors import ParameterError
from thalweg.learners.base.growth import FixedInputsError

MOST_ROWS, MOST_SEEDS = 10_000_000, 2**32


class SklearnLearner(ForeignLearner):
    """A classifier or pipeline of scikit-learn, trained row by row or refitted on the latest rows.

    Without `window` the model needs `partial_fit`, or each step of a pipeline does, and must know all classes
    at `begin`. With it, a fresh clone is fitted on the latest rows every `period` rows. Until the first fit
    all classes are equally probable.

    Parameters
    ----------
    model : estimator, default=None
        Any scikit-learn classifier; `SGDClassifier(loss="log_loss")` if None. It is cloned.
    window : int, default=None
        Latest rows to fit the model on; None to use its `partial_fit`.
    period : int, default=None
        Rows from one fit to the next, which get their predictions from the same model; if None, 1, or a
        tenth of the window. A row of weight 0 does not count.

    Attributes
    ----------
    model_ : estimator
        The model as it is now. Its classes are positions in `classes_`.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from thalweg.adapters import SklearnLearner
    >>> from thalweg.evaluation import metrics, prequential
    >>> from thalweg.streams import SEA
    >>> learner = SklearnLearner(DecisionTreeClassifier(max_depth=4, random_state=1), window=500)
    >>> round(metrics.accuracy(prequential(SEA(3000, seed=1), learner)), 2)
    0.83
    """

    def __init__(self, model: Any = None, window: int | None = None, *, period: int | None = None) -> None:
        self.model = model
        self.window = window
        self.period = period

    def model_with_seed(self, seed: int) -> Any:
        """Return the model with this `random_state`, and so all that is in it, if it has one."""
        if not hasattr(self.model, "get_params"):
            return self.model
        names = [name for name in self.model.get_params() if is_seed(name)]
        return clone(self.model).set_params(**dict.fromkeys(names, seed))

    @property
    def takes_missing(self) -> bool:
        """Whether the model handles NaN; if not, it gets the running mean of the input instead."""
        return bool(get_tags(self._template()).input_tags.allow_nan)

    @property
    def uses_weights(self) -> bool:
        """Whether the model takes weights of rows."""
        return takes_weights(self._template())

    def _template(self) -> Any:
        if isinstance(self.model, type):
            raise wrong(self, "model", f"an instance, such as {self.model.__name__}()", self.model)
        if self.model is not None and is_regressor(self.model):
            raise wrong(self, "model", "a classifier", self.model)
        return SGDClassifier(loss="log_loss", random_state=0) if self.model is None else self.model

    def _begin(self, n_features: int, n_classes: int) -> None:
        template = self._template()
        lacking = without_partial_fit(template) if self.window is None else None
        if lacking is not None:
            raise ParameterError(
                f"SklearnLearner: {type(lacking).__name__} has no partial_fit; pass window=… to refit it"
            )
        self._size = 0 if self.window is None else whole_number(self, "window", self.window, 2, MOST_ROWS)
        period = self.period if self.period is not None else max(self._size // 10, 1)
        self._period = whole_number(self, "period", period, 1, MOST_ROWS)
        self._model, self._is_fitted, self._n_new = _fresh(template), False, 0
        self._X, self._y, self._w = np.empty((0, n_features)), np.empty(0, dtype=np.intp), np.empty(0)

    def _learn(self, X: Floats, y: Ints, w: Floats, p: Floats) -> None:
        start = 0
        counted = np.cumsum(w > 0)
        while start < len(X):
            before = counted[start - 1] if start else 0
            stop = int(np.searchsorted(counted, before + self._period - self._n_new)) + 1
            self._predict(X[start:stop], p[start:stop])
            self._keep(X[start:stop], y[start:stop], w[start:stop])
            start = stop

    def _keep(self, X: Floats, y: Ints, w: Floats) -> None:
        known = w > 0
        rows = [(self._X, X[known]), (self._y, y[known]), (self._w, w[known])]
        most = max(self._size, self._period)
        X, y, w = (np.concatenate(pair)[-most:] for pair in rows)
        n_new = self._n_new + int(known.sum())
        if n_new >= self._period:
            self._fit(X, y, w)
            n_new = 0
            if not self._size:
                X, y, w = X[:0], y[:0], w[:0]
        self._X, self._y, self._w, self._n_new = X, y, w, n_new

    def _fit(self, X: Floats, y: Ints, w: Floats) -> None:
        if self._size:
            X, y, w = X[-self._size :], y[-self._size :], w[-self._size :]  # a period may be longer
            if len(set(y.tolist())) < 2:
                return
            model = _fresh(self._template())
            self._model = model.fit(X, y, **weights(model, w) if self.uses_weights else {})
        else:
            settings: dict[str, Any] = {"sample_weight": w} if self.uses_weights else {}
            if not self._is_fitted:
                settings["classes"] = np.arange(self._n_columns)
            partial_fit(self._model, X, y, **settings)
        self._is_fitted = True

    def _predict(self, X: Floats, p: Floats) -> None:
        if not self._is_fitted:
            p[:] = 1.0 / p.shape[1]
            return
        p[:] = 0.0
        if hasattr(self._model, "predict_proba"):
            with np.errstate(all="ignore"):  # such as a class that has not been seen yet
                found = np.nan_to_num(self._model.predict_proba(X))
            found[found.sum(axis=1) == 0] = 1.0
            p[:, self._model.classes_] = found / found.sum(axis=1, keepdims=True)
        else:
            p[np.arange(len(X)), self._model.predict(X)] = 1.0

    def _grow_from(self, n_features: int, n_classes: int) -> None:
        if self.n_features_in_ > n_features:
            raise FixedInputsError("a model of scikit-learn has a fixed number of inputs")
        if not self._size and self._is_fitted:
            raise ValueError(
                f"SklearnLearner: {type(self._model).__name__}.partial_fit must know all classes from the "
                "start: begin(n_features, classes), or pass window=… to refit it"
            )

    def _own_state(self) -> State:
        held = {"X": self._X, "y": self._y, "w": self._w}
        return {name: value.copy() for name, value in held.items()} | {
            "n_new": self._n_new,
            "is_fitted": self._is_fitted,
        }

    def _restore(self, memory: dict[str, Any]) -> None:
        super()._restore(memory)
        X, y, w = memory["X"], memory["y"], memory["w"]
        n_new, is_fitted = memory["n_new"], memory["is_fitted"]
        if type(n_new) is not int or not 0 <= n_new < self._period or type(is_fitted) is not bool:
            raise ValueError("n_new and is_fitted do not fit the period")
        if X.shape != (len(y), self.n_features_in_) or not y.shape == w.shape == (len(y),) or (w <= 0).any():
            raise ValueError("rows, labels and weights do not fit each other")
        if len(y) > max(self._size, self._period) or ((y < 0) | (y >= self._n_columns)).any():
            raise ValueError("there are too many rows, or labels out of range")
        if np.isinf(X).any() or not np.isfinite(w).all() or (np.isnan(X).any() and not self.takes_missing):
            raise ValueError("rows and weights must be finite")
        self._X, self._y, self._w = X.copy(), y.copy(), w.copy()
        self._n_new, self._is_fitted = n_new, is_fitted
        self._check_predicts()


def _fresh(template: Any) -> Any:
    """Return a clone whose seeds are small enough for scikit-learn: owners draw some of 63 bits."""
    given = template.get_params().items()
    seeds = {name: int(seed) % MOST_SEEDS for name, seed in given if is_seed(name) and is_whole(seed)}
    return clone(template).set_params(**seeds)
