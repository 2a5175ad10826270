"""Rows that wait for labels are found by their ids, in every learner that keeps something with them."""

import pickle
import time
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from support.late_rows import Dropping, follow, keepers, random_steps

from thalweg.checks.faults import interrupted
from thalweg.checks.rows import reloaded
from thalweg.checks.running import assert_same
from thalweg.learners import (
    HUWRS,
    AdaptiveRandomForest,
    AdaptiveStacking,
    DriftReset,
    LabelChain,
    LastLabels,
    MajorityClass,
    NaiveBayes,
    OnlineBagging,
    SEAEnsemble,
)
from thalweg.preprocessing import Pipeline

NAMES = keepers()


def rows(n, n_features=3, n_classes=3, seed=0):
    """Return rows of clusters, no two equal, whose labels stay for a while."""
    rng = np.random.default_rng(seed)
    y = np.repeat(rng.integers(0, n_classes, n // 4 + 1), 4)[:n]
    return rng.normal(size=(n, n_features)) + 2 * rng.normal(size=(n_classes, n_features))[y], y


def drawn_ids(n, seed=0):
    """Return different ids, some of them negative or huge."""
    ids = np.random.default_rng(seed).permutation(2 * n)[:n] - n
    ids[:2] = -(2**63), 2**63 - 1
    return ids


def without_keys(state):
    """Return the state of a learner without the keys of its rows that wait."""
    if isinstance(state, list):
        return [without_keys(part) for part in state]
    if not isinstance(state, dict):
        return state
    if "waiting" in state:
        waiting = {name: array for name, array in state["waiting"].items() if name != "key"}
        state = state | {"waiting": waiting}
    return {name: without_keys(part) for name, part in state.items()}


def model(learner):
    """Return the state of a learner without its rows that wait."""
    state = without_keys(learner.state())
    state.pop("waiting", None)
    return state


@pytest.mark.parametrize("shape", [(3, 2), (3, 12), (130, 3)], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_ids_or_values_leave_the_same_model(name, shape):
    n = 120 if shape[0] == 3 else 60
    X, y = rows(n, *shape)
    steps, template = random_steps(n), keepers()[name]
    by_values, by_ids = (clone(template).begin(shape[0], range(shape[1])) for _ in range(2))
    p = follow(by_values, X, y, steps)
    np.testing.assert_array_equal(follow(by_ids, X, y, steps, drawn_ids(n)), p)
    assert by_ids.n_waiting_ == by_values.n_waiting_ > 0
    assert_same(without_keys(by_ids.state()), without_keys(by_values.state()))


@pytest.mark.parametrize("name", NAMES)
def test_rows_blocks_copies_and_ids_change_nothing(name):
    X, y = rows(150)
    steps, ids, template = random_steps(150), drawn_ids(150), keepers()[name]
    whole, single = (clone(template).begin(3, range(3)) for _ in range(2))
    p = follow(whole, X, y, steps, ids)
    np.testing.assert_array_equal(follow(single, X, y, steps, ids, in_blocks=False), p)
    assert_same(single.state(), whole.state())
    half, cut = clone(template).begin(3, range(3)), len(steps) // 2
    first = follow(half, X, y, steps[:cut], ids)
    half = reloaded(half)
    second = follow(half, X, y, steps[cut:], ids)
    np.testing.assert_array_equal(np.concatenate([first, second]), p)
    assert_same(half.state(), whole.state())


@pytest.mark.parametrize("name", NAMES)
def test_among_equal_rows_each_label_meets_what_was_said_of_its_own(name):
    # An input that the learner does not see makes rows different, so that they are found by their values.
    rng = np.random.default_rng(1)
    X, y = np.full((200, 2), 0.5), np.repeat(rng.integers(0, 3, 50), 4)
    marked = np.column_stack([X, np.arange(200.0)])
    steps, template = random_steps(200, seed=3), keepers()[name]
    expected = Dropping(template).begin(3, range(3))
    by_ids, by_values = (clone(template).begin(2, range(3)) for _ in range(2))
    p = follow(expected, marked, y, steps)
    np.testing.assert_array_equal(follow(by_ids, X, y, steps, drawn_ids(200)), p)
    follow(by_values, X, y, steps)
    assert_same(model(expected._inner), model(by_ids))
    assert name == "HUWRS" or not same(model(by_values), model(by_ids))  # its members are fitted on chunks


def same(one, other):
    try:
        assert_same(one, other)
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize("name", NAMES)
def test_an_id_that_does_not_wait_is_an_ordinary_row(name):
    X, y = rows(80)
    one, other = (clone(keepers()[name]).begin(3, range(3)) for _ in range(2))
    one.test_then_train(X, y, ids=np.arange(80))
    other.test_then_train(X, y)
    assert_same(one.state(), other.state())


@pytest.mark.parametrize("name", NAMES)
def test_an_id_observed_again_means_the_new_row(name):
    X, y = rows(120)
    steps = [("observe", i) for i in range(40)]
    again, once = (clone(keepers()[name]).begin(3, range(3)) for _ in range(2))
    for learner in (again, once):
        learner.test_then_train(X[80:], y[80:])
        learner.observe(X[:20], np.arange(20) if learner is again else np.arange(1000, 1020))
        learner.test_then_train(X[70:80], y[70:80])
        follow(learner, X, y, steps, np.arange(40))
        assert learner.n_waiting_ == (40 if learner is again else 60)
        follow(learner, X, y, [("learn", i) for i in range(40)], np.arange(40))
    assert_same(model(again), model(once))
    assert again.n_waiting_ == 0


@pytest.mark.parametrize("name", NAMES)
def test_begin_forgets_the_rows_that_wait(name):
    X, _ = rows(40)
    learner = clone(keepers()[name]).begin(3, range(3))
    learner.observe(X, np.arange(40))
    learner.begin(3, range(3))
    assert learner.n_waiting_ == 0 and "waiting" not in learner.state()


@pytest.mark.parametrize("name", NAMES)
def test_gaps_and_new_classes_do_not_hide_a_row(name):
    X, y = rows(160, n_classes=4)
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    steps, labels = random_steps(160, never=0.0), np.array(["a", "b", "c", "d"])[y]
    by_values, by_ids = (clone(keepers()[name]).begin(3) for _ in range(2))
    for learner in (by_values, by_ids):
        learner.test_then_train(X[:2], labels[:2])
    p = [
        follow_open(learner, X, labels, steps, ids)
        for learner, ids in ((by_values, None), (by_ids, np.arange(160)))
    ]
    assert_same(p[0], p[1])
    assert by_values.n_waiting_ == by_ids.n_waiting_ == 0
    assert_same(by_values.state(), by_ids.state())


def follow_open(learner, X, y, steps, ids):
    # Like `follow`, for probabilities of ever more classes.
    p = []
    for what, i in steps:
        given = None if ids is None else ids[i : i + 1]
        if what == "observe":
            learner.observe(X[i : i + 1], given)
        else:
            p.append(learner.test_then_train(X[i : i + 1], y[i : i + 1], ids=given))
    return p


@pytest.mark.parametrize("name", [name for name in NAMES if "wrapper" not in name])
def test_dict_rows_have_ids_too(name):
    X, y = rows(100)
    steps = random_steps(100, never=0.0)
    dicts = np.array([{f"input {j}": value for j, value in enumerate(row)} for row in X], dtype=object)
    by_values, by_ids, single = (clone(keepers()[name]).begin() for _ in range(3))
    for learner in (by_values, by_ids, single):
        learner.test_then_train(dicts[:3], [0, 1, 2])
    follow(by_values, dicts, y, steps)
    follow(by_ids, dicts, y, steps, drawn_ids(100))
    follow_single_dicts(single, dicts, y, steps, drawn_ids(100))
    assert by_ids.n_waiting_ == 0
    assert_same(by_ids.state(), by_values.state())
    assert_same(by_ids.state(), single.state())


def follow_single_dicts(learner, dicts, y, steps, ids):
    for what, i in steps:
        if what == "observe":
            learner.observe([dicts[i]], ids[i : i + 1])
        else:
            learner.learn_one(dicts[i], y[i], id=int(ids[i]))


def test_a_new_input_hides_no_row_from_its_id():
    # What a chain keeps does not depend on the inputs: rows go on waiting when there are more of them.
    chain = LabelChain(2).begin(None, [0, 1])
    chain.test_then_train([{"a": 1.0}] * 6, [0, 1, 0, 1, 0, 1])
    late, early = chain.copy(), chain.copy()
    late.observe([{"a": 1.0}], ids=[7])
    late.test_then_train([{"a": 1.0}] * 2, [0, 0], ids=[1, 2])
    late.learn_one({"a": 1.0, "b": 2.0}, 1, id=7)
    assert late.n_waiting_ == 0
    early.learn_one({"a": 1.0}, 1)
    counts = late._kernel.arrays["counts"] - chain._kernel.arrays["counts"]
    context = 1 + 2 + 2 * 0 + 1  # of order 2: 1 was the latest label, 0 the one before
    assert counts[context, 1] > 0.9 and early._kernel.arrays["counts"][context, 1] > 0


def test_members_know_no_keys_and_the_index_is_there_once():
    learner = keepers()["AdaptiveStacking"].begin(3, range(3))
    X, _ = rows(500)
    learner.observe(X, np.arange(500))

    def names_in(state):
        if isinstance(state, dict):
            return [*state, *(each for part in state.values() for each in names_in(part))]
        return [each for part in state for each in names_in(part)] if isinstance(state, list) else []

    names = names_in(learner.state())
    assert names.count("waiting") == 1 and names.count("key") == 1
    assert names.count("kept_number") == 6


def test_no_index_is_made_where_nothing_is_kept():
    X, y = rows(50)
    for learner in (AdaptiveRandomForest(), HUWRS(), NaiveBayes(), Pipeline([], NaiveBayes()), SEAEnsemble()):
        learner.begin(3, range(3)).observe(X, np.arange(50))
        learner.test_then_train(X, y, ids=np.arange(50))
        assert learner.n_waiting_ == 0 and learner._waiting is None


def test_the_bound_is_that_of_the_learner_or_the_largest_of_its_members():
    members = [LabelChain(max_waiting=7), LastLabels(NaiveBayes(), max_waiting=20), NaiveBayes()]
    X, y = rows(100)
    for learner, most in [
        (OnlineBagging(members, n_members=3), 20),
        (AdaptiveStacking(members, max_waiting=10), 10),
        (LabelChain(max_waiting=1), 1),
    ]:
        learner.begin(3, range(3)).observe(X[:most], np.arange(most))
        assert learner.n_waiting_ == most
        learner.observe(X[most : most + 1], [most])
        assert learner.n_waiting_ == most
        assert learner.learn_one(X[0], y[0], id=0) is None and learner.n_waiting_ == most  # 0 was forgotten
        learner.observe(X)
        before = len(pickle.dumps(learner))
        for _ in range(20):
            learner.observe(X)
        assert learner.n_waiting_ == most and abs(len(pickle.dumps(learner)) - before) < 200


class EveryRow:
    """A detector that raises an alarm at every row from the `first` on."""

    def __init__(self, first=10):
        self.first, self.n = first, 0

    def update(self, loss):
        self.n += 1
        return self.n >= self.first

    def reset(self):
        """Count on."""


def test_a_fresh_member_reads_nothing_its_predecessor_kept():
    X, y = rows(60)
    template = LastLabels(MajorityClass(), n=2)
    learner = DriftReset(template, EveryRow(30)).begin(3, range(3))
    fresh = clone(template).begin(3, range(3))
    learner.test_then_train(X[:25], y[:25])
    learner.observe(X[25:60], np.arange(25, 60))
    learner.test_then_train(X[25:30], y[25:30], ids=np.arange(25, 30))  # the last of them raises an alarm
    assert learner.n_drifts_ == 1
    fresh.learn_one(X[29], y[29])
    assert_same(learner.member_.state()["memory"], fresh.state()["memory"])
    learner.test_then_train(X[30:31], y[30:31], ids=[30])
    assert learner.n_waiting_ == 29


@pytest.mark.parametrize("name", ["LabelChain", "Pipeline", "AdaptiveStacking", "SlidingHUWRS", "DriftReset"])
def test_interrupts_lose_no_row_that_waits(name):
    X, y = rows(3000)
    template, ids, rng = keepers()[name], np.arange(3000), np.random.default_rng(1)
    observed = clone(template).begin(3, range(3))
    started = time.process_time()
    observed.observe(X, ids)
    whole, between = observed.copy(), time.process_time()
    whole.test_then_train(X, y, ids=ids)
    ended = time.process_time()
    for _ in range(4):
        other = clone(template).begin(3, range(3))
        n = n_done(partial(other.observe, X, ids), rng.uniform(0, between - started))
        n = other.n_waiting_ if n is None else n
        assert other.n_waiting_ == n
        other.observe(X[n:], ids[n:])
        assert_same(other.state(), observed.state())
        n = n_done(partial(other.test_then_train, X, y, ids=ids), rng.uniform(0, ended - between))
        n = 3000 - other.n_waiting_ if n is None else n
        assert other.n_waiting_ == 3000 - n
        other.test_then_train(X[n:], y[n:], ids=ids[n:])
        assert_same(other.state(), whole.state())


@pytest.mark.parametrize("method", ["observe", "predict_then_observe"])
@pytest.mark.parametrize("name", [name for name in NAMES if "wrapper" not in name])
def test_a_signal_right_after_the_last_row_loses_none_of_them(name, method, monkeypatch):
    X, y = rows(60)
    other, whole = (clone(keepers()[name]).begin(3, range(3)) for _ in range(2))
    hidden = "_observe" if method == "observe" else "_predict_observe"
    inner = getattr(other, hidden)

    def interrupted_after(*arguments, **settings):
        inner(*arguments, **settings)
        raise KeyboardInterrupt

    monkeypatch.setattr(other, hidden, interrupted_after)
    with pytest.raises(KeyboardInterrupt) as caught:
        getattr(other, method)(X, ids=np.arange(60))
    assert caught.value.rows_learned == 60
    monkeypatch.undo()
    getattr(whole, method)(X, ids=np.arange(60))
    for learner in (other, whole):
        learner.test_then_train(X, y, ids=np.arange(60))
    assert_same(other.state(), whole.state())


def n_done(call, seconds):
    """Interrupt a call after so many seconds; return how many rows it has done, None if nobody counted."""
    late = interrupted(call, max(seconds, 1e-4))
    return None if late is None else getattr(late[0], "rows_learned", None)
