"""Ensembles under interrupts, failing members and failing allocations lose no row and no member."""

import sys
import time

import numpy as np
import pytest
from sklearn.base import clone
from support.ensemble_rows import ALL, RESTLESS, TREE, begun, name_of, on_threads, restless_rows

from thalweg.checks import faults, safety
from thalweg.checks.rows import assert_proper
from thalweg.checks.running import assert_same
from thalweg.learners import (
    AdaptiveRandomForest,
    DriftReset,
    LeveragingBagging,
    NearestNeighbours,
    OnlineBagging,
    OnlineBoost,
)
from thalweg.learners.base.stream_classifier import StreamClassifier


class Interrupt(BaseException):
    """What Ctrl-C raises is no Exception, nor is this."""


def interrupted_while_building(learner, X, y, n_lines):
    """Learn the rows; raise Interrupt at line `n_lines` of Python code in `_build` and what it calls."""
    seen, building = 0, None

    def trace(frame, event, _argument):
        nonlocal seen, building
        if event == "call" and building is None and frame.f_code.co_name == "_build":
            building = frame
        if building is None:
            return None
        if event == "return" and frame is building:
            building = None
        seen += event == "line"
        if event == "line" and seen == n_lines:
            raise Interrupt
        return trace

    sys.settrace(trace)
    try:
        learner.test_then_train(X, y)
    finally:
        sys.settrace(None)
    return seen


@pytest.mark.parametrize("learner", RESTLESS, ids=name_of)
def test_an_interrupt_anywhere_in_the_building_of_a_member_changes_nothing(learner):
    X, y = restless_rows(1500)
    interrupted_while_building(begun(clone(learner)), X, y, -1)  # what is done at the first time only
    whole = begun(clone(learner))
    n_lines = interrupted_while_building(whole, X, y, -1)
    assert n_lines > 10
    # A few lines at the end are not sure to come: how many there are varies with the garbage collector.
    for at in np.unique(np.geomspace(1, 0.95 * n_lines, 25).astype(int)).tolist():
        other = begun(clone(learner))
        with pytest.raises(Interrupt) as caught:
            interrupted_while_building(other, X, y, at)
        n = caught.value.rows_learned
        assert 0 < n <= len(X)
        assert_proper(other.predict_proba_block(X[:20]))
        other.test_then_train(X[n:], y[n:])
        assert_same(other.state(), whole.state(), f"interrupted at line {at}: state")


THREADED = [
    pytest.param(learner, n_jobs, id=f"{name_of(learner)}-{n_jobs}")
    for learner in RESTLESS
    for n_jobs in ((1, 2) if hasattr(learner, "n_jobs") else (1,))
]


@pytest.mark.parametrize(("learner", "n_jobs"), THREADED)
def test_interrupts_at_random_moments_lose_nothing(learner, n_jobs):
    learner = on_threads(learner, n_jobs)
    X, y = restless_rows(6000)
    rng = np.random.default_rng(n_jobs)
    start = time.process_time()
    whole = begun(clone(learner))
    whole.test_then_train(X, y)
    seconds = time.process_time() - start
    n_caught = n_attempts = 0
    while n_attempts < 6 or (not n_caught and n_attempts < 60):
        n_attempts += 1
        other, late, n_learned = begun(clone(learner)), True, 0
        while late is not None:
            late = faults.interrupted(
                lambda other=other, n=n_learned: other.test_then_train(X[n:], y[n:]),
                rng.uniform(0.05, 0.7) * seconds,
            )
            if late is None and not n_caught:
                seconds /= 2  # the whole run was slower than this one
            if late is not None:
                assert late[1] < safety.SECONDS
                if not hasattr(late[0], "rows_learned"):  # before or after the compiled code
                    break
                n_caught += 1
                n_learned += late[0].rows_learned
        else:
            assert_same(other.state(), whole.state())
    assert n_caught > 0


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("kind", [OnlineBagging, LeveragingBagging, AdaptiveRandomForest, OnlineBoost])
def test_costly_members_can_be_interrupted_soon(kind, n_jobs):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(20_000, 30)), rng.integers(0, 2, 20_000)
    learner = on_threads(kind(NearestNeighbours(window=5000), 5), n_jobs).begin(30, [0, 1])
    for call in (lambda: learner.test_then_train(X, y), lambda: learner.predict_proba_block(X)):
        for after in (0.05, 0.2):
            error, late = faults.interrupted(call, after)
            assert late < safety.SECONDS
            assert isinstance(error, faults.Interrupt)


