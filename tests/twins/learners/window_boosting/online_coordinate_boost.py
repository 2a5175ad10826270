"""Online coordinate boosting with stumps in plain NumPy, and AdaBoost's weights of given members."""

import numpy as np
from twins.learners.window_boosting.iboost import answer, best_stump

LEAST = 1e-3


class CoordinateTwin:
    """AdaBoost on the first rows, then its weights followed by sums over pairs of members."""

    def __init__(self, n_classes, n_members, window, order):
        self.n_classes, self.n_members, self.window, self.order = n_classes, n_members, window, order
        self.X, self.y, self.w, self.seen, self.n_rows = [], [], [], set(), 0
        self.stumps, self.alpha, self.sums = [], np.zeros(0), None

    @property
    def numbers(self):
        """Return what a right and a wrong answer count."""
        k = max(len(self.seen), 2)
        return 2 - 2 / k, -2 / k

    def predict(self, x):
        if not self.seen:
            return np.full(self.n_classes, 1 / self.n_classes)
        votes, seen = np.zeros(self.n_classes), sorted(self.seen)
        for stump, alpha in zip(self.stumps, self.alpha, strict=True):
            votes[answer(stump, x)] += alpha
        p = np.zeros(self.n_classes)
        p[seen] = np.exp(2 * (votes[seen] - votes[seen].max()))
        return p / p.sum()

    def learn(self, x, y, w=1.0):
        """Return the probabilities of the row, then learn it."""
        p = self.predict(x)
        self.seen.add(y)
        self.n_rows += 1
        if self.sums is not None:
            self.follow([answer(stump, x) == y for stump in self.stumps], w)
            return p
        self.X, self.y, self.w = [*self.X, x], [*self.y, y], [*self.w, w]
        if self.n_rows in (2**i for i in range(20)) or self.n_rows == self.window:
            self.train()
        if self.n_rows == self.window:
            self.start()
        return p

    def train(self):
        X, y, d = np.array(self.X), np.array(self.y), np.array(self.w)
        self.stumps, self.alpha = [], np.zeros(0)
        for _ in range(self.n_members):
            stump = best_stump(X, y, d / d.sum(), self.n_classes)
            right = np.array([answer(stump, x) == k for x, k in zip(X, y, strict=True)])
            alpha = alpha_of(d[right].sum() / d.sum(), max(len(self.seen), 2))
            if alpha <= 0:
                return
            self.stumps.append(stump)
            self.alpha = np.append(self.alpha, alpha)
            d = d * np.exp(-alpha * np.where(right, *self.numbers))

    def start(self):
        """Sum weights: `sums[sign][j, k]` over the rows on which j is right (1) or not (0), and k right."""
        rows = list(zip(self.X, self.y, strict=True))
        right = np.array([[answer(stump, x) == y for stump in self.stumps] for x, y in rows])
        n, d = len(self.stumps), np.array(self.w)
        self.sums = np.zeros((2, n, n))
        for j in range(n):
            for sign in (0, 1):
                here = right[:, j] == sign
                self.sums[sign, j] = (d[here, None] * right[here]).sum(axis=0)
                self.sums[sign, j, j] = d[here].sum()
            d = d * np.exp(-self.alpha[j] * np.where(right[:, j], *self.numbers))

    def follow(self, right, w):
        d, step = w, np.zeros(len(self.alpha))
        plus, minus = self.numbers
        for j in range(len(self.alpha)):
            near = range(max(j - self.order, 0), j)
            for sums in self.sums:
                all_of_j, part = sums[j, j], {k: sums[j, k] for k in near}
                q = {k: part[k] / all_of_j if all_of_j else 0.0 for k in near}
                f = {k: q[k] * np.exp(-step[k] * plus) + (1 - q[k]) * np.exp(-step[k] * minus) for k in near}
                product = np.prod(list(f.values()))
                sums[j, j] = all_of_j * product
                for k in near:
                    sums[j, k] = part[k] * product / f[k] * np.exp(-step[k] * plus)
            mine = self.sums[int(right[j])]
            mine[j, j] += d
            for k in near:
                mine[j, k] += d * right[k]
            total = self.sums[1, j, j] + self.sums[0, j, j]
            alpha = alpha_of(self.sums[1, j, j] / total, max(len(self.seen), 2))
            step[j], self.alpha[j] = alpha - self.alpha[j], alpha
            d = d * np.exp(-alpha * (plus if right[j] else minus))


def alpha_of(share, n_classes):
    """Return the weight of a member that is right on this share of the rows' weight."""
    return 0.5 * np.log((n_classes - 1) * max(share, LEAST) / max(1 - share, LEAST))


def exact_alphas(right, w, n_classes=2):
    """Return the weights AdaBoost gives to members that are right where `right[row, member]` is True."""
    d, alphas = np.array(w, dtype=float), []
    for column in right.T:
        alphas.append(alpha_of(d[column].sum() / d.sum(), n_classes))
        d = d * np.exp(-alphas[-1] * np.where(column, 2 - 2 / n_classes, -2 / n_classes))
    return np.array(alphas)
