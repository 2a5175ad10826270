"""Rows for tests of learners on subspaces of the inputs."""

import numpy as np


def rows(n, n_features=4, n_classes=2, seed=0, with_gaps=False):
    """Return clusters, the classes apart in every input."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    X = rng.normal(size=(n, n_features)) + y[:, None]
    if with_gaps:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, y