class Particular(StreamClassifier):
    """Counts classes; the members with an odd seed do not like rows that begin with -99."""

    raises, n_refused = True, 0

    def __init__(self, random_state=1):
        self.random_state = random_state

    def _begin(self, n_features, n_classes):
        self._counts = np.ones(n_classes)

    def _learn(self, X, y, w, p):
        self._predict(X, p)
        if X[0, 0] == -99 and self.random_state % 2:
            Particular.n_refused += 1
            if self.raises:
                raise ValueError("not this row")
        else:
            np.add.at(self._counts, y, w)

    def _predict(self, X, p):
        p[:] = self._counts / self._counts.sum()


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("kind", [*ALL, DriftReset])
def test_all_members_learn_all_rows_but_those_they_fail_at(kind, n_jobs, monkeypatch):
    learner = on_threads(kind(Particular()), n_jobs)
    X, y = restless_rows(400)
    X[[37, 38, 150], 0] = -99
    monkeypatch.setattr(Particular, "raises", False)
    monkeypatch.setattr(Particular, "n_refused", 0)
    expected = begun(clone(learner))
    p = expected.test_then_train(X, y)
    n_refused, Particular.n_refused = Particular.n_refused, 0
    assert n_refused >= 3
    monkeypatch.setattr(Particular, "raises", True)
    other, start, errors = begun(clone(learner)), 0, []
    while start < len(X):
        try:
            last = other.test_then_train(X[start:], y[start:])
            break
        except ValueError as error:
            errors.append(start + error.rows_learned - 1)
            start += error.rows_learned
    assert errors == [37, 38, 150]
    assert Particular.n_refused == n_refused
    np.testing.assert_array_equal(last, p[start:])
    assert_same(other.state(), expected.state())


class Unanswering(Particular):
    """Cannot predict some rows."""

    n_asked = 0

    def _predict(self, X, p):
        Unanswering.n_asked += 1
        if X[0, 0] == -99:
            raise KeyError("no answer")
        super()._predict(X, p)


@pytest.mark.parametrize("kind", [*ALL, DriftReset])
def test_a_prediction_that_fails_is_raised_once_and_the_next_one_works(kind):
    X, y = restless_rows(60)
    learner = begun(kind(Unanswering()))
    learner.test_then_train(X, y)
    state = learner.state()
    X[20, 0] = -99
    Unanswering.n_asked = 0
    with pytest.raises(KeyError, match="no answer"):
        learner.predict_proba_block(X)
    assert Unanswering.n_asked <= 21 * 10
    assert_proper(learner.predict_proba_block(X[:20]))
    with pytest.raises(KeyError, match="no answer"):
        learner.predict_proba_one(X[20])
    assert_proper(learner.predict_proba_one(X[21])[None])
    assert_same(learner.state(), state)


def rows_learned(learner):
    arrays = learner._kernel.arrays
    return int(arrays["counts" if isinstance(learner, DriftReset) else "progress"][0])


def goes_on_after_a_failure(learner, X, y):
    """Let a begun learner learn rows; return whether memory failed, after which it must go on."""
    try:
        learner.test_then_train(X, y)
        return False
    except MemoryError as error:
        n = error.rows_learned
    assert rows_learned(learner) == n
    assert_proper(learner.predict_proba_block(X[:50]))
    assert_proper(learner.test_then_train(X[n:], y[n:]))
    assert rows_learned(learner) == len(X)
    copy = learner.copy()
    np.testing.assert_array_equal(copy.test_then_train(X, y), learner.test_then_train(X, y))
    return True


@pytest.mark.parametrize("kind", [LeveragingBagging, AdaptiveRandomForest])
def test_where_an_allocation_fails_the_members_go_on(kind):
    X, y = restless_rows(3000)
    learner = next(each for each in RESTLESS if type(each) is kind and each.member is TREE)
    for k in (1, 2, 30, 31, 200):
        other = begun(clone(learner))
        with faults.failing_allocation(k) as failed:
            assert goes_on_after_a_failure(other, X, y)
            assert failed()


@pytest.mark.parametrize("learner", RESTLESS, ids=name_of)
def test_where_a_member_cannot_be_built_the_old_one_stays(learner, monkeypatch):
    X, y = restless_rows(900)
    template = learner if not isinstance(learner.member, DriftReset) else learner.member
    build, n_built = type(template)._build, 0

    def failing(self, *arguments):
        nonlocal n_built
        n_built += 1
        fresh = build(self, *arguments)
        if n_built == k:
            raise MemoryError("no memory, as a test asked for")
        return fresh

    k = 0
    monkeypatch.setattr(type(template), "_build", failing)
    for ahead in range(1, 5):
        other = begun(clone(learner))
        k, n_built = ahead, 0
        assert goes_on_after_a_failure(other, X, y)


def test_a_member_that_ends_the_program_when_it_begins_does_not_hang_it():
    X, y = restless_rows(3000)
    learner = begun(LeveragingBagging(Particular(), 3, delta=0.9))
    learner._made_from[0] = Leaves()
    with pytest.raises(SystemExit):
        learner.test_then_train(X, y)
    assert_proper(learner.predict_proba_block(X[:50]))


class Leaves(Particular):
    def _begin(self, n_features, n_classes):
        raise SystemExit
