"""Multinomial naive Bayes in plain NumPy: sums that fade with every row, and scores at several scales."""

import numpy as np

N_SCALES, SHARE, LEAST = 8, 1e-3, 1e-3


class MultinomialTwin:
    """The formulas of the kernel, one dense row at a time; everything fades when a row is learned."""

    def __init__(self, n_features, n_classes, alpha=0.3, decay=0.999, complement=False):
        self.alpha, self.decay, self.complement = alpha, decay, complement
        self.count = np.zeros((n_classes, n_features))
        self.weight = np.zeros(n_classes)
        self.trust = np.full(N_SCALES, 1 / N_SCALES)

    def scores(self, x):
        count = self.count.sum(axis=0) - self.count if self.complement else self.count
        chance = (count + self.alpha) / (count + self.alpha).sum(axis=1, keepdims=True)
        score = np.log(chance) @ np.nan_to_num(np.maximum(x, 0.0))
        with np.errstate(divide="ignore"):
            return -score if self.complement else score + np.log(self.weight)

    def said(self, x):
        """Return the probabilities at each scale."""
        seen = self.weight > 0
        if not seen.any():
            return np.full((N_SCALES, len(seen)), 1 / len(seen))
        score = np.where(seen, self.scores(x), -np.inf)
        q = np.exp((score - score.max()) / 2.0 ** np.arange(N_SCALES)[:, None])
        return q / q.sum(axis=1, keepdims=True)

    def predict(self, x):
        return self.trust @ self.said(x)

    def learn(self, x, y, w=1.0):
        if self.weight[y] > 0:
            trust = self.trust * np.maximum(self.said(x)[:, y], LEAST) ** w
            self.trust = (1 - SHARE) * trust / trust.sum() + SHARE / N_SCALES
        kept = self.decay**w
        times = w if self.decay == 1 else (1 - kept) / (1 - self.decay)
        self.count, self.weight = kept * self.count, kept * self.weight
        self.count[y] += times * np.nan_to_num(np.maximum(x, 0.0))
        self.weight[y] += times
