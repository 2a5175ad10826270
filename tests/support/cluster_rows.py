"""Rows for tests of boosting on a window."""

import numpy as np
from sklearn.base import clone


def clusters(n, n_classes=2, seed=0, distance=1.5):
    """Return a cluster of rows for each of the first two classes, and one for all others."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    return rng.normal(size=(n, 2)) + distance * np.column_stack([y == 0, y == 1]), y


def weighted_clouds(n, n_features, n_classes, seed=6):
    """Return rows around a centre for each class, the classes changing centres half way, and weights."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    centres = rng.normal(scale=1.5, size=(n_classes, n_features))
    X = rng.normal(size=(n, n_features)) + centres[y]
    y[n // 2 :] = (y[n // 2 :] + 1) % n_classes
    return X, y, rng.uniform(0.5, 3.0, n)


def training(member, n_features, n_classes):
    """Return a function that trains such a member on rows, codes and weights; None for None."""
    if member is None:
        return None

    def train(X, y, w):
        fresh = clone(member).begin(n_features, range(n_classes))
        fresh.test_then_train(X, y, sample_weight=w)
        return fresh

    return train
