"""IBoost with stumps in plain NumPy: everything computed again from the window after every row."""

import numpy as np


class IBoost:
    """Algorithm 2 of Grbovic and Vucetic, for several classes as in SAMME."""

    def __init__(self, n_classes, n_members, window, period=1, update="stochastic", n_updates=5, rate=0.05, cap=0):
        self.n_classes, self.n_members, self.window, self.period = n_classes, n_members, window, period
        self.update, self.n_updates, self.rate, self.cap = update, n_updates, rate, cap
        self.X, self.y, self.seen, self.n_rows = [], [], set(), 0
        self.stumps, self.alpha = [], np.zeros(0)

    def votes(self, x):
        total = np.zeros(self.n_classes)
        for stump, alpha in zip(self.stumps, self.alpha, strict=True):
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
        right = np.array([[answer(s, x) == y for x, y in zip(self.X, self.y, strict=True)] for s in self.stumps])
        right = right.reshape(len(self.stumps), len(self.X))
        return np.where(right, 2 - 2 / k, -2 / k)

    def shares(self, answers):
        margins = self.alpha @ answers
        w = np.exp(-(margins - margins.min()))
        return w / w.sum()

    def learn(self, x, y):
        """Return the probabilities of the row, then learn it."""
        p = self.predict(x)
        wrong = not self.stumps or p.argmax() != y
        self.n_rows += 1
        due = not self.stumps or (wrong and self.n_rows % self.period == 0)
        self.seen.add(y)
        self.X, self.y = [*self.X, x][-self.window :], [*self.y, y][-self.window :]
        if due and len(self.stumps) == self.n_members:
            self.keep(np.arange(len(self.alpha)) != self.alpha.argmin())
        self.improve()
        if due:
            self.add()
        if (self.alpha < 0).any():
            self.keep(self.alpha >= 0)
            self.improve()
        if self.cap and self.alpha.clip(0).sum() > self.cap:
            self.alpha = self.alpha * (self.cap / self.alpha.clip(0).sum())
        return p

    def keep(self, which):
        self.stumps = [stump for stump, kept in zip(self.stumps, which, strict=True) if kept]
        self.alpha = self.alpha[which]

    def improve(self):
        if not self.stumps:
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
            w = self.shares(answers)
            right = w[answers[m] > 0].sum()
            odds = (k - 1) * max(right, 1e-3) / max(1 - right, 1e-3)
            self.alpha[m] += self.rate / 2 * np.log(odds)

    def add(self):
        w = self.shares(self.answers) if self.stumps else np.full(len(self.X), 1 / len(self.X))
        stump = best_stump(np.array(self.X), np.array(self.y), w, self.n_classes)
        right = np.array([answer(stump, x) == y for x, y in zip(self.X, self.y, strict=True)])
        error = np.clip(w[~right].sum(), 1e-3, 1 - 1e-3)
        alpha = 0.5 * np.log((max(len(self.seen), 2) - 1) * (1 - error) / error)
        if alpha > 0:
            self.stumps.append(stump)
            self.alpha = np.append(self.alpha, alpha)


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
        for low, high in zip(values[:-1], values[1:], strict=True):
            left = one_hot[X[:, j] <= low].sum(axis=0)
            score = left.max() + (total - left).max()
            if score > best + 1e-12:
                best, found = score, (j, low + (high - low) / 2, left.argmax(), (total - left).argmax())
    return found
