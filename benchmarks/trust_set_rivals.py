"""Other ways to choose sets of classes, in plain Python, on recorded probabilities.

A set has the classes whose probability reaches a threshold, here too. Labels come when `comes` says: after
the prediction of that row. All follow the probabilities until 50 labels have come, as ours do.
"""

import math
from bisect import bisect_left, bisect_right, insort

import numpy as np

FEW, N_STATIC, WINDOW, TARGET = 50, 1000, 1000, 0.1
STEPS = np.array([0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128])


class Static:
    """Split conformal: the quantile of the first 1,000 labels, for ever."""

    def __init__(self):
        self.ordered, self.n = [], 0

    def level(self):
        return TARGET

    def learn(self, q, said):
        if self.n < N_STATIC:
            insort(self.ordered, q)
        self.n += 1


class Window(Static):
    """The quantile of the last 1,000 labels."""

    def __init__(self):
        super().__init__()
        self.latest = []

    def learn(self, q, said):
        if self.n >= WINDOW:
            del self.ordered[bisect_left(self.ordered, self.latest[self.n % WINDOW])]
            self.latest[self.n % WINDOW] = q
        else:
            self.latest.append(q)
        insort(self.ordered, q)
        self.n += 1


class DtACI(Window):
    """Dynamically tuned ACI (Gibbs and Candès 2024): eight steps, weighed by their pinball losses."""

    def __init__(self):
        super().__init__()
        self.levels = np.full(len(STEPS), TARGET)
        self.weights = np.full(len(STEPS), 1 / len(STEPS))
        span = 500
        spread = ((1 - TARGET) ** 2 * TARGET**3 + TARGET**2 * (1 - TARGET) ** 3) / 3
        self.eta = math.sqrt(3 / span) * math.sqrt((math.log(len(STEPS) * span) + 2) / spread)
        self.sigma = 1 / (2 * span)

    def level(self):
        return float(self.weights @ self.levels)

    def learn(self, q, said):
        levels, beta = said
        losses = np.where(beta < levels, (1 - TARGET) * (levels - beta), TARGET * (beta - levels))
        weights = self.weights * np.exp(-self.eta * losses)
        self.weights = (1 - self.sigma) * weights / weights.sum() + self.sigma / len(weights)
        self.levels += STEPS * (TARGET - (beta < levels))
        super().learn(q, said)


RIVALS = {"static split": Static, "window": Window, "DtACI": DtACI}


def threshold(method, p):
    """Return the threshold of a row with these probabilities."""
    if method.n < FEW:
        falling = np.sort(p)[::-1]
        return falling[min(np.searchsorted(np.cumsum(falling), 1 - TARGET), len(p) - 1)]
    m = math.ceil(method.level() * (len(method.ordered) + 1)) - 1
    return 0.0 if m < 1 else 2.0 if m > len(method.ordered) else method.ordered[m - 1]


def arrivals(comes):
    """Return for each row the rows whose labels come after its prediction."""
    by_row = [[] for _ in comes]
    for j, row in enumerate(comes.tolist()):
        if row < len(comes):
            by_row[row].append(j)
    return by_row


def rival_sets(name, p, codes, comes):
    """Return sizes and hits of a method's sets, as `benchmarks.trust_sets.our_sets` does."""
    method = RIVALS[name]()
    q, found, said = p[np.arange(len(p)), codes], np.empty(len(p)), {}
    for i, due in enumerate(arrivals(comes)):
        found[i] = threshold(method, p[i])
        if isinstance(method, DtACI) and comes[i] < len(p):
            beta = (1 + bisect_right(method.ordered, q[i])) / (len(method.ordered) + 1)
            said[i] = method.levels.copy(), beta  # looked at only when the label has come
        for j in due:
            method.learn(float(q[j]), said.pop(j, None))
    return (p >= found[:, None]).sum(axis=1), q >= found


def mapie_sets(p, codes, comes):
    """Return the same of MAPIE's split conformal classifier, recalibrated every 1,000 rows."""
    from mapie.classification import SplitConformalClassifier
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Recorded(ClassifierMixin, BaseEstimator):
        """A fitted classifier of recorded probabilities."""

        classes_ = np.arange(p.shape[1])

        def fit(self, X, y):
            return self

        def __sklearn_is_fitted__(self):
            return True

        def predict_proba(self, X):
            rows = p[np.asarray(X)[:, 0].astype(int)]
            return rows / rows.sum(axis=1, keepdims=True)

        def predict(self, X):
            return self.predict_proba(X).argmax(axis=1)

    rows, masks = np.arange(len(p))[:, None], np.ones(p.shape, dtype=bool)
    for start in range(0, len(p), WINDOW):
        known = np.flatnonzero(comes < start)
        known = known[np.argsort(comes[known], kind="stable")][-WINDOW:]
        if len(known) < FEW:
            continue
        made = SplitConformalClassifier(
            Recorded(), confidence_level=1 - TARGET, conformity_score="lac", prefit=True
        )
        made.conformalize(rows[known], codes[known])
        part = slice(start, start + WINDOW)
        masks[part] = made.predict_set(rows[part])[1][:, :, 0]
    return masks.sum(axis=1), masks[np.arange(len(p)), codes]
