"""Fast and light boosting in plain Python, over any learners as members."""

import numpy as np


class FastLightBoostTwin:
    """Members trained on chunks; `build()` returns a fresh one."""

    def __init__(self, n_classes, n_members, chunk_size, n_rounds, threshold, build):
        self.n_classes, self.n_members, self.chunk_size = n_classes, n_members, chunk_size
        self.n_rounds, self.threshold, self.build = n_rounds, threshold, build
        self.members, self.rows, self.accuracies, self.n_changes, self.early = [], [], [], 0, True

    def predict(self, x):
        if not self.members:
            return np.full(self.n_classes, 1 / self.n_classes)
        return np.mean([member.predict_proba_one(x) for member in self.members], axis=0)

    def learn(self, x, y, w):
        self.rows.append((x, y, w))
        n = len(self.rows)
        if n == self.chunk_size:
            self.finish()
            self.rows, self.early = [], False
        elif self.early and n >= 8 and n in [self.chunk_size // 2**i for i in range(1, 20)]:
            X, codes, weights = (np.array(column) for column in zip(*self.rows, strict=True))
            self.members = [self.build()]
            self.members[0]._fit_block(X, codes, weights)

    def wrong(self):
        """Return on which rows of the chunk the vote is wrong."""
        return np.array([self.predict(x).argmax() != y for x, y, _ in self.rows])

    def finish(self):
        X, y, w = (np.array(column) for column in zip(*self.rows, strict=True))
        if self.early:
            self.members = []
        if self.members:
            accuracy = 1 - w[self.wrong()].sum() / w.sum()
            if self.has_changed(accuracy):
                self.members, self.accuracies, self.n_changes = [], [], self.n_changes + 1
            else:
                self.accuracies.append(accuracy)
        for _ in range(self.n_rounds):
            v = w.copy()
            if self.members:
                wrong = self.wrong()
                e = w[wrong].sum() / w.sum()
                v[wrong] *= max((1 - e) / max(e, 1e-3), 1)
            member = self.build()
            member._fit_block(X, y, v * len(v) / v.sum())
            self.members = [*self.members, member][-self.n_members :]

    def has_changed(self, accuracy):
        n = len(self.accuracies)
        if n < 2:
            return False
        mean, n_rows = np.mean(self.accuracies), n * self.chunk_size
        q = (mean * n_rows + 1) / (n_rows + 2)
        variance = max(np.var(self.accuracies, ddof=1), q * (1 - q) / self.chunk_size)
        return accuracy < mean - self.threshold * np.sqrt(variance * (1 + 1 / n))
