"""C4.4: gain ratios, branches and least weights are those of Quinlan's tables and of the twin."""

import numpy as np
import pytest
from twins.learners.batch_trees import decision_tree as twin

from thalweg.checks.learner import CHECKS
from thalweg.checks.shapes import SHAPE_CHECKS
from thalweg.errors import StateError
from thalweg.learners import HUWRS, AccuracyWeightedEnsemble, DecisionTree, RobustEnsemble
from thalweg.learners.batch_trees._native.grow import CRITERIA, BatchTree

C44 = {"criterion": "gain_ratio", "multiway": True, "min_weight": 2.0}
# Quinlan's golf table: outlook (sunny, overcast, rain), temperature (hot, mild, cool), humidity (high,
# normal), windy; and the numbers of temperature and humidity in Weka's weather.numeric.
GOLF = np.array([
    [0, 0, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0], [2, 1, 0, 0], [2, 2, 1, 0], [2, 2, 1, 1], [1, 2, 1, 1],
    [0, 1, 0, 0], [0, 2, 1, 0], [2, 1, 1, 0], [0, 1, 1, 1], [1, 1, 0, 1], [1, 0, 1, 0], [2, 1, 0, 1],
], dtype=float)
PLAYS = np.array([0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0])
TEMPERATURE = [85, 80, 83, 70, 68, 65, 64, 72, 69, 75, 75, 72, 81, 71]
HUMIDITY = [85, 90, 86, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 91]


def bits(counts):
    """Return the entropy of counts in bits."""
    shares = np.asarray(counts) / np.sum(counts)
    return -sum(share * np.log2(share) for share in shares if share > 0)


def fitted(X, y, n_categories, w=None, n_classes=None, **settings):
    tree = DecisionTree(window=len(X), **settings)
    tree.begin(X.shape[1], range(n_classes or int(max(y)) + 1), n_categories=n_categories)
    tree._fit_block(np.ascontiguousarray(X), y.astype(np.intp), np.ones(len(X)) if w is None else w)
    return tree


def test_the_root_of_the_golf_table_is_outlook_at_a_ratio_of_0_156():
    nodes = fitted(GOLF, PLAYS, [3, 3, 2, 2], **C44).nodes_
    children = nodes["weights"][nodes["left"][0] : nodes["right"][0] + 1]
    np.testing.assert_array_equal(children, [[3, 2], [0, 4], [2, 3]])
    sizes = children.sum(axis=1)
    gain = bits([5, 9]) - sum(n * bits(part) for n, part in zip(sizes, children, strict=True)) / 14
    assert nodes["feature"][0] == 0
    assert (round(gain, 3), round(gain / bits(sizes), 3)) == (0.247, 0.156)


def test_the_gains_and_ratios_of_the_golf_table_are_quinlans():
    found = list(twin.Tree(2, "gain_ratio", [3, 3, 2, 2], multiway=True).candidates(GOLF, PLAYS, np.ones(14)))
    unit = 14 * np.log(2)
    gains = [each["gain"] / unit for each in found]
    np.testing.assert_allclose(gains, [0.246, 0.029, 0.151, 0.048], atol=1e-3)
    np.testing.assert_allclose([each["ratio"] for each in found], [0.156, 0.019, 0.152, 0.049], atol=6e-4)


def test_the_tree_of_the_numeric_weather_is_that_of_c45():
    X = np.column_stack([GOLF[:, 0], TEMPERATURE, HUMIDITY, GOLF[:, 3]])
    nodes = fitted(X, PLAYS, [3, 0, 0, 2], **C44).nodes_
    sunny, overcast, rain = range(nodes["left"][0], nodes["right"][0] + 1)
    assert nodes["feature"].tolist()[:4] == [0, 2, -1, 3]
    assert 75 <= nodes["threshold"][sunny] < 85
    np.testing.assert_array_equal(nodes["weights"][nodes["left"][sunny]], [0, 2])
    np.testing.assert_array_equal(nodes["weights"][nodes["right"][sunny]], [3, 0])
    np.testing.assert_array_equal(nodes["weights"][overcast], [0, 4])
    np.testing.assert_array_equal(nodes["weights"][nodes["left"][rain]], [0, 3])
    np.testing.assert_array_equal(nodes["weights"][nodes["right"][rain]], [2, 0])
    assert len(nodes["feature"]) == 8


