"""The Hoeffding tree against its twin, against splits recorded from MOA, and within its memory."""

import json
import math

import numpy as np
import pytest
from golden.mixed_rows import N_CATEGORIES, mixed_rows
from sklearn.exceptions import NotFittedError
from support.places import TESTS, data_file
from twins.learners.trees.hoeffding_tree import HoeffdingTree as Twin

from thalweg.evaluation import metrics, prequential
from thalweg.learners import HoeffdingTree, NaiveBayes
from thalweg.learners.trees._native.codes import INACTIVE_LEAVES
from thalweg.streams import from_file

RECORDED = json.loads((TESTS / "golden" / "moa_trees.json").read_text())
QUICK = {"grace_period": 50, "delta": 0.001}


def begun(X, **settings):
    return HoeffdingTree(**settings).begin(X.shape[1], [0, 1, 2], n_categories=N_CATEGORIES)


def splits_row_by_row(tree, X, y):
    # (row, input, threshold) of each split, as it happens
    found, known = [], set()
    for i in range(len(X)):
        tree.learn_one(X[i], y[i])
        tests = {node.number: node for node in tree._nodes() if not node.is_leaf}
        found += [[i, node.feature, "each" if node.test == 1 else node.threshold]
                  for number, node in tests.items() if number not in known]
        known = set(tests)
    return found


@pytest.mark.parametrize("criterion", ["gain", "gini"])
def test_kernel_is_its_twin(criterion):
    X, y = mixed_rows(6000)
    X[::17, 0] = np.nan
    w = np.random.default_rng(2).choice([0.5, 1.0, 3.0], len(X))
    twin = Twin(3, N_CATEGORIES.tolist(), grace=50, delta=0.001, criterion=criterion)
    rows = zip(X.tolist(), y.tolist(), w.tolist(), strict=True)
    expected = [twin.predict_then_learn(*row) for row in rows]
    tree = begun(X, criterion=criterion, **QUICK)
    np.testing.assert_allclose(tree.test_then_train(X, y, sample_weight=w), expected, atol=1e-9)
    nodes = [node for node in tree._nodes() if not node.is_leaf]
    tests = [(node.feature, None if node.test == 1 else node.threshold) for node in nodes]
    assert len(tests) > 2
    assert sorted(tests, key=str) == sorted(twin.splits, key=str)


def test_splits_are_those_of_moa():
    X, y = mixed_rows()
    expected = RECORDED["tree"]["splits"]
    found = splits_row_by_row(begun(X, **QUICK), X, y)
    assert [split[:2] for split in found] == [split[:2] for split in expected]
    for (_, _, ours), (_, _, theirs) in zip(found, expected, strict=True):
        assert ours == theirs or math.isclose(ours, theirs, rel_tol=1e-12)
    right = (begun(X, **QUICK).test_then_train(X, y).argmax(axis=1) == y).sum()
    assert abs(right - RECORDED["tree"]["correct"]) < 0.001 * len(X)


def test_a_tree_takes_half_of_moas_bytes():
    X, y = mixed_rows()
    tree = begun(X, **QUICK)
    tree.test_then_train(X, y)
    assert tree.n_bytes_ <= RECORDED["tree"]["bytes"] / 2


@pytest.mark.parametrize(("file", "moa"), [("elec2.arff", 0.79195), ("weather.arff", 0.73479)])
def test_real_streams_as_in_moa(file, moa):
    run = prequential(from_file(data_file(file)), HoeffdingTree())
    assert abs(metrics.accuracy(run) - moa) < 0.005


def test_without_a_split_bayes_leaves_are_naive_bayes():
    X, y = mixed_rows(500)
    X[X[:, 2] == 3, 2] = 2
    tree = HoeffdingTree(grace_period=10**6, leaf="bayes").begin(4, [0, 1, 2])
    naive = NaiveBayes().begin(4, [0, 1, 2])
    np.testing.assert_allclose(tree.test_then_train(X, y)[10:], naive.test_then_train(X, y)[10:], atol=1e-9)


def test_majority_leaves_give_shares():
    tree = HoeffdingTree(leaf="majority").begin(1, ["a", "b"])
    for label in "aab":
        tree.learn_one([0.0], label)
    np.testing.assert_allclose(tree.predict_proba_one([5.0]), [2 / 3, 1 / 3])


def test_an_empty_branch_answers_as_its_parent():
    rng = np.random.default_rng(1)
    code = rng.integers(0, 2, 2000)
    X, y = np.column_stack([code, rng.random(2000)]), code
    tree = HoeffdingTree(leaf="majority").begin(2, [0, 1], n_categories=[3, 0])
    tree.test_then_train(X, y)
    assert tree.n_leaves_ == 3
    np.testing.assert_allclose(tree.predict_proba_block([[2.0, 0.5]]), [[0.5, 0.5]], atol=0.1)
    assert tree.predict_one([1.0, 0.5]) == 1


