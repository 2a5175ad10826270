"""The best split of a block by trying all of them, in slow plain NumPy."""

from itertools import pairwise

import numpy as np


def score(weights, criterion):
    n, there = weights.sum(), weights[weights > 0]
    if criterion == "gini":
        return (there**2).sum() / n
    return (there * np.log(there)).sum() - n * np.log(n) if criterion == "entropy" else there.max(initial=0)


def class_weights(y, w, n_classes):
    return np.bincount(y, weights=w, minlength=n_classes)


def splits(X, n_categories=None):
    """Yield every way to part the rows: input, threshold, whether missing values go left, the left rows."""
    for j in range(X.shape[1]):
        column = X[:, j]
        missing = np.isnan(column)
        values = np.unique(column[~missing])
        if n_categories is not None and n_categories[j]:
            for value in values:
                yield j, value, False, column == value
            continue
        for missing_left in (False, True):
            if missing_left and not missing.any():
                continue
            for low, high in pairwise(values):
                middle = low / 2 + high / 2
                threshold = middle if middle < high else low
                yield j, threshold, missing_left, (column <= threshold) | (missing & missing_left)
        if missing.any():
            yield j, np.inf, False, ~missing


def gain(y, w, left, n_classes, criterion):
    parts = [class_weights(y[rows], w[rows], n_classes) for rows in (left, ~left)]
    return sum(score(part, criterion) for part in parts) - score(class_weights(y, w, n_classes), criterion)


def best_gain(X, y, w, n_classes, criterion, n_categories=None):
    proper = [rows for *_, rows in splits(X, n_categories) if 0 < rows.sum() < len(rows)]
    return max((gain(y, w, rows, n_classes, criterion) for rows in proper), default=None)


def distance_probabilities(nodes, X, w, rows, laplace):
    """Return what a stump grown on X answers for rows by the distance from its split; no categories."""
    smooth = nodes["weights"] + laplace
    leaves = smooth / smooth.sum(axis=1, keepdims=True)
    j, threshold = nodes["feature"][0], nodes["threshold"][0]
    if j < 0:
        return np.repeat(leaves[:1], len(rows), axis=0)
    sides = [nodes["left"][0], nodes["right"][0]]
    away = X[w > 0, j] - threshold
    reach = [np.abs(away[away <= 0]).max(initial=0.0), np.abs(away[away > 0]).max(initial=0.0)]
    answers = []
    for value in rows[:, j]:
        if np.isnan(value):
            answers.append(leaves[nodes["missing"][0]])
            continue
        side = int(value > threshold)
        far = abs(value - threshold)
        share = 1.0 if far >= reach[side] else 0.5 + 0.5 * far / reach[side]
        answers.append(share * leaves[sides[side]] + (1 - share) * leaves[sides[1 - side]])
    return np.array(answers)
