"""Windowed nearest neighbours in plain NumPy."""

import numpy as np
from twins.learners.neighbours.window import distances


def run(X, y, w, n_classes, n_neighbours, window, is_category):
    """Return the probabilities each row gets before it is learned."""
    p = np.full((len(X), n_classes), 1 / n_classes)
    for i in range(1, len(X)):
        kept = slice(max(i - window, 0), i)
        d = distances(X[i], X[kept], is_category)
        near = d <= np.sort(d)[min(n_neighbours, len(d)) - 1] * (1 + 1e-12)
        votes = np.bincount(y[kept][near], w[kept][near], n_classes)
        p[i] = votes / votes.sum()
    return p
