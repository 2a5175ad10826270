"""Adaptive random forests in plain Python, over any learners in the place of trees."""

import numpy as np
from twins._native.rng import poisson, word

from thalweg.drift import ADWIN


class ForestTwin:
    """Gomes and others' forest; `events` has the row, the member and what happened to it."""

    def __init__(self, build, keys, poisson_mean=6.0, warning_delta=0.01, drift_delta=0.001):
        self.build, self.keys, self.poisson_mean = build, keys, poisson_mean
        self.deltas = warning_delta, drift_delta
        self.trees, self.nexts = [build() for _ in keys], [None for _ in keys]
        self.warnings, self.drifts = ([ADWIN(delta) for _ in keys] for delta in self.deltas)
        self.right, self.seen = np.zeros(len(keys)), np.zeros(len(keys))
        self.n_rows, self.events = 0, []

    def run(self, X, y):
        """Return the probabilities of each row before it is learned."""
        return np.array([self.learn(*row) for row in zip(X, y, strict=True)])

    def learn(self, x, y):
        votes = np.array([tree.predict_proba_one(x) for tree in self.trees])
        pairs = zip(self.right, self.seen, strict=True)
        weights = np.array([100 * right / seen if right else 1.0 for right, seen in pairs])
        self.seen += 1
        self.right += votes.argmax(axis=1) == y
        for m, key in enumerate(self.keys):
            times = poisson(self.poisson_mean, word(key, self.n_rows))
            if times:
                self.train(m, x, y, times)
        self.n_rows += 1
        return weights @ votes / weights.sum()

    def train(self, m, x, y, times):
        for tree in (self.trees[m], self.nexts[m]):
            if tree is not None:
                tree.test_then_train(x[None], [y], sample_weight=[times])
        wrong = float(self.trees[m].predict_proba_one(x).argmax() != y)
        if self.warnings[m].update(wrong):
            self.nexts[m], self.warnings[m] = self.build(), ADWIN(self.deltas[0])
            self.events.append((self.n_rows, m, "warned"))
        if self.drifts[m].update(wrong):
            if self.nexts[m] is not None:
                self.trees[m], self.nexts[m], self.warnings[m] = self.nexts[m], None, ADWIN(self.deltas[0])
            else:
                self.trees[m] = self.build()
            self.drifts[m], self.right[m], self.seen[m] = ADWIN(self.deltas[1]), 0, 0
            self.events.append((self.n_rows, m, "replaced"))
