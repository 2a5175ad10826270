"""Rows that steps of preprocessing find hard."""

import numpy as np


def odd_rows(n=300, seed=1):
    """Return categories beyond any room, numbers, and seconds since 1970, a tenth of them missing."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.geometric(0.2, n), rng.normal(5, 2, n), rng.integers(-(10**9), 2 * 10**9, n)])
    return np.where(rng.random(X.shape) < 0.1, np.nan, X.astype(float))
