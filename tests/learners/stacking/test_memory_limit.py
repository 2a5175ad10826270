"""AdaptiveStacking keeps within `max_bytes`, whatever comes, and however it is cut or saved."""

import csv
import tracemalloc

import numpy as np
import pytest
from support.tree_rows import KINDS, N_CATEGORIES, growing_rows

from thalweg.checks import learner as learner_checks
from thalweg.checks.running import assert_same
from thalweg.checks.safety import SAFETY_CHECKS
from thalweg.commands.run_results import memory_lines
from thalweg.errors import ParameterError, StateError
from thalweg.evaluation import prequential
from thalweg.learners import (
    BOLE,
    AdaptiveRandomForest,
    AdaptiveStacking,
    DecisionStump,
    FastLightClassifier,
    HoeffdingAdaptiveTree,
    HoeffdingTree,
    LastLabels,
    LeveragingBagging,
    LinearLogistic,
    MajorityClass,
    NaiveBayes,
    NearestNeighbours,
    NeighbourMixture,
    StreamingRandomPatches,
)
from thalweg.streams import SEA, from_arrays, from_file

CAP = 6_000_000
QUICK = {"grace_period": 20, "tie": 0.5}


def members():
    """A small one of each kind that the default has and that grows."""
    tree = HoeffdingTree(max_features=0.6, **QUICK)
    return [
        LastLabels(AdaptiveRandomForest(tree, n_members=2)),
        LastLabels(BOLE(n_members=2)),
        StreamingRandomPatches(n_members=2),
        LeveragingBagging(HoeffdingTree(**QUICK), n_members=2),
        HoeffdingAdaptiveTree(watch_delta=0.1, **QUICK),
        NaiveBayes(),
    ]


