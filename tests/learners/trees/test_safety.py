"""Trees that are interrupted, run out of memory, are asked by many threads, or meet extreme numbers."""

import sys
import threading
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from support.tree_rows import KINDS, busy_tree, growing_rows

from thalweg._native import layout
from thalweg.checks.faults import SECONDS, can_interrupt, interrupted
from thalweg.checks.rows import assert_proper
from thalweg.checks.running import assert_same
from thalweg.learners import HoeffdingAdaptiveTree, HoeffdingOptionTree, HoeffdingTree
from thalweg.learners.trees._native import upkeep as tree_upkeep
from thalweg.learners.trees._native.codes import (
    MORE_CATEGORIES,
    MORE_NODES,
    MORE_SLOTS,
    MORE_WINDOWS,
    RANK,
    SWEEP,
)
from thalweg.streams import RandomRBF

CHANGES = {
    HoeffdingTree: {MORE_NODES, MORE_SLOTS, MORE_CATEGORIES, RANK},
    HoeffdingAdaptiveTree: {MORE_NODES, MORE_SLOTS, MORE_WINDOWS, MORE_CATEGORIES, SWEEP},
}


@pytest.mark.skipif(not can_interrupt(), reason="this system has no timers that send signals")
@pytest.mark.parametrize("tree", [
    HoeffdingTree(), HoeffdingAdaptiveTree(grace_period=50, tie=0.2), HoeffdingOptionTree(),
], ids=lambda tree: type(tree).__name__)
def test_an_interrupted_run_that_goes_on_is_an_uninterrupted_one(tree):
    X, y = next(RandomRBF(seed=1).blocks(400_000 if type(tree) is HoeffdingTree else 120_000))
    whole = clone(tree).begin(X.shape[1], [0, 1])
    p = whole.test_then_train(X, y)
    rng, n_interrupted = np.random.default_rng(1), 0
    for _ in range(5):
        other = clone(tree).begin(X.shape[1], [0, 1])
        late = interrupted(partial(other.test_then_train, X, y), rng.uniform(0.005, 0.08))
        if late is not None:
            n_learned = getattr(late[0], "rows_learned", 0)  # 0 while the rows were being checked
            assert late[1] < SECONDS
            n_interrupted += 1
            np.testing.assert_array_equal(other.test_then_train(X[n_learned:], y[n_learned:]), p[n_learned:])
            assert_same(other.state(), whole.state(), f"interrupted after row {n_learned}: state")
    assert n_interrupted > 0


class Raised:
    """Makes the k-th array that kernels make raise an error, once."""

    def __init__(self, monkeypatch, k, error):
        self.k, self.error, self.n_calls = k, error, 0
        self.original = layout.new_array
        monkeypatch.setattr(layout, "new_array", self.new_array)

    def new_array(self, *arguments):
        self.n_calls += 1
        if self.n_calls == self.k:
            raise self.error("as a test asked for")
        return self.original(*arguments)


@pytest.fixture
def n_arrays(monkeypatch):
    """Return a function that counts the arrays a run makes, and asserts that it changes them in all ways."""

    def count(kind, X, y):
        seen, changed = set(), tree_upkeep.changed
        with monkeypatch.context() as patch:
            patch.setattr(tree_upkeep, "changed",
                          lambda a, b, what, *numbers: seen.add(what) or changed(a, b, what, *numbers))
            tree = busy_tree(kind)
            counter = Raised(patch, -1, MemoryError)
            p = tree.test_then_train(X, y)
        assert seen >= CHANGES.get(kind, CHANGES[HoeffdingTree])
        return counter.n_calls, p, tree

    return count


@pytest.mark.parametrize("kind", KINDS)
def test_an_interrupt_while_arrays_change_loses_nothing(kind, monkeypatch, n_arrays):
    X, y = growing_rows(1500)
    n, p, whole = n_arrays(kind, X, y)
    for k in np.linspace(1, n, 40).astype(int):
        tree = busy_tree(kind)
        with monkeypatch.context() as patch:
            Raised(patch, k, KeyboardInterrupt)
            with pytest.raises(KeyboardInterrupt) as caught:
                tree.test_then_train(X, y)
        i = caught.value.rows_learned
        assert 0 < i <= len(X)
        np.testing.assert_array_equal(tree.test_then_train(X[i:], y[i:]), p[i:])
        assert_same(tree.state(), whole.state(), f"interrupted at array {k}: state")


