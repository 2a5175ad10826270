"""The store under all trees, with random settings: nothing lost, nothing shared, nothing beyond its bytes."""

import numpy as np
import pytest
from support.tree_rows import KINDS, N_CATEGORIES, some_settings, wandering_rows

from thalweg.learners.trees._native.codes import DEAD, FREE_SLOTS, FREE_WINDOWS, NODES, SLOTS, WINDOWS


def assert_sound(tree):
    arrays, size = tree._kernel.arrays, tree._kernel.arrays["size"]
    living = np.flatnonzero(arrays["feature"][: size[NODES]] != DEAD)
    slots = arrays["slot"][living]
    held = slots[slots >= 0]
    assert len(np.unique(held)) == len(held) == size[SLOTS] - size[FREE_SLOTS], "a slot is lost or shared"
    assert (arrays["feature"][living] < 0)[(slots >= 0).any(axis=1)].all(), "a test holds a slot"
    for node in living[arrays["feature"][living] >= 0]:
        children = np.arange(arrays["n_children"][node]) + arrays["child"][node]
        assert (arrays["parent"][children] == node).all() and arrays["usual"][node] in children
    if "window" in arrays:
        assert (arrays["window"][living] >= 0).sum() == size[WINDOWS] - size[FREE_WINDOWS], "a window is lost"


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", KINDS)
def test_any_tree_is_sound_and_carries_on(kind, seed):
    rng = np.random.default_rng(seed)
    X, y = wandering_rows(rng)
    settings = some_settings(rng, kind)
    w = rng.choice([0.0, 0.5, 1.0, 3.0], len(X))
    tree = kind(**settings).begin(5, [0, 1, 2], n_categories=N_CATEGORIES)
    for start in range(0, len(X), 500):
        part = slice(start, start + 500)
        other = kind().restore(tree.state())
        p = tree.test_then_train(X[part], y[part], sample_weight=w[part])
        assert np.isfinite(p).all() and np.allclose(p.sum(axis=1), 1)
        assert np.array_equal(other.test_then_train(X[part], y[part], sample_weight=w[part]), p)
        assert_sound(tree)
        assert tree.n_bytes_ <= settings["max_bytes"], settings
