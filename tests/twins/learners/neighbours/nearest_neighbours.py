"""Windowed nearest neighbours in plain NumPy."""

import numpy as np


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


def distances(x, rows, is_category):
    """Return the squared distance of each row."""
    total = np.zeros(len(rows))
    for j in range(len(x)):
        column = rows[:, j]
        if is_category[j]:
            total += column != x[j]
            continue
        known = column[~np.isnan(column)]
        low, width = (known.min(), np.ptp(known)) if len(known) else (0.0, 0.0)
        inverse = 1 / width if width > 0 else 0.0
        for i, value in enumerate(column):
            present = [v for v in (value, x[j]) if not np.isnan(v)]
            if len(present) == 2:
                total[i] += ((value - x[j]) * inverse) ** 2
            elif present:
                v = (present[0] - low) * inverse
                total[i] += max(v, 1 - v) ** 2
            else:
                total[i] += 1
    return total
