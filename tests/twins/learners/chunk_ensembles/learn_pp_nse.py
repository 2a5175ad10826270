"""Learn++.NSE in plain NumPy."""

import numpy as np
from twins.learners.chunk_ensembles.base import ChunkEnsemble


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
