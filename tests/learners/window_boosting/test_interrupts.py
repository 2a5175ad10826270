"""Ctrl-C during long training: boosting stops soon, works on, and becomes what it would have been."""

import time
from functools import partial

import numpy as np
import pytest

from thalweg.checks.faults import SECONDS, can_interrupt, interrupted
from thalweg.checks.rows import assert_proper
from thalweg.checks.running import assert_same
from thalweg.learners import (
    AdaBoostWindow,
    DecisionTree,
    FastLightBoost,
    IBoost,
    NaiveBayes,
    OnlineCoordinateBoost,
)

N = 1500
ADABOOST = AdaBoostWindow(n_members=1500, window=N, period=N, retrain="always")
PLAIN = IBoost(n_members=200, window=N, update="none", period=5)
LONG = {  # a learner, and parameters that it has from row N on, which then takes long
    "AdaBoost": (ADABOOST, {}),
    "AdaBoost, trees": (
        AdaBoostWindow(DecisionTree(8, window=1), 200, window=N, period=N, retrain="always"), {}
    ),
    "batch": (PLAIN, {"update": "batch", "n_updates": 600, "rate": 0.005}),
    "stochastic": (PLAIN, {"update": "stochastic", "n_updates": 4000}),
    "coordinate": (PLAIN, {"update": "coordinate", "n_updates": 40}),
    "race": (IBoost(n_members=50, window=N, update="none", cap="auto"), {
        "update": "coordinate", "n_updates": 40,
    }),
    "first rows": (OnlineCoordinateBoost(n_members=1500, window=N, order=50), {}),
    "blocks": (FastLightBoost(NaiveBayes(), n_members=300, chunk_size=N, n_rounds=200), {}),
}
needs_signals = pytest.mark.skipif(not can_interrupt(), reason="signals are not handled here")


def rows(n, d=10):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, d))
    return X, (X.sum(axis=1) + rng.normal(size=n) > 0).astype(int)


def interrupt_thrice(learner, X, y, start, seconds):
    """Learn the rows from `start` on with up to three interrupts; return how many there were."""
    n_interrupts = 0
    for share in (0.1, 0.3, 0.2):
        late = interrupted(partial(learner.test_then_train, X[start:], y[start:]), share * seconds)
        if late is None:
            return n_interrupts
        error, delay = late
        assert delay < SECONDS
        n_interrupts, start = n_interrupts + 1, start + getattr(error, "rows_learned", 0)
        assert_proper(learner.predict_block(X[:20]))
    learner.test_then_train(X[start:], y[start:])
    return n_interrupts


@needs_signals
@pytest.mark.parametrize("name", LONG)
def test_an_interrupt_ends_long_work_soon_and_changes_nothing(name):
    X, y = rows(N + 1)
    learner, later = LONG[name]
    learner = learner.copy().begin(10, [0, 1])
    learner.test_then_train(X[: N - 1], y[: N - 1])
    state = learner.state()
    state["parameters"] |= later
    whole = type(learner)().restore(state)
    started = time.process_time()
    whole.test_then_train(X[N - 1 :], y[N - 1 :])
    seconds = time.process_time() - started
    for _ in range(5):  # a signal may come when the work is done
        other = type(learner)().restore(state)
        n_interrupts = interrupt_thrice(other, X, y, N - 1, seconds)
        if n_interrupts:
            break
    for each in (whole, other):
        each.flush()
    assert n_interrupts
    assert_same(other.state(), whole.state(), "after interrupts")


@needs_signals
def test_what_was_interrupted_can_be_saved_and_goes_on():
    X, y = rows(N + 40)
    learner = ADABOOST.copy().begin(10, [0, 1])
    learner.test_then_train(X[: N - 1], y[: N - 1])
    whole = learner.copy()
    error, _ = interrupted(lambda: learner.test_then_train(X[N - 1 :], y[N - 1 :]), 0.05)
    assert error.rows_learned == 1 and 0 < len(learner.weights_) < 1500
    other = AdaBoostWindow().restore(learner.state())
    p, expected = (each.test_then_train(X[start:], y[start:]) for each, start in ((other, N), (whole, N - 1)))
    np.testing.assert_array_equal(p, expected[1:])


@needs_signals
def test_forgetting_first_ends_what_was_interrupted():
    X, y = rows(N)
    learner = ADABOOST.copy().begin(10, [0, 1])
    learner.test_then_train(X[:-1], y[:-1])
    whole = learner.copy()
    assert interrupted(lambda: learner.test_then_train(X[-1:], y[-1:]), 0.05) is not None
    whole.test_then_train(X[-1:], y[-1:])
    assert_same(learner.forget([3]).state(), whole.forget([3]).state(), "after forgetting")
