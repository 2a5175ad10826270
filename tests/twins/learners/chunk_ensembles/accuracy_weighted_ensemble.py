"""The accuracy-weighted ensemble in plain NumPy."""

import numpy as np
from twins.learners.chunk_ensembles.base import ChunkEnsemble


class AccuracyWeightedEnsemble(ChunkEnsemble):
    """Wang, Fan, Yu and Han 2003."""

    def __init__(self, *arguments, folds=10, replacement="weight", **settings):
        super().__init__(*arguments, **settings)
        self.folds, self.by_weight = folds, replacement == "weight"

    def weigh(self, fresh, X, y, w, number):
        shares = np.bincount(y, w, self.n_classes) / w.sum()
        chance = (shares * (1 - shares) ** 2).sum()
        answers = [member(X) for member in self.members]
        answers.append(fresh(X) if self.n_held_out else self.crossed(X, y, w, number, self.folds))
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

    def votes(self, X):
        parts = [weight * member(X) for member, weight in zip(self.members, self.weights, strict=True)]
        return np.sum(parts, axis=0) if parts else np.zeros((len(X), self.n_classes))
