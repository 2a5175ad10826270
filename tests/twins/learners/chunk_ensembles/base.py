"""What chunk ensembles share, in plain NumPy: rows gathered into chunks, a tree of each, votes."""

import numpy as np
from twins._native.rng import key_of, unit, word

from thalweg.learners import DecisionTree

FEWEST = 8


def tree(X, y, w, n_classes, max_leaves=32):
    """Return a function of rows to probabilities: a tree fitted on these rows."""
    made = DecisionTree(max_leaves=max_leaves, window=len(X)).begin(X.shape[1], list(range(n_classes)))
    made._fit_block(X, y, w)
    return made.predict_proba_block


class ChunkEnsemble:
    """Gathers rows into chunks; a subclass says what happens when one ends."""

    max_leaves = 32

    def __init__(self, n_classes, n_members, chunk_size, n_held_out=0, seed=1):
        self.n_classes, self.n_members, self.size = n_classes, n_members, chunk_size
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

    def crossed(self, X, y, w, number, folds):
        """Return what trees say of the rows of a fold that were fitted on the others."""
        fold = np.array([word(self.key, int(i)) * folds >> 64 for i in number])
        p = np.empty((len(X), self.n_classes))
        for k in set(fold.tolist()):
            others = X[fold != k], y[fold != k], w[fold != k]
            p[fold == k] = tree(*others, self.n_classes, self.max_leaves)(X[fold == k])
        return p

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