def test_a_border_pays_for_its_choice():
    # Of 4 borders each gains at most 5 (H(2/5) - 4/5 H(1/4)) = 1.610 bits, and to name one costs log2 4 = 2.
    X = np.arange(5.0)[:, None]
    assert len(fitted(X, np.array([0, 1, 1, 0, 1]), [0], criterion="gain_ratio").nodes_["feature"]) == 1
    # Parted in one place, 5 H(2/5) = 4.855 bits.
    assert len(fitted(X, np.array([0, 0, 1, 1, 1]), [0], criterion="gain_ratio").nodes_["feature"]) == 3


def test_the_best_ratio_counts_only_from_the_mean_gain_on():
    # Input 0 parts one row off: 0.199 bits of gain in 0.544 of split; input 1 all: 0.954 in 3.
    X = np.column_stack([np.arange(8) == 0, np.arange(8)]).astype(float)
    y = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    rare, common = twin.Tree(2, "gain_ratio", [2, 8], multiway=True).candidates(X, y, np.ones(8))
    assert (round(rare["ratio"], 3), round(common["ratio"], 3)) == (0.366, 0.318)
    nodes = fitted(X, y, [2, 8], criterion="gain_ratio", multiway=True).nodes_
    assert nodes["feature"].tolist() == [1] + 8 * [-1]


def mixed_rows(n, n_categories, n_classes, seed, gaps, weights):
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, m, n) if m else rng.normal(size=n) for m in n_categories]
    X = np.column_stack(columns).astype(float)
    signal = X[:, -1] + (X[:, 0] % 3) + rng.normal(size=n)
    y = np.digitize(signal, np.quantile(signal, np.arange(1, n_classes) / n_classes)).astype(np.intp)
    if gaps:
        X[rng.random(X.shape) < 0.15] = np.nan
    w = {"equal": np.ones(n), "whole": rng.integers(0, 4, n) * 1.0, "unequal": rng.random(n) + 0.3}[weights]
    return X, y, w


