"""HUWRS row by row in plain NumPy."""

import numpy as np
from twins.learners.subspaces.huwrs import HUWRS


class SlidingHUWRS(HUWRS):
    """The form without chunks; `make_tree` returns (learn, predict) of a member that knows nothing."""

    level = 0.001

    def __init__(self, *arguments, period, **settings):
        super().__init__(*arguments, **settings)
        self.period, self.n_rows = period, 0
        for member in self.members:
            self.restart(member)

    def restart(self, member):
        """Let a member begin again, on the rows of the window."""
        member.learn, member.predict = member.make_tree(member.columns)
        for x, y in self.chunk:
            member.learn(x[member.columns], y)

    def learn(self, x, y):
        """Return the probabilities of a row, then learn it."""
        p = self.predict(x)
        self.chunk = [*self.chunk, (x, y)][-self.chunk_size :]
        self.n_rows += 1
        fresh = []
        is_full = len(self.chunk) == self.chunk_size
        if is_full and (not self.n_chunks or self.n_rows % self.period == 0):
            fresh = self.compare(*map(np.array, zip(*self.chunk, strict=True)))
            self.n_chunks += 1
        for member in self.members:
            if member not in fresh:
                member.learn(x[member.columns], y)
        return p

    def compare(self, X, y):
        """Weigh the members by the window, and replace those that are too far from it."""
        replaced = []
        for member in self.members:
            if self.n_chunks:
                member.labelled = member.weight_by_chunk(X, y)
                if not member.is_too_far(X, y, self.threshold, self.level):
                    continue
                self.restart(member)
                member.unlabelled = 0.0
                replaced.append(member)
            member.refer_to(X, y)
        return replaced

    def predict(self, x):
        """Return the probabilities of a row."""
        votes = np.array([member.labelled + member.unlabelled for member in self.members])
        answers = np.array([member.predict(x[member.columns]) for member in self.members])
        return votes @ answers / votes.sum()
