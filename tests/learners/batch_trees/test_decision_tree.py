"""Batch trees split where scikit-learn and the twin do, and learn from the window they say."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier
from twins.learners.batch_trees import decision_tree as twin

from thalweg.learners import DecisionStump, DecisionTree
from thalweg.learners.batch_trees._native import grow as batch_tree
from thalweg.learners.batch_trees._native.sorted_rows import SortedRows
from thalweg.learners.batch_trees.decision_tree import CRITERIA

LARGEST_FALL = [name for name in CRITERIA if name != "gain_ratio"]  # which test_c44.py looks at


def rows(n=300, d=4, n_classes=3, seed=0, values="continuous"):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) if values == "continuous" else rng.integers(0, 6, (n, d)).astype(float)
    X = X.astype(np.float32).astype(float)  # scikit-learn sees single precision
    signal = X[:, 0] + X[:, 1] ** 2
    y = np.digitize(signal, np.quantile(signal, np.arange(1, n_classes) / n_classes)).astype(np.intp)
    noisy = rng.random(n) < 0.2
    y[noisy] = rng.integers(0, n_classes, noisy.sum())
    return X, y, rng.random(n) + 0.5


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("values", ["continuous", "discrete"])
@pytest.mark.parametrize("weights", ["equal", "unequal"])
@pytest.mark.parametrize("max_leaves", [2, 8, 30, None])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_splits_are_those_of_scikit_learn(criterion, values, weights, max_leaves, n_classes):
    X, y, w = rows(values=values, n_classes=n_classes)
    w = np.ones_like(w) if weights == "equal" else w
    ours = DecisionTree(max_leaves, criterion, laplace=0.0).fit(X, y, w).nodes_
    model = DecisionTreeClassifier(criterion=criterion, max_leaf_nodes=max_leaves, random_state=1)
    theirs = model.fit(X, y, sample_weight=w).tree_
    n_same = compare(ours, theirs, X, y, w, criterion, whole=max_leaves is None)
    assert n_same >= min(7 if n_classes == 3 else 4, len(theirs.feature) // 2)


def compare(ours, theirs, X, y, w, criterion, whole):
    """Walk both trees from the root; return how many splits are the same. Others must gain the same."""
    todo, n_same = [(0, 0, np.ones(len(X), dtype=bool))], 0
    while todo:
        one, other, here = todo.pop()
        value = theirs.value[other][0] * theirs.weighted_n_node_samples[other]
        np.testing.assert_allclose(ours["weights"][one], value, rtol=1e-9, atol=1e-9)
        j, their_j = ours["feature"][one], theirs.feature[other]
        if j < 0 or their_j < 0:
            # Rounding makes scikit-learn split pure nodes of unequal weights further.
            done = (ours["weights"][one] > 0).sum() == 1 or len(np.unique(X[here], axis=0)) == 1
            assert not whole or (j < 0 and done)
            continue
        left = X[:, j] <= ours["threshold"][one]
        their_left = X[:, their_j] <= theirs.threshold[other]
        if j == their_j and ours["threshold"][one] == theirs.threshold[other]:
            n_same += 1
            todo.append((ours["left"][one], theirs.children_left[other], here & left))
            todo.append((ours["right"][one], theirs.children_right[other], here & ~left))
            continue
        n_classes = ours["weights"].shape[1]
        gains = [twin.gain(y[here], w[here], side[here], n_classes, criterion) for side in (left, their_left)]
        assert gains[0] == pytest.approx(gains[1], rel=1e-9), f"a worse split than scikit-learn's: {gains}"
        assert j <= their_j, "of equal splits the first input is taken"
    return n_same


@pytest.mark.parametrize("criterion", LARGEST_FALL)
@pytest.mark.parametrize("kind", ["numeric", "missing", "categorical", "both"])
@pytest.mark.parametrize("n_classes, seed", [(2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (7, 0)])
def test_every_split_gains_the_most(criterion, kind, n_classes, seed):
    values = "discrete" if kind in ("categorical", "both") else "continuous"
    X, y, w = rows(120, 3, n_classes, seed, values)
    n_categories = [6, 0, 6] if kind in ("categorical", "both") else [0, 0, 0]
    if kind in ("missing", "both"):
        X[np.random.default_rng(seed).random(X.shape) < 0.2] = np.nan
    tree = DecisionTree(10, criterion, laplace=0.0)
    tree.begin(3, range(n_classes), n_categories=n_categories)
    tree.test_then_train(X, y, sample_weight=w)
    tree._kernel.flush()
    todo, n_splits = [(0, np.ones(len(X), dtype=bool))], 0
    while todo:
        node, here = todo.pop()
        expected = twin.class_weights(y[here], w[here], n_classes)
        np.testing.assert_allclose(tree.nodes_["weights"][node], expected)
        if tree.nodes_["feature"][node] < 0:
            continue
        left = goes_left(tree.nodes_, node, X, n_categories)
        best = twin.best_gain(X[here], y[here], w[here], n_classes, criterion, n_categories)
        found = twin.gain(y[here], w[here], left[here], n_classes, criterion)
        assert found == pytest.approx(best, rel=1e-9, abs=1e-9)
        todo += [(tree.nodes_["left"][node], here & left), (tree.nodes_["right"][node], here & ~left)]
        n_splits += 1
    assert n_splits == 9


def goes_left(nodes, node, X, n_categories):
    column, threshold = X[:, nodes["feature"][node]], nodes["threshold"][node]
    left = column == threshold if n_categories[nodes["feature"][node]] else column <= threshold
    return np.where(np.isnan(column), nodes["missing"][node] == nodes["left"][node], left)


def test_the_leaf_that_gains_most_is_split_next():
    X, y, w = rows()
    bigger = DecisionTree(9).fit(X, y, w).nodes_
    for max_leaves in (2, 5, 8):
        smaller = DecisionTree(max_leaves).fit(X, y, w).nodes_
        n = 2 * max_leaves - 1
        assert len(smaller["feature"]) == n
        np.testing.assert_array_equal(smaller["weights"], bigger["weights"][:n])


def test_leaves_are_smoothed():
    X, y, w = [[1.0], [2.0], [2.5], [4.0], [5.0]], [0, 0, 0, 1, 1], [1, 1, 2, 1, 0.5]
    stump = DecisionStump(laplace=1.0).fit(X, y, w)
    assert float(stump.nodes_["threshold"][0]) == 3.25
    np.testing.assert_allclose(stump.predict_proba([[0.0], [9.0]]), [[5 / 6, 1 / 6], [1 / 3.5, 2.5 / 3.5]])
    raw = DecisionStump(laplace=0.0).fit([[1.0], [2.0]], ["a", "b"])
    np.testing.assert_array_equal(raw.predict_proba([[1.0], [2.0]]), np.eye(2))


def test_missing_values_go_where_they_help_and_else_to_the_heavier_side():
    X = np.array([[1.0], [2.0], [np.nan], [np.nan], [5.0], [6.0], [7.0], [8.0]])
    y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    seen = DecisionStump(laplace=0.0).fit(X, y)
    np.testing.assert_array_equal(seen.predict_proba([[np.nan]]), [[1.0, 0.0]])
    alone = DecisionStump(laplace=0.0).fit(np.where(np.isnan(X), np.nan, 3.0), y)
    assert alone.nodes_["threshold"][0] == np.inf
    np.testing.assert_array_equal(alone.predict_proba([[np.nan]]), [[1.0, 0.0]])
    unseen = DecisionStump(laplace=0.0).fit(X[[0, 4, 5, 6]], y[[0, 4, 5, 6]])
    np.testing.assert_array_equal(unseen.predict_proba([[np.nan]]), [[0.0, 1.0]])


def test_values_are_told_apart_to_the_last_bit():
    rng = np.random.default_rng(2)
    column = 1e6 + rng.integers(0, 500, 400) * 2.0**-30
    column[:4] = -1.0, -2.0, 1e300, -1e300
    y = (column > np.median(column)).astype(np.intp)
    stump = DecisionStump(laplace=0.0).fit(column[:, None], y)
    np.testing.assert_array_equal(stump.predict(column[:, None]), y)


def test_rows_sorted_once_serve_many_trees_and_weight_zero_is_no_row():
    X, y, w = rows()
    w[::3] = 0.0
    sorted_rows = SortedRows(8, 4, 3)
    sorted_rows.load(X)
    for weights in (w, np.ones_like(w), w[::-1].copy()):
        tree, alone = (batch_tree.BatchTree(4, 3, np.zeros(4, int), 12, 0, 1.0) for _ in range(2))
        tree.grow(sorted_rows, y, weights)
        kept = weights > 0
        alone.fit(X[kept], y[kept], weights[kept])
        p, q = np.empty((300, 3)), np.empty((300, 3))
        tree.predict(X, p)
        alone.predict(X, q)
        np.testing.assert_array_equal(p, q)
        assert tree.arrays["n_nodes"][0] == 23


@pytest.mark.parametrize("criterion", [0, 1, 2])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_trees_on_few_rows_are_those_on_many(criterion, n_classes):
    # Up to 1,024 rows are searched and parted many at a time where the machine can do so.
    rng = np.random.default_rng(criterion)
    X = rng.normal(size=(700, 6))
    X[:, 5] = X[:, 5].round(1)
    y = (X[:, :2].sum(axis=1) + rng.normal(size=700) > 0).astype(np.intp) + (n_classes - 2) * (X[:, 2] > 1)
    settings = 6, n_classes, np.zeros(6, int), 10**6, criterion, 1.0
    few, many = batch_tree.BatchTree(*settings), batch_tree.BatchTree(*settings)
    few.fit(X, y, np.ones(700))
    many.fit(np.pad(X, [(0, 400), (0, 0)]), np.pad(y, (0, 400)), np.pad(np.ones(700), (0, 400)))
    one, other = few.nodes(), many.nodes()
    assert len(one["feature"]) > 100
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def test_a_stream_is_learned_from_its_window():
    X, y, _ = rows(1000)
    tree = DecisionTree(8, window=300, period=50).begin(4, [0, 1, 2])
    p = tree.test_then_train(X, y)
    for n in (2, 32, 50, 300, 650):
        expected = DecisionTree(8, window=300).begin(4, [0, 1, 2])
        expected.test_then_train(X[max(0, n - 300) : n], y[max(0, n - 300) : n])
        expected._kernel.flush()
        np.testing.assert_allclose(p[n], expected.predict_proba_block(X[n : n + 1])[0])


def test_bad_parameters_are_refused():
    for parameters, message in [
        ({"criterion": "luck"}, "criterion must be one of"),
        ({"max_leaves": 0}, "max_leaves must be a whole number of at least 1"),
        ({"laplace": -1.0}, "laplace must be a number at least 0"),
        ({"window": 0}, "window must be a whole number of at least 1"),
        ({"categorical": [7]}, "categorical must be positions among the 2 inputs"),
    ]:
        with pytest.raises(ValueError, match=f"DecisionTree: {message}"):
            DecisionTree(**parameters).begin(2, [0, 1])


@pytest.mark.parametrize("criterion", LARGEST_FALL)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_of_any_size_and_odd_values_split_well(criterion, n_classes):
    rng = np.random.default_rng(5)
    for _ in range(100):
        n, d = rng.integers(2, 30), 2
        X = rng.choice([0.0, -0.0, 1.0, np.nan, 1e300, -1e300, 1 + 1e-15], size=(n, d))
        y, w = rng.integers(0, n_classes, n).astype(np.intp), rng.choice([1e-6, 0.3, 1.0, 1e6], size=n)
        tree = batch_tree.BatchTree(d, n_classes, np.zeros(d, int), 2, CRITERIA[criterion], 1.0)
        tree.fit(X, y, w)
        best = twin.best_gain(X, y, w, n_classes, criterion)
        if tree.arrays["feature"][0] < 0:
            assert best is None or len(set(y)) == 1
            continue
        nodes = {"left": tree.arrays["child"], **tree.arrays}
        left = goes_left(nodes, 0, X, [0, 0]).astype(bool)
        assert twin.gain(y, w, left, n_classes, criterion) >= best - 1e-9 * w.sum()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("laplace", [0.0, 1.0])
def test_a_stump_answers_by_the_distance_from_its_split_as_its_twin(n_classes, laplace):
    X, y, w = rows(n_classes=n_classes)
    w[::5] = 0.0
    stump = DecisionStump(laplace=laplace, by_distance=True).fit(X, y, w)
    near = np.vstack([X, 3 * X, np.full((1, 4), np.nan)])
    expected = twin.distance_probabilities(stump.nodes_, X, w, near, laplace)
    np.testing.assert_allclose(stump.predict_proba(near), expected, rtol=0, atol=1e-12)
    assert np.array_equal(stump.nodes_["weights"], DecisionStump().fit(X, y, w).nodes_["weights"])


def test_a_stump_by_distance_is_sure_far_from_its_split_and_unsure_at_it():
    stump = DecisionStump(by_distance=True).fit([[1.0], [2.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    p = stump.predict_proba([[1.0], [2.0], [3.0], [5.0], [9.0]])[:, 0]
    np.testing.assert_allclose(p, [0.75, 0.625, 0.5, 0.25, 0.25], atol=1e-12)
    constant = DecisionStump(by_distance=True).fit([[1.0], [1.0]], ["a", "b"])
    np.testing.assert_allclose(constant.predict_proba([[1.0]]), [[0.5, 0.5]])


def test_by_distance_must_be_true_or_false():
    with pytest.raises(ValueError, match="by_distance must be True or False"):
        DecisionStump(by_distance="yes").begin(2, [0, 1])
