"""A mixture of neighbours of several numbers and windows, in plain NumPy."""

import numpy as np
from twins.learners.neighbours.window import distances


def experts(X, y, w, i, n_classes, is_category, counts, windows):
    """Return what each window and number of neighbours says of row i, from the rows before it."""
    seen = slice(max(i - max(windows), 0), i)
    d = distances(X[i], X[seen], is_category) if i else np.empty(0)
    for window in windows:
        near, labels, weights = d[-window:], y[seen][-window:], w[seen][-window:]
        for k in counts:
            votes = np.zeros(n_classes)
            if len(near):
                chosen = near <= np.sort(near)[min(k, len(near)) - 1] * (1 + 1e-12)
                votes = np.bincount(labels[chosen], weights[chosen], n_classes)
            yield (votes + 1 / n_classes) / (votes.sum() + 1)


def run(X, y, w, n_classes, is_category, counts, windows, switching):
    """Return the probabilities before each row, and the trusts at the end."""
    n = len(counts) * len(windows)
    trust, found = np.full(n, 1 / n), []
    for i in range(len(X)):
        said = np.array(list(experts(X, y, w, i, n_classes, is_category, counts, windows)))
        found.append(trust @ said)
        trust = trust * said[:, y[i]] ** w[i]
        trust = (1 - switching) * trust / trust.sum() + switching / n
    return np.array(found), trust
