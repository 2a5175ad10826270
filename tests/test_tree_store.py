"""The store under all trees, with random settings: nothing lost, nothing shared, nothing beyond its bytes."""

import numpy as np
import pytest

from thalweg.learners import (
    AdaptiveHoeffdingOptionTree,
    HoeffdingAdaptiveTree,
    HoeffdingOptionTree,
    HoeffdingTree,
)

KINDS = [HoeffdingTree, HoeffdingAdaptiveTree, HoeffdingOptionTree, AdaptiveHoeffdingOptionTree]
N_CATEGORIES = np.array([0, 3, 0, 5, 0])
DEAD = -3


def wandering_rows(rng, n=3000):
    # Numbers and categories, some missing; three classes by a linear rule that is drawn anew every 600 rows.
    X = np.column_stack([rng.random((n, 5))])
    X[:, 1], X[:, 3] = np.floor(3 * X[:, 1]), np.floor(5 * X[:, 3])
    rules = rng.normal(size=(n // 600 + 1, 5, 3))[np.arange(n) // 600]
    y = np.einsum("ij,ijk->ik", X - X.mean(axis=0), rules).argmax(axis=1)
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, y


def some_settings(rng, kind):
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


def assert_sound(tree):
    arrays, size = tree._kernel.arrays, tree._kernel.arrays["size"]
    living = np.flatnonzero(arrays["feature"][: size[0]] != DEAD)
    slots = arrays["slot"][living]
    held = slots[slots >= 0]
    assert len(np.unique(held)) == len(held) == size[1] - size[2], "a slot is lost or shared"
    assert (arrays["feature"][living] < 0)[(slots >= 0).any(axis=1)].all(), "a test holds a slot"
    for node in living[arrays["feature"][living] >= 0]:
        children = np.arange(arrays["n_children"][node]) + arrays["child"][node]
        assert (arrays["parent"][children] == node).all() and arrays["usual"][node] in children
    if "window" in arrays:
        assert (arrays["window"][living] >= 0).sum() == size[6] - size[7], "a window is lost"


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", KINDS)
def test_any_tree_is_sound_and_carries_on(kind, seed):
    rng = np.random.default_rng(seed)
    X, y = wandering_rows(rng)
    settings = some_settings(rng, kind)
    w = rng.choice([0.0, 0.5, 1.0, 3.0], len(X))
    tree = kind(**settings).begin(5, [0, 1, 2], n_categories=N_CATEGORIES)
    for start in range(0, len(X), 500):
        block = X[start : start + 500], y[start : start + 500], w[start : start + 500]
        other = kind().restore(tree.state())
        p = tree.test_then_train(*block)
        assert np.isfinite(p).all() and np.allclose(p.sum(axis=1), 1)
        assert np.array_equal(other.test_then_train(*block), p)
        assert_sound(tree)
        assert tree.n_bytes_ <= settings["max_bytes"], settings
