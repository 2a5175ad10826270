"""Ids of rows: what they may be, what a call that fails leaves, and which states are refused."""

import numpy as np
import pandas as pd
import pytest
from support.late_rows import stack

from thalweg.checks.running import assert_same
from thalweg.errors import StateError
from thalweg.learners import AdaptiveStacking, HoeffdingTree, LabelChain, LastLabels, NaiveBayes
from thalweg.learners.base import StreamClassifier
from thalweg.trust import PredictionSets

X, Y = np.random.default_rng(1).normal(size=(40, 3)), np.random.default_rng(2).integers(0, 3, 40)
LEARNERS = [LabelChain(), HoeffdingTree(), stack()]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize(
    ("ids", "what"),
    [
        ([1, 2], r"3 rows but ids of shape \(2,\)"),
        (5, r"ids of shape \(\)"),
        ([[1, 2, 3]], r"ids of shape \(1, 3\)"),
        ([1.0, 2.0, 3.0], "row 0: an id is a whole number .* got 1.0"),
        ([1, 2, "three"], "row 2: an id is a whole number .* got 'three'"),
        ([True, False, True], "an id is a whole number .* got True"),
        ([1, None, 3], "row 1: an id is a whole number .* got None"),
        ([1, 2, 2**63], "row 2: an id is a whole number .* got 9223372036854775808"),
        (np.array([1, 2**64 - 1, 3], dtype=np.uint64), "row 1: .* got 18446744073709551615"),
        ([-(2**63) - 1, 2, 3], "an id is a whole number .* got -9223372036854775809"),
        (np.array([1, 2, 3], dtype="datetime64[s]"), "an id is a whole number"),
    ],
    ids=str,
)
def test_ids_that_are_none_are_refused_and_change_nothing(learner, ids, what):
    learner = learner.copy().begin(3, range(3))
    learner.observe(X[:5], range(5))
    before = learner.state()
    for call in (
        lambda: learner.observe(X[:3], ids),
        lambda: learner.predict_then_observe(X[:3], ids=ids),
        lambda: learner.test_then_train(X[:3], Y[:3], ids=ids),
        lambda: learner.test_then_train_coded(X[:3], Y[:3], ids=ids),
    ):
        with pytest.raises(ValueError, match=f"{type(learner).__name__}: .*{what}"):
            call()
    assert_same(learner.state(), before)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize("id", [1.0, "1", True, 2**63, -(2**63) - 1, [1], np.float64(3)], ids=repr)
def test_an_id_of_one_row_is_a_whole_number(learner, id):
    learner = learner.copy().begin(3, range(3))
    for x in (X[0], X[0].tolist(), dict(enumerate(X[0]))):
        with pytest.raises(ValueError, match="an id is a whole number"):
            learner.learn_one(x, 0, id=id)


FORMS = {
    "a list": list,
    "a tuple": tuple,
    "an array": np.array,
    "a Series": pd.Series,
    "small integers": lambda ids: np.array(ids, dtype=np.int8),
    "objects": lambda ids: np.array(ids, dtype=object),
    "integers that may be missing": lambda ids: pd.Series(ids, dtype="Int64"),
    "a column": lambda ids: np.array([ids, ids]).T[:, 0],
    "a range": lambda ids: range(len(ids)),
}


@pytest.mark.parametrize("form", FORMS)
def test_whole_numbers_of_any_form_are_ids(form):
    learner, ids = LabelChain().begin(3, range(3)), FORMS[form]([7, -1, 0, 100])
    learner.observe(X[:4], ids)
    assert learner.n_waiting_ == 4
    ids = list(ids)
    learner.test_then_train(X[10:12], Y[:2], ids=np.array(ids[2:], dtype=np.uint8))
    assert learner.n_waiting_ == 2
    learner.learn_one(X[20], 0, id=np.int16(ids[0]))
    learner.learn_one(X[21].tolist(), 0, id=int(ids[1]))
    assert learner.n_waiting_ == 0


def test_empty_blocks_may_have_empty_ids():
    learner = LabelChain().begin(3, range(3))
    learner.observe(X[:0], [])
    learner.test_then_train(X[:0], Y[:0], ids=np.empty(0, dtype=np.uint64))
    assert learner.n_waiting_ == 0


def test_every_way_to_learn_takes_ids():
    learner = LabelChain(2).begin(3, range(3))
    learner.predict_then_observe(X, ids=np.arange(40))
    learner.learn_one(X[0], 0, id=39)
    learner.test_then_train_coded(X[:2], [0, 1], tested=[True, False], ids=[38, 37])
    learner.test_then_train_coded(X[:2], [0, 1], sample_weight=[1.0, 0.0], ids=[36, 35])
    assert learner.n_waiting_ == 36


