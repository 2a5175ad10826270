"""Interrupts in the Python code of a learner: means, names and counts fit the rows learned."""

import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from thalweg import learners
from thalweg.checks.faults import Interrupt
from thalweg.checks.running import assert_same
from thalweg.learners import (
    HUWRS,
    AdaptiveLogistic,
    LinearLogistic,
    NearestNeighbours,
    OnlineBagging,
    ParticleFilter,
    WindowLogistic,
)

FOLDER = str(Path(learners.__file__).parent)
N_STEPS, N_LAST = 60, 12  # interrupts before the end of a call, and at its end
N_ROWS, LABELS = 7, np.array([0, 1, 0, 1, 1, 0, 1])
X = np.random.default_rng(1).normal(size=(N_ROWS, 3)).round(2)
X[[1, 3, 4], [0, 2, 0]] = np.nan
DICTS = [
    {"a": 1.0, "city": "Oslo"},
    {"a": 2.5},
    {"a": 0.5, "city": "Bonn"},
    {"city": "Bonn", "b": 3.0},
    {"a": 1.5, "b": 2.0, "city": "Rome"},
    {"a": 0.0, "city": "Oslo"},
    {"b": 1.0},
]
CODED = np.column_stack([X[:, :2], np.arange(N_ROWS) % 4])


def doubled(rows):
    return np.hstack([rows, 2 * rows])


BEGIN = {  # the arguments of begin, and the rows
    "known classes": ({"n_features": 3, "classes": [0, 1]}, X),
    "new classes": ({"n_features": 3}, X),
    "new inputs": ({}, DICTS),
    "categories": ({"n_features": 3, "classes": [0, 1], "n_categories": [0, 0, 4]}, CODED),
}
LEARNERS = [
    AdaptiveLogistic(),
    WindowLogistic(window=4, period=2),
    LinearLogistic(),
    NearestNeighbours(n_neighbours=2, window=5),
    OnlineBagging(member=AdaptiveLogistic(), n_members=2),
    ParticleFilter(n_particles=20, batch_size=3),
]
CASES = [(learner, case) for learner in LEARNERS for case in BEGIN]
CASES.append((ParticleFilter(n_particles=20, batch_size=3, boundary=doubled), "known classes"))
CASES.append((HUWRS(n_members=2), "known classes"))
NAMES = [f"{type(learner).__name__}-{case}" for learner, case in CASES]


def interrupted_at(step, call):
    """Interrupt `call` at the line, call or return of this number in learners.

    Returns the exception, or how many steps there were if the call has come to its end before.
    """
    n_steps = 0

    def trace(frame, _event, _argument):
        nonlocal n_steps
        if not frame.f_code.co_filename.startswith(FOLDER):
            return None
        n_steps += 1
        if n_steps > step:
            raise Interrupt
        return trace

    outer = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except Interrupt as error:
        return error
    finally:
        sys.settrace(outer)
    return n_steps


def interruptions(begin, call):
    """Yield a learner and the error of a call that was interrupted, for many steps of the call."""
    whole = begin()
    n_steps = interrupted_at(sys.maxsize, lambda: call(whole))
    before_the_end = np.random.default_rng(1).permutation(max(n_steps - N_LAST, 0))[:N_STEPS]
    for step in [*before_the_end.tolist(), *range(max(n_steps - N_LAST, 0), n_steps)]:
        other = begin()
        error = interrupted_at(step, lambda learner=other: call(learner))
        assert isinstance(error, Interrupt)
        yield other, error


def is_same(state, other):
    try:
        assert_same(state, other)
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize(("learner", "case"), CASES, ids=NAMES)
def test_rows_are_learned_with_their_means_and_names_or_not_at_all(learner, case):
    given, rows = BEGIN[case]

    def begin():
        return clone(learner).begin(**given)

    before, whole = begin().state(), begin()
    whole.test_then_train(rows, LABELS)
    counts = set()
    for other, error in interruptions(begin, lambda each: each.test_then_train(rows, LABELS)):
        if not hasattr(error, "rows_learned"):  # before the first row or after the last
            assert is_same(other.state(), before) or is_same(other.state(), whole.state())
            continue
        counts.add(n := error.rows_learned)
        if n < N_ROWS:
            other.test_then_train(rows[n:], LABELS[n:])
        assert_same(other.state(), whole.state(), f"interrupted after {n} rows: the state")
    assert {0, N_ROWS} <= counts


@pytest.mark.parametrize(("learner", "case"), CASES, ids=NAMES)
def test_one_row_is_learned_as_a_whole_or_not_at_all(learner, case):
    given, rows = BEGIN[case]

    def begin():
        other = clone(learner).begin(**given)
        other.test_then_train(rows[:2], LABELS[:2])
        return other

    before, after = begin().state(), begin()
    after.learn_one(rows[2], LABELS[2])
    for other, _error in interruptions(begin, lambda each: each.learn_one(rows[2], LABELS[2])):
        assert is_same(other.state(), before) or is_same(other.state(), after.state())


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda each: type(each).__name__)
def test_rows_of_late_classes_are_learned_once(learner):
    rng = np.random.default_rng(2)
    X, labels = rng.normal(size=(127, 3)), [0, 9, 1, 9, 0, 8, 9]

    def begin():
        return clone(learner).begin(3).partial_fit(X[:120], (X[:120, 0] > 0).astype(int))

    before, whole = begin().state(), begin()
    whole.test_then_train(X[120:], labels)
    for other, error in interruptions(begin, lambda each: each.test_then_train(X[120:], labels)):
        if not hasattr(error, "rows_learned"):
            assert is_same(other.state(), before) or is_same(other.state(), whole.state())
        elif (n := error.rows_learned) < len(labels):
            other.test_then_train(X[120 + n :], labels[n:])
            assert_same(other.state(), whole.state(), f"interrupted after {n} rows: the state")
