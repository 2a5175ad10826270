"""HUWRS in plain NumPy: every member has histograms of its own, chance is SciPy's hypergeometric law."""

from functools import cache

import numpy as np
from scipy.stats import gamma, hypergeom


def distance(a, b, corrected):
    """Return the Hellinger distance of two histograms (counts), without what dealing out rows adds."""
    n_a, n_b = a.sum(), b.sum()
    squares = ((np.sqrt(a / n_a) - np.sqrt(b / n_b)) ** 2).sum()
    return np.sqrt(max(squares - by_chance(a, b), 0)) if corrected else np.sqrt(squares)


def by_chance(a, b):
    """Return the mean of the squared distance over all ways to deal the rows of both out to the two."""
    return sum(_cell_by_chance(int(a.sum()), int(b.sum()), int(m)) for m in a + b)


@cache
def _cell_by_chance(n_a, n_b, m):
    c = np.arange(m + 1)
    p = hypergeom.pmf(c, n_a + n_b, n_a, m)
    return (p * (np.sqrt(c / n_a) - np.sqrt((m - c) / n_b)) ** 2).sum()


def moments(a, b):
    """Return Freeman and Tukey's statistic of two histograms, its mean and variance by chance."""
    n_a, n_b = int(a.sum()), int(b.sum())
    scale, p = 4 * n_a * n_b / (n_a + n_b), (a + b) / (n_a + n_b)
    variance = sum(_cell_variance(n_a, n_b, int(m)) for m in a + b)
    found = [scale * distance(a, b, corrected=False) ** 2, scale * by_chance(a, b)]
    return np.array([*found, scale**2 * variance + 2 * (1 - (p**2).sum())])


@cache
def _cell_variance(n_a, n_b, m):
    c = np.arange(m + 1)
    p = hypergeom.pmf(c, n_a + n_b, n_a, m)
    straight = (n_b - n_a) / (2 * np.sqrt(n_a * n_b)) * c
    root = np.sqrt(c * (m - c)) - straight
    return 4 / (n_a * n_b) * (p * (root - (p * root).sum()) ** 2).sum()


def p_value(found, mean, variance):
    """Return the chance of a statistic as large as found."""
    return gamma.sf(found, mean**2 / variance, scale=variance / mean) if variance > 1e-9 else 1.0


def weight(a, b, corrected):
    """Return how alike two histograms are, 0 to 1."""
    return 1 - distance(a, b, corrected) / np.sqrt(2)


class Histogram:
    """Bins of one input, cut by the rows a member was trained on."""

    def __init__(self, x, n_bins, n_categories):
        known = x[~np.isnan(x)]
        self.n_bins, self.n_categories = n_categories + 1 if n_categories else n_bins, n_categories
        self.low, self.high = (known.min(), known.max()) if len(known) else (0.0, 0.0)

    def counts(self, x):
        """Return the counts, the missing values first."""
        known = x[~np.isnan(x)]
        if self.n_categories:
            bins = np.where(known < self.n_bins, known, self.n_bins - 1)
        elif self.low == self.high:
            bins = known != self.low
        else:
            bins = np.clip((known - self.low) * (self.n_bins / (self.high - self.low)), 0, self.n_bins - 1)
        return np.bincount(np.r_[np.zeros(len(x) - len(known)), 1 + np.floor(bins)].astype(int),
                           minlength=self.n_bins + 1)