def test_missing_values_follow_the_usual_branch():
    rng = np.random.default_rng(1)
    X = rng.random((3000, 1))
    y = (X[:, 0] > 0.7).astype(int)
    tree = HoeffdingTree(leaf="majority").begin(1, [0, 1])
    tree.test_then_train(X, y)
    assert tree.n_leaves_ > 1
    assert tree.predict_one([np.nan]) == 0
    before = tree._kernel.arrays["weight"].sum()
    tree.learn_one([np.nan], 0)
    assert tree._kernel.arrays["weight"].sum() == before + 1


def test_memory_is_bounded_and_learning_goes_on():
    X, y = _spirals(60_000)
    most = 12_000
    small = HoeffdingTree(max_bytes=most, grace_period=50, tie=0.2).begin(8, [0, 1])
    seen = []
    for start in range(0, len(X), 5000):
        small.test_then_train(X[start : start + 5000], y[start : start + 5000])
        seen.append(small.n_bytes_)
    assert max(seen) <= most
    assert seen[-1] == seen[-3]
    assert small._kernel.arrays["size"][INACTIVE_LEAVES] > 0, "every leaf is active"
    large = HoeffdingTree(grace_period=50, tie=0.2).begin(8, [0, 1])
    large.test_then_train(X, y)
    assert large.n_bytes_ > 3 * most
    accuracy = [
        np.mean(tree.predict_proba_block(X[-5000:]).argmax(axis=1) == y[-5000:]) for tree in (small, large)
    ]
    assert accuracy[1] - 0.15 < accuracy[0] <= accuracy[1] + 0.02


def test_a_bounded_tree_carries_on_after_saving():
    X, y = _spirals(20_000)
    tree = HoeffdingTree(max_bytes=8000, grace_period=50, tie=0.2).begin(8, [0, 1])
    tree.test_then_train(X[:10_000], y[:10_000])
    other = HoeffdingTree().restore(tree.state())
    rest = X[10_000:], y[10_000:]
    assert np.array_equal(other.test_then_train(*rest), tree.test_then_train(*rest))


def test_random_inputs_differ_by_seed_and_leaf():
    X, y = mixed_rows(8000)
    trees = [begun(X, max_features=2, random_state=seed, **QUICK) for seed in (1, 1, 2)]
    one, same, other = (tree.test_then_train(X, y) for tree in trees)
    assert np.array_equal(one, same) and not np.array_equal(one, other)
    picked = trees[0]._kernel.arrays["picked"][: trees[0].n_nodes_, 1:]
    assert len(np.unique(picked, axis=0)) > 1
    whole = begun(X, **QUICK).test_then_train(X, y)
    assert np.array_equal(begun(X, max_features=4, **QUICK).test_then_train(X, y), whole)


def test_new_categories_may_come_later():
    rng = np.random.default_rng(3)
    code = np.minimum(rng.integers(0, 2 + np.arange(4000) // 500), 9)
    y = code % 2
    tree = HoeffdingTree(categorical=[0], grace_period=10**6).begin(1, [0, 1])
    p = tree.test_then_train(code[:, None].astype(float), y)
    assert np.mean(p.argmax(axis=1)[500:] == y[500:]) > 0.95


def test_the_tree_is_told_in_rules():
    X = np.random.default_rng(1).random((3000, 2))
    tree = HoeffdingTree(leaf="majority").begin(2, ["no", "yes"], names=["a", "b"])
    tree.test_then_train(X, np.where(X[:, 0] > 0.5, "yes", "no"))
    lines = tree.describe().splitlines()
    assert lines[0].startswith("a ≤ 0.46") and lines[0].endswith("no (100% of 1387)")
    assert sum("yes" in line or "no (" in line for line in lines) == tree.n_leaves_
    assert tree.n_nodes_ == 2 * tree.n_leaves_ - 1


def test_the_tree_is_drawn():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    X, y = mixed_rows(4000)
    tree = begun(X, **QUICK)
    tree.test_then_train(X, y)
    axes = tree.plot_tree()
    assert len(axes.texts) == tree.n_nodes_ and len(axes.lines) == tree.n_nodes_ - 1
    matplotlib.pyplot.close(axes.figure)


@pytest.mark.parametrize("settings", [
    {"criterion": "entropy"}, {"leaf": "nb"}, {"delta": 2}, {"grace_period": -1}, {"max_features": 0},
    {"max_features": "all"}, {"max_bytes": 100}, {"categorical": [7]},
])
def test_bad_settings_are_refused(settings):
    with pytest.raises(ValueError, match=f"HoeffdingTree: .*{next(iter(settings))}"):
        HoeffdingTree(**settings).begin(2, [0, 1])


def _spirals(n):
    # Two classes that no small tree separates; only two of the inputs matter.
    rng = np.random.default_rng(9)
    X = rng.uniform(-1, 1, (n, 8))
    turn = np.arctan2(X[:, 1], X[:, 0]) + 6 * np.hypot(X[:, 0], X[:, 1])
    return X, (np.sin(turn) > 0).astype(int)


def test_a_tree_without_rows_cannot_be_shown():
    with pytest.raises(NotFittedError, match="HoeffdingTree"):
        HoeffdingTree().describe()