@pytest.mark.parametrize("kind", KINDS)
def test_without_memory_a_tree_goes_on_as_it_is(kind, monkeypatch, n_arrays):
    X, y = growing_rows(1500)
    n = n_arrays(kind, X, y)[0]
    for k in np.linspace(1, n, 40).astype(int):
        tree = busy_tree(kind)
        with monkeypatch.context() as patch:
            Raised(patch, k, MemoryError)
            with pytest.raises(MemoryError) as caught:
                tree.test_then_train(X, y)
        i = caught.value.rows_learned
        same = kind().restore(tree.state())
        rest = X[i:], y[i:]
        np.testing.assert_array_equal(same.test_then_train(*rest), assert_and_return(tree, *rest))
        kind().restore(tree.state())


def assert_and_return(tree, X, y):
    p = tree.test_then_train(X, y)
    if len(X):
        assert_proper(p)
    return p


@pytest.mark.parametrize("kind", KINDS)
def test_without_any_memory_every_row_is_still_counted(kind, monkeypatch):
    X, y = growing_rows(400)
    tree = busy_tree(kind, **({"bootstrap": False} if kind is HoeffdingAdaptiveTree else {}))
    tree.restore(tree.state())  # without memory in reserve
    with monkeypatch.context() as patch:
        patch.setattr(layout, "new_array", no_memory)
        i = n_errors = 0
        while i < len(X):
            try:
                i += len(tree.test_then_train(X[i:], y[i:]))
            except MemoryError as error:
                i += error.rows_learned
                n_errors += 1
    assert n_errors > 10
    assert tree._kernel.arrays["weight"][0].sum() == len(X)
    assert tree.n_nodes_ == 1


def no_memory(*_arguments):
    raise MemoryError


def test_threads_that_ask_a_tree_of_many_classes_get_the_right_answers():
    X, y = next(RandomRBF(seed=1, n_classes=70, n_centroids=140).blocks(20_000))
    tree = HoeffdingOptionTree(grace_period=100, tie=0.5).begin(X.shape[1], range(70))
    tree.test_then_train(X, y)
    probes = [X[:300], X[300:600]]
    expected = [tree.predict_proba_block(probe) for probe in probes]
    wrong = []

    def ask(probe, p):
        for _ in range(40):
            if not np.array_equal(tree.predict_proba_block(probe), p):
                wrong.append(probe)

    threads = [threading.Thread(target=ask, args=each) for each in zip(probes, expected, strict=True)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert not wrong


@pytest.mark.parametrize("leaf", ["majority", "bayes", "adaptive"])
@pytest.mark.parametrize("kind", KINDS)
def test_extreme_numbers_stay_proper(kind, leaf):
    rng = np.random.default_rng(1)
    X, y = growing_rows(400)
    largest = np.finfo(float).max
    kinds = [
        np.where(X > 0.5, largest, -largest),
        np.sign(X - 0.5) * 10.0 ** rng.uniform(-300, 300, X.shape),
        X * 10.0 ** np.array([-300, 0, 150, 0, -310]),
        np.where(rng.random(X.shape) < 0.02, largest, X),
    ]
    weights = [np.ones(len(X)), np.full(len(X), 1e100), 10.0 ** rng.uniform(-320, 100, len(X))]
    for values in kinds:
        for w, grace in zip(weights, (20.0, 1e101, 1e-300), strict=True):
            tree = busy_tree(kind, leaf=leaf, grace_period=grace)
            assert_proper(tree.test_then_train(values, y, sample_weight=w))
            assert_proper(kind().restore(tree.state()).predict_proba_block(X))


@pytest.mark.parametrize("grows", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_tree_that_starts_again_is_one_that_begins(kind, grows):
    X, y = growing_rows(1000 if grows else 150)
    X[:, 1] *= grows
    tree = busy_tree(kind, delta=1e-7)
    beginning, p = tree._kernel.beginning(), busy_tree(kind, delta=1e-7).test_then_train(X, y)
    n_bytes = sum(array.nbytes for array in beginning.values())
    for _ in range(3):
        tree._start_again(beginning, random_state=1)
        assert tree._kernel.bytes == n_bytes
        np.testing.assert_array_equal(tree.test_then_train(X, y), p)
        assert (tree._kernel.bytes > n_bytes) == grows and tree.n_nodes_ > 1


@pytest.mark.parametrize("kind", KINDS)
def test_trees_that_start_again_look_at_inputs_by_their_seed(kind):
    X, y = growing_rows(1000)
    tree = busy_tree(kind, max_features=2)
    pristine, p = tree._kernel.beginning(), []
    for seed in (1, 1, 2):
        tree._start_again(pristine, random_state=seed)
        p.append(tree.test_then_train(X, y))
    assert np.array_equal(p[0], p[1]) and not np.array_equal(p[0], p[2])