def shop_rows(n=1200, n_stores=200, n_numbers=30, seed=1):
    """A category of many values and numbers, three classes, a rule that changes halfway."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, n_stores, n), rng.normal(size=(n, n_numbers))])
    score = (X[:, 0] % 5 - 2) + 2 * X[:, 1] * np.where(np.arange(n) < n // 2, 1, -1) + X[:, 2] * X[:, 3]
    n_categories = np.zeros(1 + n_numbers, dtype=int)
    n_categories[0] = n_stores
    return X, np.digitize(score, [-1, 1]), n_categories


def begun(max_bytes=CAP, **parameters):
    return AdaptiveStacking(members(), max_bytes=max_bytes, **parameters).begin(
        31, [0, 1, 2], n_categories=shop_rows(n=1)[2]
    )


def trees_of(learner):
    """All trees inside a learner."""
    if isinstance(learner, HoeffdingTree | HoeffdingAdaptiveTree):
        return [learner]
    kernel = getattr(learner, "_kernel", None)
    inside = getattr(kernel, "members", None) or [getattr(kernel, "member", None)]
    return [tree for member in inside if member is not None for tree in trees_of(member)]


def test_a_bounded_stack_never_takes_more_than_its_bytes():
    X, y, _ = shop_rows()
    learner, free = begun(), begun(None)
    free.test_then_train(X, y)
    assert free.n_bytes_ > 1.5 * CAP  # or there would be nothing to bound
    for start in range(0, len(X), 50):
        learner.test_then_train(X[start : start + 50], y[start : start + 50])
        assert learner.n_bytes_ <= CAP
    for tree in trees_of(learner):
        assert tree.n_bytes_ <= tree._most_bytes


def test_all_memory_of_a_bounded_stack_is_counted():
    X, y, _ = shop_rows()
    begun().test_then_train(X[:300], y[:300])  # imports what it needs
    tracemalloc.start()
    learner = begun()
    learner.test_then_train(X, y)
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert size <= CAP + 600_000  # Python's objects


def test_blocks_states_and_threads_change_nothing_at_the_bound():
    X, y, _ = shop_rows()
    whole = begun().test_then_train(X, y)
    cut, threads = begun(), begun(n_jobs=2)
    parts = []
    for start, stop in ((0, 1), (1, 317), (317, 700), (700, 701), (701, 1200)):
        parts.append(cut.test_then_train(X[start:stop], y[start:stop]))
        cut = AdaptiveStacking().restore(cut.state())
    assert np.array_equal(np.concatenate(parts), whole)
    assert np.array_equal(threads.test_then_train(X, y), whole)


def test_a_member_taken_out_of_a_stack_keeps_its_share():
    X, y, _ = shop_rows()
    stack = begun()
    stack.test_then_train(X[:800], y[:800])
    for member in stack.members_:
        p = member.copy().copy().test_then_train(X[800:], y[800:])
        assert np.array_equal(member.copy().test_then_train(X[800:], y[800:]), p)
    assert stack.n_bytes_ <= CAP


def test_a_bound_that_is_not_reached_changes_nothing():
    X, y, _ = shop_rows(300)
    assert np.array_equal(begun(10**9).test_then_train(X, y), begun(None).test_then_train(X, y))


@pytest.mark.parametrize("value", [0, -1, 1.5, "64MB", True, 100_000])
def test_a_bound_that_cannot_be_is_refused(value):
    with pytest.raises(ParameterError, match="max_bytes must be"):
        begun(value)


def test_no_copy_of_how_members_began_is_kept():
    stack = AdaptiveStacking(size="medium").begin(54, range(7))
    assert stack._own_bytes == stack._kernel.own_bytes


def test_default_members_without_room_are_left_out():
    wide = AdaptiveStacking(max_bytes=4_000_000).begin(2000, [0, 1])
    names = wide.member_names_
    assert {"NaiveBayes", "LinearLogistic", "LabelChain"} <= set(names)
    assert len(names) < 13 and names.count("MajorityClass") == 1
    X = np.random.default_rng(1).normal(size=(20, 2000))
    p = wide.test_then_train(X, (X[:, 0] > 0).astype(int))
    assert wide.n_bytes_ <= 8_000_000
    again = wide.copy()
    assert again.member_names_ == names
    assert np.isfinite(p).all() and np.array_equal(again.predict_proba(X), wide.predict_proba(X))
    with pytest.raises(ParameterError, match="20,000 inputs and 2 classes"):
        AdaptiveStacking(max_bytes=1_000_000).begin(20_000, [0, 1])


def test_members_that_become_too_large_give_way():
    """Each row brings new inputs: the window of the neighbours outgrows the bound, the others go on."""
    window = NeighbourMixture(windows=(10, 500))
    learner = AdaptiveStacking([window, NaiveBayes(), LinearLogistic(), HoeffdingTree()], max_bytes=1_600_000)
    rng, copy = np.random.default_rng(1), None
    for i in range(120):
        row = {f"x{j}": float(rng.normal()) for j in range(2 * i + 2)}
        label = "ab"[row["x0"] > 0] if i < 60 else "abcd"[int(rng.integers(4))]
        learner.learn_one(row, label)
        assert learner.n_bytes_ <= 1_600_000
        if copy is not None:
            copy.learn_one(row, label)
            assert copy.predict_proba_one(row) == learner.predict_proba_one(row)
        if i % 20 == 10:
            copy = learner.copy()
    kinds = [type(member) for member in learner.members_]
    assert kinds == [MajorityClass, NaiveBayes, LinearLogistic, HoeffdingTree]


def test_classes_that_come_later_share_the_same_bytes():
    X, y, n_categories = shop_rows(900)
    y = np.where(np.arange(900) < 300, y % 2, y + 7 * (np.arange(900) // 100 % 3))
    learner = AdaptiveStacking(members(), max_bytes=CAP).begin(31, n_categories=n_categories)
    other = AdaptiveStacking(members(), max_bytes=CAP).begin(31, n_categories=n_categories)
    for start in range(0, 900, 60):
        block = X[start : start + 60], y[start : start + 60]
        p = learner.test_then_train(*block)
        assert learner.n_bytes_ <= CAP
        assert np.array_equal(other.test_then_train(*block), p)
        other = other.copy()


@pytest.mark.parametrize("kind", KINDS)
def test_categories_that_come_later_are_within_the_bytes_of_a_tree(kind):
    X, y = growing_rows()
    X[:, 1] = np.where(X[:, 0] > 0.5, np.minimum(X[:, 1] * 20, 1000), X[:, 1])
    tree = kind(max_bytes=40_000, **QUICK).begin(5, [0, 1, 2], n_categories=N_CATEGORIES)
    for start in range(0, len(X), 250):
        block = X[start : start + 250], y[start : start + 250]
        other = tree.copy()
        p = tree.test_then_train(*block)
        assert tree.n_bytes_ <= 40_000
        assert np.array_equal(other.test_then_train(*block), p)


def test_a_split_without_memory_for_all_categories_takes_one_of_them():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 500, (4000, 1)).astype(float)
    tree = HoeffdingTree(max_bytes=60_000, **QUICK).begin(1, [0, 1], n_categories=[500])
    tree.test_then_train(X, (X[:, 0] < 250).astype(int))
    assert tree.n_nodes_ > 1 and tree.n_bytes_ <= 60_000


@pytest.mark.parametrize("damage", [{"dropped": [-1]}, {"retired": "x"}, {"width": -1}, {"retired": [0]}])
def test_a_state_that_says_something_else_of_its_members_is_refused(damage):
    state = begun().state()
    state["memory"] |= damage
    with pytest.raises(StateError):
        AdaptiveStacking().restore(state)
    with pytest.raises(StateError):
        AdaptiveStacking().restore(begun().state() | {"most_bytes": -1})


@pytest.mark.parametrize(
    "check",
    [
        learner_checks.blocks_change_nothing,
        learner_checks.copies_carry_on,
        learner_checks.classes_may_come_later,
        learner_checks.inputs_may_come_later,
        learner_checks.missing_values_are_allowed,
        learner_checks.bad_input_loses_nothing,
        learner_checks.extremes_stay_proper,
        *SAFETY_CHECKS,
    ],
    ids=lambda check: check.__name__,
)
def test_a_stack_at_its_bound_keeps_the_contract(check):
    tree = {"grace_period": 5, "delta": 0.5, "tie": 0.9}
    trees = [HoeffdingTree(**tree), HoeffdingAdaptiveTree(watch_delta=0.5, **tree)]
    check(AdaptiveStacking([*trees, NaiveBayes()], max_bytes=480_000))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("most", [100_000, 30_000, 4_000, 0])
def test_a_tree_is_cut_down_to_a_limit_or_starts_again(kind, most):
    X, y = growing_rows()
    tree = kind(max_bytes=10**6, **QUICK).begin(5, [0, 1, 2], n_categories=N_CATEGORIES)
    tree.test_then_train(X, y)
    n_nodes = tree.n_nodes_
    tree._limit_bytes(most)
    other = tree.copy()
    assert tree.n_bytes_ <= max(most, tree._kernel.least_bytes)
    assert tree.n_nodes_ in (1, n_nodes)
    assert np.array_equal(other.test_then_train(X, y), tree.test_then_train(X, y))
    assert tree.n_bytes_ <= max(most, tree._kernel.least_bytes)


def shop_file(path, n=1500):
    rng = np.random.default_rng(1)
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["store", "comment", "price", "label"])
        for _ in range(n):
            words = " ".join(f"word{int(j)}" for j in rng.integers(0, 300, 6))
            store, price = int(rng.integers(500)), rng.lognormal(3)
            out.writerow([f"s{store:03}", words, f"{price:.2f}", "abc"[(store + int(price > 20)) % 3]])
    return path


def test_a_file_of_categories_and_text_makes_a_model_of_tens_of_megabytes(tmp_path):
    stream = from_file(shop_file(tmp_path / "shop.csv"))
    learner = AdaptiveStacking()
    run = prequential(stream, learner)
    assert stream.n_features > 250 and max(stream.n_categories) > 450
    assert learner.n_bytes_ <= learner.max_bytes
    assert run.memory <= learner.max_bytes
    assert run.outgrows_data and run.summary()["data_bytes"] == run.data_bytes == 8 * 1500 * stream.n_features
    assert "the model takes" in memory_lines(run)[0] and "max_bytes" in memory_lines(run)[0]


def test_a_model_that_is_small_or_smaller_than_its_data_is_no_cause_for_a_warning():
    X = np.random.default_rng(1).normal(size=(300, 3))
    run = prequential(from_arrays(X, X[:, 0] > 0), HoeffdingTree())
    assert not run.outgrows_data and memory_lines(run) == []


def test_a_learner_that_goes_on_is_not_compared_with_its_latest_rows():
    learner = HoeffdingTree(grace_period=20)
    run = prequential(SEA(20_000, seed=1), learner)
    run.memory = 2_000_000
    assert run.outgrows_data
    more = prequential(SEA(100, seed=2), learner, resume=True)
    more.memory = 2_000_000
    assert not more.outgrows_data


def test_a_stack_in_a_stack_keeps_its_members_when_classes_come():
    inner = [NearestNeighbours(), DecisionStump(period=25, window=100)]
    outer = AdaptiveStacking([AdaptiveStacking(inner), FastLightClassifier(n_members=2)]).begin(4)
    X = np.random.default_rng(0).normal(size=(30, 4))
    for i, x in enumerate(X):
        outer.learn_one(x, f"label {i // 10}")
    found = [type(each) for each in outer.members_[0].members_]
    assert found == [NearestNeighbours, DecisionStump]
    assert_same(outer.copy().restore(outer.state()).state(), outer.state())
