"""Ensembles lose no row and no member: interrupts, failing members and allocations, threads, forks."""

import sys
import time

import numpy as np
import pytest
from ensemble_rows import begun, drifting_rows
from sklearn.base import clone

from thalweg.checks import faults, safety
from thalweg.checks.rows import assert_proper
from thalweg.checks.running import assert_same
from thalweg.drift import ADWIN
from thalweg.learners import (
    AdaptiveRandomForest,
    AdwinBagging,
    DriftReset,
    DynamicWeightedMajority,
    HoeffdingTree,
    LeveragingBagging,
    MajorityClass,
    NaiveBayes,
    NearestNeighbours,
    OnlineBagging,
    OnlineBoost,
    StreamingRandomPatches,
)

# Members come and go every few hundred rows.
RESTLESS = [
    LeveragingBagging(NaiveBayes(), 4, delta=0.5),
    LeveragingBagging(HoeffdingTree(grace_period=20, max_features=2), 4, delta=0.5),
    AdwinBagging(MajorityClass(), 4, delta=0.9),
    AdaptiveRandomForest(NaiveBayes(), 4, warning_delta=0.7, drift_delta=0.5),
    AdaptiveRandomForest(HoeffdingTree(grace_period=20, max_features=2), 4, 0.6, 6.0, 0.7, 0.5),
    StreamingRandomPatches(NaiveBayes(), 4, max_features=2, warning_delta=0.7, drift_delta=0.5),
    DynamicWeightedMajority(NaiveBayes(), period=10, max_members=5),
    DriftReset(NaiveBayes(), ADWIN(delta=0.5)),
    OnlineBagging(DriftReset(NaiveBayes(), ADWIN(delta=0.5)), 3),
    OnlineBoost(DriftReset(NaiveBayes()), 3),
]


def rows(n, seed=1):
    X, y = drifting_rows(n, seed)
    y[(np.arange(n) // 300) % 2 == 0] ^= 1
    return X, y


def name_of(learner):
    return f"{type(learner).__name__}-{type(learner.member).__name__}"


def on_threads(learner, n_jobs):
    return clone(learner).set_params(**({"n_jobs": n_jobs} if hasattr(learner, "n_jobs") else {}))


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
    X, y = rows(1200)
    whole = begun(clone(learner))
    n_lines = interrupted_while_building(whole, X, y, -1)
    assert n_lines > 10
    for at in np.unique(np.geomspace(1, n_lines, 25).astype(int)).tolist():
        other = begun(clone(learner))
        with pytest.raises(Interrupt) as caught:
            interrupted_while_building(other, X, y, at)
        n = caught.value.rows_learned
        assert 0 < n <= len(X)
        assert_proper(other.predict_block(X[:20]))
        other.test_then_train(X[n:], y[n:])
        assert_same(other.state(), whole.state(), f"interrupted at line {at}: state")


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("learner", RESTLESS, ids=name_of)
def test_interrupts_at_random_moments_lose_nothing(learner, n_jobs):
    if n_jobs > 1 and not hasattr(learner, "n_jobs"):
        pytest.skip("has no threads")
    learner = on_threads(learner, n_jobs)
    X, y = rows(6000)
    rng = np.random.default_rng(n_jobs)
    start = time.perf_counter()
    whole = begun(clone(learner))
    whole.test_then_train(X, y)
    seconds = time.perf_counter() - start
    n_caught = 0
    for _ in range(6):
        other, late, n_learned = begun(clone(learner)), True, 0
        while late is not None:
            late = faults.interrupted(
                lambda other=other, n=n_learned: other.test_then_train(X[n:], y[n:]),
                rng.uniform(0.01, 0.6) * seconds,
            )
            if late is not None:
                assert late[1] < safety.SECONDS
                n_caught += 1
                n_learned += late[0].rows_learned
        assert_same(other.state(), whole.state())
    assert n_caught > 0


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("kind", [OnlineBagging, LeveragingBagging, AdaptiveRandomForest, OnlineBoost])
def test_costly_members_can_be_interrupted_soon(kind, n_jobs):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(20_000, 30)), rng.integers(0, 2, 20_000)
    learner = on_threads(kind(NearestNeighbours(window=5000), 5), n_jobs).begin(30, [0, 1])
    for call in (lambda: learner.test_then_train(X, y), lambda: learner.predict_block(X)):
        for after in (0.05, 0.4):
            error, late = faults.interrupted(call, after)
            assert late < safety.SECONDS
            assert isinstance(error, safety.Interrupt)
