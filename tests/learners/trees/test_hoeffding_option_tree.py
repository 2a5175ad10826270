"""Option trees: the plain tree where there are no options, the bound on them, and MOA's results."""

import json

import numpy as np
import pytest
from golden.mixed_rows import N_CATEGORIES, linear_rows, mixed_rows
from support.places import TESTS, data_file

from thalweg.evaluation import metrics, prequential
from thalweg.learners import AdaptiveHoeffdingOptionTree, HoeffdingOptionTree, HoeffdingTree
from thalweg.learners.trees._native.codes import DEAD, FREE_SLOTS, NODES, ROOT, SLOTS
from thalweg.streams import RandomRBF, from_file

RECORDED = json.loads((TESTS / "golden" / "moa_trees.json").read_text())
QUICK = {"grace_period": 50, "delta": 0.001}
BOTH = [HoeffdingOptionTree, AdaptiveHoeffdingOptionTree]


def leaves_reached(arrays, x, node=None):
    # How many leaves vote on a row.
    node = int(arrays["size"][ROOT]) if node is None else node
    if arrays["feature"][node] < 0:
        return 1
    n = 0
    while node >= 0 and arrays["feature"][node] >= 0:
        above = x[arrays["feature"][node]] > arrays["threshold"][node]
        n += leaves_reached(arrays, x, int(arrays["child"][node]) + above)
        node = int(arrays["alternate"][node])
    return n


@pytest.mark.parametrize("kind", BOTH)
def test_a_single_option_is_the_plain_tree(kind):
    X, y = mixed_rows(8000)
    plain = HoeffdingTree(**QUICK).begin(4, [0, 1, 2], n_categories=N_CATEGORIES)
    other = kind(max_options=1, **QUICK).begin(4, [0, 1, 2], n_categories=N_CATEGORIES)
    np.testing.assert_allclose(other.test_then_train(X, y), plain.test_then_train(X, y), atol=1e-12)
    assert [n.feature for n in other._nodes()] == [n.feature for n in plain._nodes()]


@pytest.mark.parametrize(("kind", "name"), [*zip(BOTH, ["option", "adaptive_option"], strict=True)])
def test_as_many_rows_are_right_as_in_moa(kind, name):
    X, y = linear_rows()
    p = kind(**QUICK).begin(8, [0, 1]).test_then_train(X, y)
    right = int((p.argmax(axis=1) == y).sum())
    assert right > RECORDED[name]["correct"] - 0.01 * len(X)


def test_real_stream_as_in_moa():
    run = prequential(from_file(data_file("elec2.arff")), AdaptiveHoeffdingOptionTree(delta=1e-7))
    assert abs(metrics.accuracy(run) - 0.8653) < 0.005


@pytest.mark.parametrize("most", [2, 5])
def test_options_are_bounded_and_used(most):
    X, y = linear_rows()
    tree = HoeffdingOptionTree(max_options=most, **QUICK).begin(8, [0, 1])
    tree.test_then_train(X, y)
    arrays = tree._kernel.arrays
    reached = [leaves_reached(arrays, x) for x in X[:300]]
    assert 1 < max(reached) <= most
    assert arrays["options"].max() <= most


def test_options_help_and_recent_accuracy_helps_more_after_a_drift():
    X, y = next(RandomRBF(seed=1).blocks(20_000))
    y[10_000:] = 1 - y[10_000:]
    plain, options, adaptive = (
        kind(delta=1e-7).begin(10, [0, 1]).test_then_train(X, y).argmax(axis=1) == y
        for kind in (HoeffdingTree, HoeffdingOptionTree, AdaptiveHoeffdingOptionTree)
    )
    assert options[:10_000].mean() > plain[:10_000].mean() + 0.05
    assert adaptive[10_000:].mean() > options[10_000:].mean() + 0.02


def test_slots_are_neither_lost_nor_shared():
    X, y = linear_rows()
    tree = HoeffdingOptionTree(**QUICK).begin(8, [0, 1])
    tree.test_then_train(X, y)
    arrays, size = tree._kernel.arrays, tree._kernel.arrays["size"]
    living = np.flatnonzero(arrays["feature"][: size[NODES]] != DEAD)
    slots = arrays["slot"][living]
    assert len(np.unique(slots[slots >= 0])) == (slots >= 0).sum() == size[SLOTS] - size[FREE_SLOTS]


def test_a_bounded_tree_stays_within_its_bytes():
    X, y = linear_rows(30_000)
    tree = HoeffdingOptionTree(max_bytes=30_000, **QUICK).begin(8, [0, 1])
    for start in range(0, len(X), 1000):
        tree.test_then_train(X[start : start + 1000], y[start : start + 1000])
        assert tree.n_bytes_ <= 30_000


@pytest.mark.parametrize("max_bytes", [33_554_432, 40_000])
@pytest.mark.parametrize(("rows", "n_categories"), [(mixed_rows, N_CATEGORIES), (linear_rows, None)])
@pytest.mark.parametrize("kind", BOTH)
def test_predicting_and_learning_at_once_changes_nothing(kind, rows, n_categories, max_bytes):
    X, y = rows(3000)
    once, apart = (kind(max_bytes=max_bytes, **QUICK) for _ in range(2))
    for tree in (once, apart):
        tree.begin(X.shape[1], np.unique(y), n_categories=n_categories)
    p = once.test_then_train(X, y)
    for i in range(len(X)):
        row = slice(i, i + 1)
        assert np.array_equal(apart.predict_proba_block(X[row]), p[row])
        apart.test_then_train_coded(X[row], y[row], tested=[False])
    first, second = once._kernel.state(), apart._kernel.state()
    assert all(np.array_equal(first[name], second[name]) for name in first)


def test_options_are_told_and_drawn():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    X, y = linear_rows(5000)
    tree = HoeffdingOptionTree(**QUICK).begin(8, [0, 1])
    tree.test_then_train(X, y)
    lines = tree.describe().splitlines()
    assert "or" in [line.strip() for line in lines]
    assert sum("% of" in line for line in lines) == tree.n_leaves_
    axes = tree.plot_tree()
    assert len(axes.texts) == tree.n_nodes_
    matplotlib.pyplot.close(axes.figure)
