"""IBoost with stumps in plain NumPy: everything computed again from the window after every row."""

from itertools import pairwise

import numpy as np


class IBoost:
    """Algorithm 2 of Grbovic and Vucetic, for several classes as in SAMME."""

    def __init__(self, n_classes, n_members, window, period, update, n_updates, rate, cap):
        self.n_classes, self.n_members, self.window, self.period = n_classes, n_members, window, period
        self.update, self.n_updates, self.rate, self.cap = update, n_updates, rate, cap
        self.X, self.y, self.seen, self.n_rows = [], [], set(), 0
        self.stumps, self.alpha = [None] * n_members, np.zeros(n_members)  # None where there is no member

    def votes(self, x):
        total = np.zeros(self.n_classes)
        for stump, alpha in zip(self.stumps, self.alpha, strict=True):
            if stump is not None:
                total[answer(stump, x)] += alpha
        return total

    def predict(self, x):
        if not self.seen:
            return np.full(self.n_classes, 1 / self.n_classes)
        votes = self.votes(x)
        seen = sorted(self.seen)
        p = np.zeros(self.n_classes)
        p[seen] = np.exp(2 * (votes[seen] - votes[seen].max()))
        return p / p.sum()

    @property
    def answers(self):
        k = max(len(self.seen), 2)
        rows = list(zip(self.X, self.y, strict=True))
        return np.array([
            [0.0 if s is None else 2 * (answer(s, x) == y) - 2 / k for x, y in rows] for s in self.stumps
        ])

    @property
    def n_present(self):
        return sum(stump is not None for stump in self.stumps)

    def shares(self, answers):
        margins = self.alpha @ answers
        w = np.exp(-(margins - margins.min()))
        return w / w.sum()

    def learn(self, x, y):
        """Return the probabilities of the row, then learn it."""
        p = self.predict(x)
        wrong = not self.n_present or p.argmax() != y
        self.n_rows += 1
        due = not self.n_present or (wrong and self.n_rows % self.period == 0)
        self.seen.add(y)
        self.X, self.y = [*self.X, x][-self.window :], [*self.y, y][-self.window :]
        if due and self.n_present == self.n_members:
            self.remove([self.alpha.argmin()])
        self.improve()
        if due:
            self.add()
        if (self.alpha < 0).any():
            self.remove(np.flatnonzero(self.alpha < 0))
            self.improve()
        if self.cap and self.alpha.clip(0).sum() > self.cap:
            self.alpha = self.alpha * (self.cap / self.alpha.clip(0).sum())
        return p

    def remove(self, members):
        for m in members:
            self.stumps[m], self.alpha[m] = None, 0.0

    def improve(self):
        if not self.n_present:
            return
        answers = self.answers
        for _ in range(self.n_updates):
            getattr(self, self.update)(answers)

    def stochastic(self, answers):
        self.alpha = self.alpha + self.rate * self.shares(answers)[-1] * answers[:, -1]

    def batch(self, answers):
        self.alpha = self.alpha + self.rate * answers @ self.shares(answers)

    def implicit(self, answers):
        newest = answers[:, -1]
        low, high = 0.0, 1e3
        for _ in range(200):
            s = (low + high) / 2
            if s > self.rate * np.exp(-(self.alpha @ newest + s * newest @ newest)):
                high = s
            else:
                low = s
        self.alpha = self.alpha + s * newest

    def coordinate(self, answers):
        k = max(len(self.seen), 2)
        for m in range(len(self.alpha)):
            if self.stumps[m] is None:
                continue
            w = self.shares(answers)
            right = w[answers[m] > 0].sum()
            odds = (k - 1) * max(right, 1e-3) / max(1 - right, 1e-3)
            self.alpha[m] += self.rate / 2 * np.log(odds)

    def add(self):
        w = self.shares(self.answers)
        stump = best_stump(np.array(self.X), np.array(self.y), w, self.n_classes)
        right = np.array([answer(stump, x) == y for x, y in zip(self.X, self.y, strict=True)])
        error = np.clip(w[~right].sum(), 1e-3, 1 - 1e-3)
        alpha = 0.5 * np.log((max(len(self.seen), 2) - 1) * (1 - error) / error)
        if alpha > 0:
            m = self.stumps.index(None)
            self.stumps[m], self.alpha[m] = stump, alpha


def answer(stump, x):
    """Return the class that a stump answers."""
    feature, threshold, left, right = stump
    return left if x[feature] <= threshold else right


def best_stump(X, y, w, n_classes):
    """Return (feature, threshold, class up to it, class above it) of smallest weighted error."""
    one_hot = np.eye(n_classes)[y] * w[:, None]
    total = one_hot.sum(axis=0)
    best, found = total.max(), (0, 0.0, total.argmax(), total.argmax())
    for j in range(X.shape[1]):
        values = np.unique(X[:, j])
        for low, high in pairwise(values):
            left = one_hot[X[:, j] <= low].sum(axis=0)
            score = left.max() + (total - left).max()
            if score > best + 1e-12:
                best, found = score, (j, low + (high - low) / 2, left.argmax(), (total - left).argmax())
    return found
