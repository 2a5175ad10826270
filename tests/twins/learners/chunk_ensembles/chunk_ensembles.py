"""Chunk ensembles in plain NumPy: SEA, the accuracy-weighted ensemble, Learn++.NSE."""

import numpy as np
from twins._native.rng import key_of, unit, word

from thalweg.learners import DecisionTree

FEWEST = 8


def tree(X, y, w, n_classes, max_leaves=32):
    """Return a function of rows to probabilities: a tree fitted on these rows."""
    made = DecisionTree(max_leaves=max_leaves, window=len(X)).begin(X.shape[1], list(range(n_classes)))
    made._fit_block(X, y, w)
    return made.predict_block


class ChunkEnsemble:
    """Gathers rows into chunks; a subclass says what happens when one ends."""

    max_leaves = 32

    def __init__(self, n_classes, n_members, block_size, n_held_out=0, seed=1):
        self.n_classes, self.n_members, self.size = n_classes, n_members, block_size
        self.n_held_out, self.key = n_held_out, key_of(seed)
        self.members, self.weights, self.n_rows, self.n_chunks = [], [], 0, 0
        self.chunk, self.held_out = [], []

    def run(self, X, y, w):
        """Return the probabilities of each row before it is learned."""
        return np.array([self.learn(*each) for each in zip(X, y, w, strict=True)])

    def learn(self, x, y, w):
        p = self.predict(x[None])[0]
        to_come = self.size - len(self.chunk) - len(self.held_out)
        wanted = self.n_held_out - len(self.held_out)
        drawn = to_come < self.size and unit(word(self.key, self.n_rows)) * to_come < wanted
        (self.held_out if drawn else self.chunk).append((x, y, w, self.n_rows))
        self.n_rows += 1
        n = len(self.chunk) + len(self.held_out)
        if n == self.size:
            self.end_chunk()
        elif self.n_chunks == 0 and n >= FEWEST and n in {self.size >> shift for shift in range(1, 30)}:
            self.members, self.weights = [self.fitted(self.chunk)], [self.first_weight]
        return p

    first_weight = 1.0

    def fitted(self, rows):
        X, y, w, _number = self.arrays(rows)
        return tree(X, y, w, self.n_classes, self.max_leaves)

    def arrays(self, rows):
        X, y, w, number = zip(*rows, strict=True)
        return np.array(X), np.array(y), np.array(w), np.array(number)

    def end_chunk(self):
        if self.n_chunks == 0:
            self.members, self.weights = [], []
        grown = self.arrays(self.chunk)
        weighed = self.arrays(self.held_out[::-1]) if self.n_held_out else grown
        self.weigh(self.fitted(self.chunk), *weighed)
        self.n_chunks += 1
        self.chunk, self.held_out = [], []

    def votes(self, X):
        """Return what the members say together, not yet divided by its sum."""
        total = np.zeros((len(X), self.n_classes))
        for member, weight in zip(self.members, self.weights, strict=True):
            total[np.arange(len(X)), member(X).argmax(axis=1)] += weight
        return total

    def predict(self, X):
        votes = self.votes(X)
        total = votes.sum(axis=1, keepdims=True)
        return np.where(total > 0, votes / np.where(total > 0, total, 1), 1 / self.n_classes)


class SEAEnsemble(ChunkEnsemble):
    """Street and Kim 2001."""

    def __init__(self, *arguments, replacement="quality"):
        super().__init__(*arguments)
        self.by_quality, self.waiting = replacement == "quality", None

    def weigh(self, fresh, X, y, w, number):
        if not self.by_quality or not self.members:
            self.put(fresh, self.n_chunks % self.n_members)
            return
        if self.waiting is not None:
            qualities = [self.quality(member, X, y, w) for member in self.members]
            if len(self.members) < self.n_members:
                self.put(self.waiting, len(self.members))
            elif self.quality(self.waiting, X, y, w) > min(qualities):
                self.put(self.waiting, int(np.argmin(qualities)))
        self.waiting = fresh

    def put(self, member, slot):
        self.members[slot : slot + 1] = [member]
        self.weights = [1.0] * len(self.members)

    def quality(self, member, X, y, w):
        rows, shares = np.arange(len(X)), self.predict(X)
        vote, chosen = shares.argmax(axis=1), member(X).argmax(axis=1)
        first, second = np.sort(shares, axis=1)[:, -1], np.sort(shares, axis=1)[:, -2]
        right = np.where(vote == y, 1 - (first - second), 1 - (first - shares[rows, y]))
        wrong = -(1 - abs(shares[rows, y] - shares[rows, chosen]))
        return (w * np.where(chosen == y, right, wrong)).sum()


