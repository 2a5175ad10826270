"""Logistic regression fitted anew to a window of the latest rows."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax
from threadpoolctl import threadpool_limits

from thalweg._kernels.layout import require
from thalweg._parameters import count, real_number
from thalweg.learners.base import StreamClassifier

FIRST = 10
FARTHEST = 1e100


class WindowLogistic(StreamClassifier):
    """Logistic regression fitted anew to the latest rows, every so many of them.

    What `AdaptiveLogistic` is compared with: the exact maximum instead of a recursion, and forgetting by a
    window instead of by fading. Slow, and deaf between two fits. A `window` and `period` of the whole stream
    are the off-line fit.

    The first fits come early, after 10, 20, 40, … rows. Inputs are standardised by the window. Memory: the
    rows of the window. A row of weight v counts v times; a missing value counts as its input's mean so far.

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
        One row for each class, for inputs as they are given.

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

    def __init__(self, window=1000, period=100, prior=1.0):
        self.window = window
        self.period = period
        self.prior = prior

    def _begin(self, n_features, n_classes):
        window = count(self, "window", self.window, 1)
        self._next = min(FIRST, count(self, "period", self.period, 1))
        real_number(self, "prior", self.prior, least=1e-12)
        self._rows = np.zeros((window, n_features))
        self._codes = np.zeros(window, dtype=np.intp)
        self._weights = np.zeros(window)
        self._n_seen = 0
        self.coef_ = np.zeros((n_classes, n_features))
        self.intercept_ = np.zeros(n_classes)

    def _restore(self, memory):
        fresh = self._state()
        super()._restore(memory)
        for name, array in fresh.items():
            given = getattr(self, name)
            good = np.shape(given) == np.shape(array) and np.isfinite(given).all()
            require(good, self._who, name, f"must be finite and have the shape {np.shape(array)}")
        good = ((self._codes >= 0) & (self._codes < self._n_columns)).all()
        require(good, self._who, "_codes", "holds a code of no class")
        require((self._weights >= 0).all(), self._who, "_weights", "holds a negative weight")
        require(0 <= self._n_seen < self._next, self._who, "_n_seen", "must be below '_next'")

    def _learn(self, X, y, w, p):
        start = 0
        while start < len(X):
            taken = np.cumsum(w[start:] > 0)
            stop = start + int(np.searchsorted(taken, self._next - self._n_seen)) + 1
            self._predict(X[start:stop], p[start:stop])
            kept = np.flatnonzero(w[start:stop] > 0) + start
            self._keep(X[kept], y[kept], w[kept])
            if self._n_seen == self._next:
                self._fit()
                self._next = min(2 * self._n_seen, self._n_seen - self._n_seen % self.period + self.period)
            start = stop

    def _predict(self, X, p):
        # Not a matrix product: its last bits depend on how many rows it is given.
        z = (np.clip(X, -FARTHEST, FARTHEST)[:, None, :] * self.coef_).sum(axis=2) + self.intercept_
        p[:] = softmax(z, axis=1)

    def _keep(self, X, y, w):
        places = np.arange(self._n_seen, self._n_seen + len(X)) % self.window
        self._n_seen += len(X)
        last = slice(-self.window, None)
        self._rows[places[last]] = np.clip(X[last], -FARTHEST, FARTHEST)
        self._codes[places[last]], self._weights[places[last]] = y[last], w[last]

    def _fit(self):
        n = min(self._n_seen, self.window)
        X, y, w = self._rows[:n], self._codes[:n], self._weights[:n]
        mean, scale = X.mean(axis=0), X.std(axis=0)
        scale[scale == 0] = 1.0
        Z = np.column_stack([(X - mean) / scale, np.ones(n)])
        wanted = np.zeros((n, len(self.classes_)))
        wanted[np.arange(n), y] = 1.0

        def loss(flat):
            beta = flat.reshape(wanted.shape[1], -1)
            logs = log_softmax(Z @ beta.T, axis=1)
            slope = ((np.exp(logs) - wanted) * w[:, None]).T @ Z
            slope[:, :-1] += beta[:, :-1] / self.prior
            return -w @ logs[np.arange(n), y] + (beta[:, :-1] ** 2).sum() / (2 * self.prior), slope.ravel()

        start = np.column_stack([self.coef_ * scale, self.intercept_ + self.coef_ @ mean])
        with threadpool_limits(1):  # the vectors are short: threads would cost more than they save
            best = minimize(loss, np.clip(start, -30, 30).ravel(), jac=True, method="L-BFGS-B").x
        best = best.reshape(start.shape)
        self.coef_ = best[:, :-1] / scale
        self.intercept_ = best[:, -1] - self.coef_ @ mean
