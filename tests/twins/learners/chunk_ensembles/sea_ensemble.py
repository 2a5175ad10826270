"""The streaming ensemble algorithm (SEA) in plain NumPy."""

import numpy as np
from twins.learners.chunk_ensembles.base import ChunkEnsemble


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
