"""Naive Bayes in slow plain NumPy, from the formulas in the kernel's docstring."""

import numpy as np

UNLIKELIEST = 745.0


class NaiveBayesTwin:
    def __init__(self, n_categories, n_classes):
        self.n_categories = list(n_categories)
        self.rows = [[] for _ in range(n_classes)]
        self.highest = [count - 1 for count in n_categories]

    def learn(self, x, y, w=1.0):
        self.rows[y].append((np.array(x, dtype=float), w))
        for j, value in enumerate(x):
            if self.n_categories[j] and not np.isnan(value):
                self.highest[j] = max(self.highest[j], int(value))

    def predict(self, x):
        scores = np.full(len(self.rows), -np.inf)
        for k, rows in enumerate(self.rows):
            if rows:
                scores[k] = np.log(sum(w for _, w in rows))
                there = [(j, value) for j, value in enumerate(x) if not np.isnan(value)]
                scores[k] += sum(self.log_density(k, j, value) for j, value in there)
        if np.isneginf(scores).all():
            return np.full(len(scores), 1 / len(scores))
        p = np.exp(scores - scores.max())
        return p / p.sum()

    def log_density(self, k, j, value):
        seen = [(row[j], w) for row, w in self.rows[k] if not np.isnan(row[j])]
        values, weights = np.array([v for v, _ in seen]), np.array([w for _, w in seen])
        total = weights.sum()
        if self.n_categories[j]:
            return np.log((weights[values == value].sum() + 1) / (total + self.highest[j] + 1))
        if len(set(values)) == 1:
            return 0.0 if value == values[0] else -UNLIKELIEST
        mean = np.average(values, weights=weights) if len(seen) else 0.0
        squares = (weights * (values - mean) ** 2).sum()
        if total <= 1:
            return 0.0 if value == mean else -UNLIKELIEST
        variance = squares / (total - 1)
        return -min((value - mean) ** 2 / (2 * variance), UNLIKELIEST) - 0.5 * np.log(2 * np.pi * variance)