class AccuracyWeightedEnsemble(ChunkEnsemble):
    """Wang, Fan, Yu and Han 2003."""

    def __init__(self, *arguments, folds=10, replacement="weight", **settings):
        super().__init__(*arguments, **settings)
        self.folds, self.by_weight = folds, replacement == "weight"

    def weigh(self, fresh, X, y, w, number):
        shares = np.bincount(y, w, self.n_classes) / w.sum()
        chance = (shares * (1 - shares) ** 2).sum()
        answers = [member(X) for member in self.members]
        answers.append(fresh(X) if self.n_held_out else self.crossed(X, y, w, number))
        rows = np.arange(len(X))
        found = [max(chance - np.average((1 - p[rows, y]) ** 2, weights=w), 0) for p in answers]
        self.members, self.weights = [*self.members, fresh], found
        if len(found) > self.n_members:
            worst = int(np.argmin(found[:-1])) if self.by_weight else self.n_chunks % self.n_members
            if found[-1] >= found[worst] or not self.by_weight:
                self.members[worst], self.weights[worst] = fresh, found[-1]
            del self.members[-1], self.weights[-1]
        if not sum(self.weights):
            self.weights = [1.0] * len(self.weights)

    def crossed(self, X, y, w, number):
        fold = np.array([word(self.key, int(i)) * self.folds >> 64 for i in number])
        p = np.empty((len(X), self.n_classes))
        for k in set(fold.tolist()):
            p[fold == k] = tree(X[fold != k], y[fold != k], w[fold != k], self.n_classes)(X[fold == k])
        return p

    def votes(self, X):
        parts = [weight * member(X) for member, weight in zip(self.members, self.weights, strict=True)]
        return np.sum(parts, axis=0) if parts else np.zeros((len(X), self.n_classes))


class LearnPPNSE(ChunkEnsemble):
    """Elwell and Polikar 2011: all errors of all members are kept, as the paper has it."""

    def __init__(self, *arguments, slope=0.5, shift=10.0, prune="age"):
        super().__init__(*arguments)
        self.slope, self.shift, self.prune, self.born, self.b = slope, shift, prune, [], []

    def weigh(self, fresh, X, y, w, number):
        u = np.ones(len(X))
        if self.members:
            right = self.votes(X).argmax(axis=1) == y
            if not right.all():
                u[right] = w[~right].sum() / w.sum()
        u = u * w / (u * w).sum()
        members = [*self.members, fresh]
        errors = [min(max(u[member(X).argmax(axis=1) != y].sum(), 0.01), 0.5) for member in members]
        for b, error in zip(self.b, errors, strict=False):
            b.append(error / (1 - error))
        if len(members) > self.n_members:
            gone = int(np.argmax(errors[:-1])) if self.prune == "error" else int(np.argmin(self.born))
        else:
            gone = len(self.members)
        self.members[gone : gone + 1], self.born[gone : gone + 1] = [fresh], [self.n_chunks]
        self.b[gone : gone + 1] = [[errors[-1] / (1 - errors[-1])]]
        self.weights = [max(np.log(1 / self.mean(b)), 1e-12) for b in self.b]

    def mean(self, b):
        age = np.arange(len(b))
        v = 1 / (1 + np.exp(-self.slope * (age - self.shift)))
        return (v * b).sum() / v.sum()