@pytest.mark.parametrize("criterion", list(CRITERIA))
@pytest.mark.parametrize("multiway", [False, True])
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize(
    ("n", "n_categories", "n_classes", "weights", "max_leaves", "min_weight"),
    [
        (150, [0, 0, 0], 2, "equal", None, 0.0),
        (150, [3, 2, 0, 0], 2, "whole", None, 2.0),
        (120, [500, 5, 0], 3, "unequal", None, 0.0),
        (200, [4, 7, 2, 0], 12, "whole", 20, 1.5),
        (90, [0, 0], 2, "whole", 9, 3.0),
        (100, [9, 0, 0], 4, "unequal", None, 2.5),
        (700, [6, 0], 2, "equal", 40, 5.0),
    ],
)
def test_trees_are_those_of_the_twin(
    criterion, multiway, gaps, n, n_categories, n_classes, weights, max_leaves, min_weight
):
    X, y, w = mixed_rows(n, n_categories, n_classes, n, gaps, weights)
    settings = {"multiway": multiway, "min_weight": min_weight}
    kept = w > 0
    slow = twin.Tree(n_classes, criterion, n_categories, max_leaves or np.inf, **settings)
    slow.fit(X[kept], y[kept], w[kept])
    fast = fitted(X, y, n_categories, w, n_classes, max_leaves=max_leaves, criterion=criterion, **settings)
    assert len(fast.nodes_["feature"]) == len(slow.nodes)
    new = mixed_rows(300, n_categories, n_classes, 1000 + n, True, weights)[0]
    new[:20, 0] += 1000  # categories that no row had
    for rows in (X, new):
        np.testing.assert_allclose(fast.predict_proba_block(rows), slow.predict(rows), rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_of_any_size_and_odd_values_split_as_the_twin_does(n_classes):
    rng, n_splits = np.random.default_rng(5), 0
    for _ in range(200):
        n = rng.integers(2, 40)
        X = rng.choice([0.0, -0.0, 1.0, np.nan, 1e300, -1e300, 1 + 1e-15], size=(n, 3))
        X[:, 2] = rng.choice([0.0, 1.0, 2.0, np.nan, 1e6], size=n)
        y, w = rng.integers(0, n_classes, n).astype(np.intp), rng.choice([1e-3, 0.3, 1.0, 1e3], size=n)
        slow = twin.Tree(n_classes, "gain_ratio", [0, 0, 3], multiway=True).fit(X, y, w)
        fast = BatchTree(3, n_classes, np.array([0, 0, 3]), n, CRITERIA["gain_ratio"], 1.0, True)
        fast.fit(X, y, w)
        p = np.empty((n, n_classes))
        fast.predict(X, p)
        np.testing.assert_allclose(p, slow.predict(X), rtol=0, atol=1e-12)
        n_splits += len(slow.nodes) > 1
    assert n_splits > 50


@pytest.mark.parametrize("n_more", [400, 40_000])
def test_trees_on_few_rows_are_those_on_many(n_more):
    # Up to 1,024 rows are parted many at a time, and beyond 16,384 signals are looked for input by input.
    X, y, w = mixed_rows(700, [40, 0, 3, 0], 3, 2, True, "unequal")
    few, many = (BatchTree(4, 3, np.array([40, 0, 3, 0]), 10**6, 3, 1.0, True, 1.0) for _ in range(2))
    few.fit(X, y, w)
    many.fit(np.pad(X, [(0, n_more), (0, 0)]), np.pad(y, (0, n_more)), np.pad(w, (0, n_more)))
    one, other = few.nodes(), many.nodes()
    assert len(one["feature"]) > 100
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def test_many_rows_are_parted_as_few():
    X, y, _ = mixed_rows(20_000, [500, 0, 3], 3, 3, True, "equal")
    nodes = fitted(X, y, [500, 0, 3], **C44).nodes_
    first, last = nodes["left"][0], nodes["right"][0]
    assert len(nodes["feature"]) > 1000
    np.testing.assert_array_equal(nodes["weights"][first : last + 1].sum(axis=0), nodes["weights"][0])
    np.testing.assert_array_equal(nodes["weights"][nodes["feature"] < 0].sum(axis=0), np.bincount(y))


def test_a_branch_for_each_category_uses_the_input_up():
    X, y, w = mixed_rows(400, [5, 30, 4], 3, 0, True, "equal")
    nodes = fitted(X, y, [5, 30, 4], w, multiway=True).nodes_
    todo, n_splits = [(0, ())], 0
    while todo:
        node, used = todo.pop()
        j = nodes["feature"][node]
        if j >= 0:
            assert j not in used
            n_splits += 1
            todo += [(each, (*used, j)) for each in range(nodes["left"][node], nodes["right"][node] + 1)]
    assert n_splits > 10
    assert n_splits == (nodes["feature"] >= 0).sum()


def test_an_unknown_category_gets_what_the_node_knows_and_a_missing_one_a_branch_or_the_heaviest():
    X = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [3.0]])
    y = np.array([0, 0, 0, 1, 1, 1])
    tree = fitted(X, y, [4], multiway=True)
    answer = tree.predict_proba_block(np.array([[0.0], [1.0], [3.0], [2.0], [99.0], [np.nan]]))
    np.testing.assert_allclose(answer[:, 0], [4 / 5, 1 / 4, 1 / 3, 1 / 2, 1 / 2, 4 / 5])
    X[5] = np.nan
    met = fitted(X, y, [4], multiway=True).predict_proba_block(np.array([[np.nan], [3.0]]))
    np.testing.assert_allclose(met[:, 0], [1 / 3, 1 / 2])


@pytest.mark.parametrize("max_leaves", [1, 2, 3, 7, 40])
def test_branches_never_make_more_leaves_than_allowed(max_leaves):
    X, y, w = mixed_rows(300, [6, 3, 0], 2, 1, False, "unequal")
    nodes = fitted(X, y, [6, 3, 0], w, max_leaves=max_leaves, multiway=True).nodes_
    assert (nodes["feature"] < 0).sum() <= max_leaves


