"""Rows for tests of boosting on a window."""

import numpy as np


def clusters(n, n_classes=2, seed=0, distance=1.5):
    """Return a cluster of rows for each of the first two classes, and one for all others."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    return rng.normal(size=(n, 2)) + distance * np.column_stack([y == 0, y == 1]), y
