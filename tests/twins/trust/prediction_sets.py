"""Prediction sets by their definition, in plain NumPy."""

import numpy as np

STEP, LATE, FEW, MEMORY = 0.03, 0.35, 50, 1000
GOLDEN = 0.6180339887498949


class Twin:
    """The level, the window and the rows that wait; the probabilities are given to it."""

    def __init__(self, coverage=0.9, window=1000):
        self.coverage, self.window = coverage, window
        self.level = 1 - coverage
        self.delay = 0.0
        self.given = []  # probabilities of the true classes
        self.n_labels = self.n_late = self.n_observed = 0
        self.waiting = {}

    def raw_set(self, p):
        """Return which classes are in the set of a row, which may be none."""
        if self.n_labels < FEW:
            return _likeliest_of_share(p, self.coverage)
        latest = np.array(self.given[-self.window :])
        rank = self.level * (len(latest) + 1)
        lower, equal = ((compare(latest[None, :], p[:, None])).sum(axis=1) for compare in (np.less, np.equal))
        drawn = lower + (GOLDEN * self.n_labels) % 1 * (equal + 1)
        smoothed = np.where(equal > 1, drawn, 1 + lower + equal)
        return (smoothed >= rank) if 0 < rank <= len(latest) + 1 else np.full(len(p), rank <= 0)

    def predict_set(self, p):
        """Return the same with the likeliest class."""
        found = self.raw_set(p)
        found[p.argmax()] = True
        return found

    def observe(self, row, p):
        """Keep what is said of a row whose label comes later."""
        self.n_observed += 1
        self.waiting[row] = self.n_observed, p, self.raw_set(p)

    def learn(self, p, y, row=None):
        """Judge the set of a row whose label has come."""
        late = 0.0
        if row in self.waiting:
            number, p, found = self.waiting.pop(row)
            late = (self.n_observed - number) * min((self.n_late + 1) / number, 1.0)
            self.n_late += 1
        else:
            found = self.raw_set(p)
        self.delay += (late - self.delay) / min(self.n_labels + 1, MEMORY)
        step = min(STEP, LATE / (1 + self.delay)) * self.coverage * (1 - self.coverage) / 0.09
        self.level += step * (1 - self.coverage - (not found[y]))
        self.given.append(p[y])
        self.n_labels += 1


def _likeliest_of_share(p, share):
    found = np.zeros(len(p), dtype=bool)
    for value in sorted(set(p), reverse=True):
        found |= p == value
        if p[found].sum() >= share:
            break
    return found