def test_importance_adds_up_over_all_branches():
    tree = fitted(GOLF, PLAYS, [3, 3, 2, 2], **C44)
    # Humidity parts the five sunny rows, wind the five rainy ones; outlook gains 14 x 0.247 bits.
    falls = np.array([14 * 0.24675, 0, 5 * 0.97095, 5 * 0.97095])
    np.testing.assert_allclose(tree.importance_, falls / falls.sum(), atol=1e-4)


def test_a_forest_on_subspaces_grows_the_same_trees():
    X, y, _ = mixed_rows(200, [5, 0, 500, 3, 0], 3, 4, True, "equal")
    n_categories = np.array([5, 0, 500, 3, 0])
    forest = HUWRS(DecisionTree(**C44), n_members=12, chunk_size=200)
    forest.begin(5, range(3), n_categories=n_categories)
    forest.test_then_train(X, y)
    for columns, tree in zip(forest.subspaces_, forest._kernel.members, strict=True):
        alone = BatchTree(len(columns), 3, n_categories[columns], 200, CRITERIA["gain_ratio"], 1.0, True, 2.0)
        alone.fit(np.ascontiguousarray(X[:, columns]), y, np.ones(200))
        p, q = np.empty((200, 3)), np.empty((200, 3))
        tree.predict(X, p)
        alone.predict(np.ascontiguousarray(X[:, columns]), q)
        np.testing.assert_array_equal(p, q)
    assert any(len(tree["feature"]) > 10 for tree in forest.trees_)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_c44_keeps_the_contract(check):
    check(DecisionTree(**C44))


MEMBER = DecisionTree(window=30, period=10, **C44)
SMALL = {
    "DecisionTree": MEMBER,
    "HUWRS": HUWRS(MEMBER, n_members=5, chunk_size=20),
    "RobustEnsemble": RobustEnsemble(MEMBER, n_members=3, chunk_size=20),
    "AccuracyWeightedEnsemble": AccuracyWeightedEnsemble(MEMBER, n_members=3, chunk_size=20),
}


@pytest.mark.parametrize("check", SHAPE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", SMALL)
def test_c44_is_loaded_at_every_shape(name, check):
    assert check(SMALL[name]) is None


@pytest.mark.parametrize(
    ("name", "place", "value", "message"),
    [
        ("threshold", 0, 0.0, "'threshold' is not the number"),
        ("threshold", 0, 2.5, "'threshold' is not the number"),
        ("threshold", 0, 1e9, "'threshold' is not the number"),
        ("child", 0, 0, "'child' leads to a node before its parent"),
        ("category", 2, 0.0, "'category' does not grow"),
        ("missing", 0, 0, "'missing' leads to a node that is not a child"),
    ],
)
def test_a_damaged_branch_is_refused(name, place, value, message):
    tree = fitted(GOLF, PLAYS, [3, 3, 2, 2], **C44)
    state = tree.state()
    tree.restore(state)
    state["memory"][name][place] = value
    with pytest.raises(StateError, match=message):
        tree.restore(state)


def test_memory_of_branches_is_bounded():
    rng = np.random.default_rng(0)
    tree = DecisionTree(window=200, period=50, **C44).begin(3, [0, 1], n_categories=[500, 2, 0])
    sizes = []
    for _ in range(30):
        X = np.column_stack([rng.integers(0, 2000, 100), rng.integers(0, 2, 100), rng.normal(size=100)])
        tree.test_then_train(X.astype(float), rng.integers(0, 2, 100))
        sizes.append(tree._kernel.bytes)
    assert max(sizes[10:]) == max(sizes[5:10])
    assert len(tree.nodes_["feature"]) < 400


def test_bad_parameters_are_refused():
    for parameters, message in [
        ({"multiway": 1}, "multiway must be True or False"),
        ({"min_weight": -1.0}, "min_weight must be a number at least 0"),
    ]:
        with pytest.raises(ValueError, match=f"DecisionTree: {message}"):
            DecisionTree(**parameters).begin(2, [0, 1])