def test_an_open_learner_finds_rows_by_ids_when_their_class_is_new():
    learner = LabelChain().begin(3)
    learner.test_then_train(X[:4], ["a", "b", "a", "b"])
    learner.observe(X[4:6], [1, 2])
    learner.test_then_train(X[6:8], ["a", "a"])
    learner.test_then_train(X[4:6], ["c", "c"], ids=[1, 2])
    counts = learner._kernel.arrays["counts"]
    assert learner.n_waiting_ == 0
    assert counts[1 + 1, 2] > 1.9 and counts[1 + 0, 2] == 0  # both came when b was the latest label


class Failing(StreamClassifier):
    """Fails at a given call of `_learn` or of `_observe`."""

    def __init__(self, learn_at=0, observe_at=0):
        self.learn_at = learn_at
        self.observe_at = observe_at

    def _begin(self, n_features, n_classes):
        self.n = {"learn": 0, "observe": 0}

    def _count(self, what, most):
        self.n[what] += 1
        if self.n[what] == most:
            raise KeyboardInterrupt

    def _learn(self, X, y, w, p):
        p[:] = 1 / p.shape[1]
        self._count("learn", self.learn_at)

    def _observe(self, X):
        self._count("observe", self.observe_at)

    def _predict(self, X, p):
        p[:] = 1 / p.shape[1]


def interrupted(call):
    """Return how many rows a call that is interrupted has learned or observed."""
    with pytest.raises(KeyboardInterrupt) as caught:
        call()
    return caught.value.rows_learned


@pytest.mark.parametrize("by_ids", [False, True])
def test_a_call_that_is_interrupted_leaves_the_other_rows_waiting(by_ids):
    ids = np.arange(40) if by_ids else None
    members = [LastLabels(NaiveBayes()), LabelChain(2)]
    stopped = AdaptiveStacking([*members, Failing(learn_at=18)]).begin(3, range(3))
    whole = AdaptiveStacking([*members, Failing()]).begin(3, range(3))
    for learner in (stopped, whole):
        learner.observe(X, ids)
    n = interrupted(lambda: stopped.test_then_train(X[:30], Y[:30], ids=None if ids is None else ids[:30]))
    assert 0 < n < 30 and stopped.n_waiting_ == 40 - n
    for learner, first in ((stopped, n), (whole, 0)):
        learner.test_then_train(X[first:], Y[first:], ids=None if ids is None else ids[first:])
        assert learner.n_waiting_ == 0
    for one, other in zip(stopped.members_[:2], whole.members_[:2], strict=True):
        assert_same(one.state(), other.state())
    np.testing.assert_array_equal(stopped.trust_, whole.trust_)


class Stopping(StreamClassifier):
    """Answers a coin, and is interrupted when it has predicted so many rows."""

    def __init__(self, n=0):
        self.n = n

    def _begin(self, n_features, n_classes):
        self._n_left = self.n

    def _learn(self, X, y, w, p):
        self._predict(X, p)

    def _predict(self, X, p):
        self._n_left -= len(X)
        if self._n_left == 0:
            raise KeyboardInterrupt
        p[:] = 1 / p.shape[1]


def late_block(n, delay):
    """Return rows, codes, weights, ids and what is tested and observed, for labels that are late."""
    order = [(i, True) for i in range(delay)]
    for i in range(delay, n):
        order += [(i, True), (i - delay, False)]
    ids, tested = np.array([i for i, _ in order]), np.array([is_test for _, is_test in order])
    X = ids[:, None] * np.ones((1, 2))
    return X, np.zeros(len(ids), dtype=int), (~tested).astype(float), ids, tested


