"""The rows on which MOA's trees were recorded: numbers, categories, three classes, one change of the rule.

moa_trees.json was written by `benchmarks.moa_splits.record` for these rows with MOA's options
`-g 50 -c 0.001`, under "gini" with `-s GiniSplitCriterion` as well. The option trees saw `linear_rows`.
"""

import numpy as np

N_CATEGORIES = np.array([0, 0, 4, 0])


def mixed_rows(n=16_000, seed=5):
    """Return inputs and class codes; the same for any version of NumPy that keeps its streams."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 4))
    X[:, 2] = np.floor(4 * X[:, 2])
    turned = np.arange(n) >= n // 2
    high = X[:, 0] + 0.8 * X[:, 1] + 0.6 * X[:, 3] > 1.2
    y = np.where(X[:, 2] == 1, 2, np.where(high ^ turned, 1, 0))
    noisy = rng.random(n) < 0.05
    return X, np.where(noisy, rng.integers(0, 3, n), y)


def linear_rows(n=12_000, seed=6):
    """Return eight inputs of which five count alike, so that options are found; the rule turns once."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 8))
    return X, ((X[:, :5].sum(axis=1) > 2.5) ^ (np.arange(n) >= n // 2)).astype(int)
