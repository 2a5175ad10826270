"""Logistic regression fitted again and again to a window of the latest rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax
from threadpoolctl import ThreadpoolController

from thalweg._native import layout
from thalweg._native.layout import FLOAT, INDEX, MOST_COUNTED, Array
from thalweg._native.ring import appended
from thalweg._native.ring_layout import ROWS, places, ring_layout
from thalweg._parameters import count, real_number
from thalweg._types import Floats, Ints, State
from thalweg.errors import StateError
from thalweg.learners.base.one_hot import OneHot
from thalweg.learners.base.stream_classifier import StreamClassifier

FIRST = 10
SPARE = 256  # rows learned between two moments at which the model is whole
FARTHEST = 1e100
STEEPEST = 1e200
RING = ring_layout(most_value=FARTHEST, missing=False)
LAYOUT = {name: RING[name] for name in ROWS} | {
    "coef": Array(FLOAT, "class", "input", low=-STEEPEST, high=STEEPEST),
    "intercept": Array(FLOAT, "class"),
    "progress": Array(INDEX, 2, low=0, high=MOST_COUNTED),
}
THREADS = ThreadpoolController()  # made once: to look for libraries takes longer than a fit


class WindowLogistic(OneHot, StreamClassifier):
    """Logistic regression fitted to the latest rows, again every so many of them.

    What `AdaptiveLogistic` is compared with: the exact maximum instead of a recursion, and forgetting by a
    window instead of by fading. Slow, and unchanged between two fits. A `window` and `period` of the whole
    stream are the off-line fit.

    The first fits come early, after 10, 20, 40, … rows. Inputs are standardised by the window. Memory: the
    rows of the window and 256 more. A row of weight v counts v times; a missing value counts as its input's
    mean so far. Three or more categories are an input each, 0 or 1, at most 256 of them in all.

    Parameters
    ----------
    window : int
        Rows fitted to.
    period : int
        Rows between two fits.
    prior : float
        Variance of the coefficients before any row is seen (scikit-learn's C).

    Attributes
    ----------
    coef_, intercept_ : ndarray
        The coefficients for inputs as they are given: one row for two classes (the second one's), else one
        for each class.
    input_names_ : list of str
        What the columns of `coef_` belong to: the inputs' names, and for three or more categories one each.

    References
    ----------
    Anagnostopoulos, Tasoulis, Adams, Hand: Temporally adaptive estimation of logistic classifiers on data
    streams. Advances in Data Analysis and Classification, 2009, section 4.3.

    Examples
    --------
    >>> from thalweg.learners import WindowLogistic
    >>> from thalweg.streams import DriftingGaussians
    >>> X, y = next(DriftingGaussians(kind="drift", seed=1).blocks(5000))
    >>> p = WindowLogistic(window=100, period=20).begin(5, [0, 1]).test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2)
    0.74
    """

    _n_learned: int

    def __init__(self, window: int = 1000, period: int = 100, *, prior: float = 1.0) -> None:
        self.window = window
        self.period = period
        self.prior = prior

    def _begin(self, n_features: int, n_classes: int) -> None:
        self._window = window = count(self, "window", self.window, 1)
        self._period = count(self, "period", self.period, 1)
        self._next = min(FIRST, self._period)
        self._prior = real_number(self, "prior", self.prior, least=1e-12)
        # Spare places, so that rows can be written ahead: until `_rows` changes, the window stays as it is.
        n_places = self._n_places(n_features)
        self._rows = layout.new_arrays(RING, {"row": window + SPARE, "input": n_places})
        self._n_seen = self._n_learned = 0
        self._coef = np.zeros((n_classes, n_places))
        self._intercept = np.zeros(n_classes)

    def _learn(self, X: Floats, y: Ints, w: Floats, p: Floats) -> None:
        start = 0
        while start < len(X):
            start = self._learn_some(X, y, w, p, start)

    def _learn_some(self, X: Floats, y: Ints, w: Floats, p: Floats, start: int) -> int:
        """Learn rows up to the next fit, at most SPARE; return where the next part starts."""
        seen = np.cumsum(w[start : start + SPARE] > 0)
        n = min(int(np.searchsorted(seen, self._next - self._n_seen)) + 1, len(seen))
        self._predict(X[start : start + n], p[start : start + n])
        kept = np.flatnonzero(w[start : start + n] > 0) + start
        given = np.clip(self._widened(X[kept]), -FARTHEST, FARTHEST)
        rows = appended(self._rows, given, y[kept], w[kept], self._window)
        n_seen = self._n_seen + len(kept)
        changed: State = {"_rows": rows, "_n_seen": n_seen, "_n_learned": self._n_learned + n}
        if n_seen >= self._next:
            changed |= self._fitted(rows, n_seen)
        vars(self).update(changed)  # all at once: an interrupt comes before or after
        return start + n

    def _predict(self, X: Floats, p: Floats) -> None:
        # Not a matrix product: its last bits depend on how many rows it is given.
        X = np.clip(self._widened(X), -FARTHEST, FARTHEST)
        z = (X[:, None, :] * self._coef).sum(axis=2) + self._intercept
        likely = np.exp(z - z.max(axis=1, keepdims=True))  # softmax, without SciPy's 10 µs a call
        np.divide(likely, likely.sum(axis=1, keepdims=True), out=p)

    def _fitted(self, rows: dict[str, NDArray[Any]], n_seen: int) -> dict[str, Any]:
        """Return the attributes that a fit to these rows changes."""
        # In the order of a ring without spare places; sums depend on it in their last bits.
        held = np.roll(places(rows), max(n_seen - self._window, 0) % self._window)
        X, y, w = (rows[name][held] for name in ROWS)
        mean, scale = X.mean(axis=0), X.std(axis=0)
        scale[scale == 0] = 1.0
        Z = np.column_stack([(X - mean) / scale, np.ones(len(X))])
        wanted = np.zeros((len(X), len(self._coef)))
        wanted[np.arange(len(X)), y] = 1.0

        def loss(flat: Floats) -> tuple[float, Floats]:
            beta = flat.reshape(wanted.shape[1], -1)
            logs = log_softmax(Z @ beta.T, axis=1)
            slope = ((np.exp(logs) - wanted) * w[:, None]).T @ Z
            slope[:, :-1] += beta[:, :-1] / self._prior
            fit = -w @ logs[np.arange(len(X)), y]
            return fit + (beta[:, :-1] ** 2).sum() / (2 * self._prior), slope.ravel()

        start = np.column_stack([self._coef * scale, self._intercept + self._coef @ mean])
        with THREADS.limit(limits=1):  # the vectors are short: threads would cost more than they save
            best = minimize(loss, np.clip(start, -30, 30).ravel(), jac=True, method="L-BFGS-B").x
        best = best.reshape(start.shape)
        coef = best[:, :-1] / scale
        changed = {"_coef": coef, "_intercept": best[:, -1] - coef @ mean}
        return changed | {"_next": min(2 * n_seen, n_seen - n_seen % self._period + self._period)}

    def _coefficients(self) -> tuple[Floats, Floats]:
        if len(self._coef) != 2:
            return self._coef.copy(), self._intercept.copy()
        return self._coef[1:] - self._coef[:1], self._intercept[1:] - self._intercept[:1]

    def _state(self) -> State:
        held = places(self._rows)
        return {name: self._rows[name][held] for name in ROWS} | {
            "coef": self._coef.copy(),
            "intercept": self._intercept.copy(),
            "progress": np.array([self._n_seen, self._next], dtype=np.intp),
        }

    def _restore(self, memory: dict[str, Any]) -> None:
        lengths = {"class": self._n_columns, "input": self._rows["X"].shape[1], "row": None}
        arrays = layout.checked_arrays(LAYOUT, lengths, memory, self._who)
        n_seen, following = arrays["progress"].tolist()
        if len(arrays["X"]) != min(n_seen, self._window):
            raise StateError(f"{self._who}: the state's 'X' has other rows than the {n_seen} of 'progress'")
        if not n_seen < following <= n_seen + self._period:
            raise StateError(f"{self._who}: the state's 'progress' has the next fit at {following}")
        self._n_seen, self._next = n_seen, following
        self._coef, self._intercept = arrays["coef"], arrays["intercept"]
        self._rows = appended(self._rows, arrays["X"], arrays["y"], arrays["w"], self._window)