@pytest.mark.parametrize("max_waiting", [5, 100])
@pytest.mark.parametrize("stop", [1, 3, 40, 130])
def test_a_block_stopped_in_the_middle_leaves_the_rows_that_wait_by_then(stop, max_waiting):
    X, codes, w, ids, tested = late_block(100, 20)
    stopped, whole = (
        PredictionSets(Stopping(n), max_waiting=max_waiting).begin(2, [0, 1]) for n in (stop, 0)
    )
    with pytest.raises(KeyboardInterrupt) as caught:
        stopped.test_then_train_coded(
            X, codes, sample_weight=w, tested=tested, ids=ids, observed=tested
        )
    n = caught.value.rows_learned
    assert 0 < n < len(X)
    whole.test_then_train_coded(
        X[:n], codes[:n], sample_weight=w[:n], tested=tested[:n], ids=ids[:n], observed=tested[:n]
    )
    assert stopped.n_waiting_ == whole.n_waiting_ > 0
    for one, other in zip(stopped._waiting.state().values(), whole._waiting.state().values(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_rows_to_observe_may_be_in_blocks_of_any_size():
    X, codes, w, ids, tested = late_block(300, 20)
    X, codes = np.random.default_rng(1).normal(size=X.shape), np.arange(len(ids)) // 3 % 2
    learners = [LabelChain(2).begin(2, [0, 1]) for _ in range(2)]
    p = []
    for learner, size in zip(learners, (len(X), 7), strict=True):
        parts = [slice(i, i + size) for i in range(0, len(X), size)]
        p.append(np.concatenate([
            learner.test_then_train_coded(
                X[i], codes[i], sample_weight=w[i], ids=ids[i], observed=tested[i]
            ) for i in parts
        ]))
    np.testing.assert_array_equal(*p)
    assert learners[0].n_waiting_ == learners[1].n_waiting_ == 20


def test_rows_that_an_interrupt_kept_from_being_observed_do_not_wait():
    members = [LastLabels(NaiveBayes()), LabelChain(2)]
    stopped = AdaptiveStacking([*members, Failing(observe_at=18)]).begin(3, range(3))
    whole = AdaptiveStacking([*members, Failing()]).begin(3, range(3))
    n = interrupted(lambda: stopped.observe(X[:30]))
    assert 0 < n < 30 and stopped.n_waiting_ == n
    stopped.begin(3, range(3))
    m = interrupted(lambda: stopped.predict_then_observe(X[:30], ids=range(30)))
    assert m == n and stopped.n_waiting_ == n
    stopped.observe(X[n:], range(n, 40))
    whole.observe(X, range(40))
    for learner in (stopped, whole):
        learner.test_then_train(X, Y, ids=range(40))
    for one, other in zip(stopped.members_[:2], whole.members_[:2], strict=True):
        assert_same(one.state(), other.state())


def test_a_state_with_damaged_rows_that_wait_is_refused():
    learner = stack().begin(3, range(3))
    learner.observe(X, range(40))
    state, p = learner.state(), learner.predict_proba(X)
    for name, place, value in [("counts", 0, 41), ("counts", 1, 39), ("number", 3, 5), ("number", 3, -1)]:
        damaged = state["waiting"] | {name: state["waiting"][name].copy()}
        damaged[name][place] = value
        with pytest.raises(StateError, match="AdaptiveStacking: the state's"):
            learner.restore(state | {"waiting": damaged})
    with pytest.raises(StateError, match="dict of arrays"):
        learner.restore(state | {"waiting": None})
    kept = state["memory"]["kept_number"].copy()
    kept[3] += 1
    with pytest.raises(StateError, match="kept_number"):
        learner.restore(state | {"memory": state["memory"] | {"kept_number": kept}})
    np.testing.assert_array_equal(learner.predict_proba(X), p)
    assert learner.n_waiting_ == 40


def test_rows_that_wait_are_refused_where_nothing_is_kept():
    chain = LabelChain().begin(3, range(3))
    chain.observe(X)
    tree = HoeffdingTree().begin(3, range(3))
    with pytest.raises(StateError, match=r"HoeffdingTree: .* keeps none"):
        tree.restore(tree.state() | {"waiting": chain.state()["waiting"]})


class Spoiling(StreamClassifier):
    """Overwrites the numbers it is given."""

    def _begin(self, n_features, n_classes):
        self.n = 0

    def _learn(self, X, y, w, p, ids=None):
        p[:] = 1 / p.shape[1]
        if ids is not None:
            ids[:] = -(2**62)
            raise KeyboardInterrupt

    def _observe(self, X, ids):
        assert ids.dtype == np.int64 and ids.tolist() == list(range(self.n + 1, self.n + 1 + len(X)))
        self.n += len(X)
        ids[:] = 2**62

    def _predict(self, X, p):
        p[:] = 1 / p.shape[1]


def test_a_learner_cannot_spoil_the_numbers():
    learner = Spoiling().begin(3, range(3))
    learner.observe(X[:20])
    learner.observe(X[20:], np.arange(20))
    with pytest.raises(KeyboardInterrupt):
        learner.test_then_train(X[:5], Y[:5])
    assert learner.n_waiting_ == 40
    learner.test_then_train(X[:5] + 1, Y[:5])