class Member:
    """A tree, the rows it was trained on, and its weights."""

    def __init__(self, columns, make_tree, settings):
        self.columns, self.make_tree, self.settings = columns, make_tree, settings
        self.labelled, self.unlabelled, self.n_trained, self.X = 1.0, 0.0, 0, None

    def train(self, X, y):
        """Train on a chunk."""
        self.predict = self.make_tree(X[:, self.columns], y, self.columns)
        self.refer_to(X, y)

    def refer_to(self, X, y):
        """Compare with these rows from now on."""
        self.X, self.y = X.copy(), y.copy()
        n_bins, n_categories = self.settings["n_bins"], self.settings["n_categories"]
        self.bins = [Histogram(X[:, j], n_bins, n_categories[j]) for j in self.columns]
        self.labelled = 1.0
        self.n_trained += 1

    def weight_by_chunk(self, X, y):
        """Return the weight by a chunk with labels."""
        found = []
        for bins, j in zip(self.bins, self.columns, strict=True):
            shared = sorted(set(self.y.tolist()) & set(y.tolist()))
            of_classes = [
                weight(bins.counts(self.X[self.y == k, j]), bins.counts(X[y == k, j]), self._corrected)
                for k in shared
            ]
            found.append(np.mean(of_classes) if shared else 0.0)
        return min(found)

    def chance(self, X, y):
        """Return twice the least chance of a chunk: of the worst input, and of all inputs together."""
        shared = set(self.y.tolist()) & set(y.tolist())
        if not shared:
            return 0.0
        found = np.array([
            sum(moments(bins.counts(self.X[self.y == k, j]), bins.counts(X[y == k, j])) for k in shared)
            for bins, j in zip(self.bins, self.columns, strict=True)
        ])
        worst = min(p_value(*each) for each in found) * len(found)
        return 2 * min(worst, p_value(*found.sum(axis=0)))

    def is_too_far(self, X, y, threshold, level):
        """Return whether to train on this chunk."""
        return self.chance(X, y) < level if threshold == "auto" else self.labelled < threshold

    def weight_by_window(self, X):
        """Return the weight by rows without labels."""
        pairs = zip(self.bins, self.columns, strict=True)
        return np.mean([
            weight(bins.counts(self.X[:, j]), bins.counts(X[:, j]), self._corrected) for bins, j in pairs
        ])

    @property
    def _corrected(self):
        return self.settings["corrected"]


class HUWRS:
    """The whole ensemble; `make_tree(X, y, columns)` returns a function from rows to probabilities."""

    level = 0.2

    def __init__(self, n_classes, subspaces, make_tree, chunk_size, threshold, window, **settings):
        self.members = [Member(columns, make_tree, settings) for columns in subspaces]
        self.n_classes, self.chunk_size = n_classes, chunk_size
        self.threshold, self.window = threshold, window
        self.chunk, self.observed, self.n_chunks = [], [], 0

    def learn(self, x, y):
        """Return the probabilities of a row, then learn it."""
        p = self.predict(x)
        self.chunk.append((x, y))
        n = len(self.chunk)
        if n == self.chunk_size or (self.n_chunks == 0 and n in 2 ** np.arange(20)):
            self.update(*map(np.array, zip(*self.chunk, strict=True)))
        if n == self.chunk_size:
            self.chunk, self.n_chunks = [], self.n_chunks + 1
        return p

    def update(self, X, y):
        """Weigh the members by a chunk, and train those that are too far from it."""
        for member in self.members:
            if self.n_chunks:
                member.labelled = member.weight_by_chunk(X, y)
            if not self.n_chunks or member.is_too_far(X, y, self.threshold, self.level):
                member.train(X, y)
            member.unlabelled = 0.0
        self.observed = []

    def observe(self, x):
        """See a row without a label."""
        self.observed.append(x)
        if len(self.observed) == self.window:
            for member in self.members:
                if member.X is not None:
                    member.unlabelled = member.weight_by_window(np.array(self.observed))
            self.observed = []

    def predict(self, x):
        """Return the probabilities of a row."""
        if not self.members[0].n_trained:
            return np.full(self.n_classes, 1 / self.n_classes)
        votes = np.array([member.labelled + member.unlabelled for member in self.members])
        votes = votes if votes.sum() > 0 else np.ones(len(votes))
        answers = np.array([member.predict(x[member.columns][None])[0] for member in self.members])
        return votes @ answers / votes.sum()
