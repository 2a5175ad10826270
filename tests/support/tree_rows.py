"""Rows and settings under which trees do all they can: grow, rank, sweep, meet new categories, replace."""

import numpy as np

from thalweg.learners import (
    AdaptiveHoeffdingOptionTree,
    HoeffdingAdaptiveTree,
    HoeffdingOptionTree,
    HoeffdingTree,
)

KINDS = [HoeffdingTree, HoeffdingAdaptiveTree, HoeffdingOptionTree, AdaptiveHoeffdingOptionTree]
N_CATEGORIES = np.array([0, 3, 0, 5, 0])


def wandering_rows(rng, n=3000):
    """Numbers and categories, some missing; three classes by a linear rule that changes every 600 rows."""
    X = np.column_stack([rng.random((n, 5))])
    X[:, 1], X[:, 3] = np.floor(3 * X[:, 1]), np.floor(5 * X[:, 3])
    rules = rng.normal(size=(n // 600 + 1, 5, 3))[np.arange(n) // 600]
    y = np.einsum("ij,ijk->ik", X - X.mean(axis=0), rules).argmax(axis=1)
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, y


def growing_rows(n=3000, seed=0):
    """Wandering rows whose categories become more and more."""
    rng = np.random.default_rng(seed)
    X, y = wandering_rows(rng, n)
    X[:, 1] = np.floor(rng.random(n) * (3 + np.arange(n) * 40 / n))
    return X, y


def some_settings(rng, kind):
    """Settings drawn at random, small memory among them."""
    settings = {
        "grace_period": int(rng.choice([20, 60])),
        "tie": float(rng.choice([0.05, 0.5])),
        "criterion": str(rng.choice(["gain", "gini"])),
        "leaf": str(rng.choice(["adaptive", "bayes", "majority"])),
        "max_features": [None, 2, "sqrt", 0.5][rng.integers(4)],
        "max_bytes": int(rng.choice([15_000, 40_000, 10**6])),
    }
    if kind is HoeffdingAdaptiveTree:
        flags = {name: bool(rng.integers(2)) for name in ("early", "bootstrap", "watch_root")}
        settings |= flags | {"watch_delta": float(rng.choice([0.002, 0.3]))}
    return settings


def busy_tree(kind, **settings):
    """Return a tree that has begun and will change its arrays often."""
    busy = {"grace_period": 20, "tie": 0.5, "max_bytes": 45_000}
    if kind is HoeffdingAdaptiveTree:
        busy |= {"watch_delta": 0.3, "max_bytes": 10**6}
    return kind(**(busy | settings)).begin(5, [0, 1, 2], n_categories=N_CATEGORIES)
