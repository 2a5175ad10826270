"""Particle filters under interrupts, forks, lack of memory and threads, and with functions that fail."""

import multiprocessing
import os
import threading

import numpy as np
import pytest
from sklearn.base import clone

from thalweg._native import layout, workers
from thalweg.checks.faults import SECONDS, failing_allocation, in_a_fork, interrupted
from thalweg.checks.rows import assert_proper
from thalweg.checks.running import assert_same
from thalweg.errors import ParameterError, StateError
from thalweg.learners import (
    LikelihoodParticleFilter,
    OnlineBagging,
    ParticleFilter,
    RefittingParticleFilter,
    RegularisedParticleFilter,
)
from thalweg.learners.particles._native import layout as particle_layout

LONG = {
    "many particles": (ParticleFilter(n_particles=400_000, batch_size=50), 50, 8),
    "on two threads": (ParticleFilter(n_particles=400_000, batch_size=50, n_jobs=2), 50, 8),
    "with spreads": (RegularisedParticleFilter(n_particles=200_000, n_jobs=2), 50, 3),
    "by likelihood": (LikelihoodParticleFilter(n_particles=40_000, batch_size=50), 50, 3),
    "a long warm-up": (ParticleFilter(n_particles=2000, batch_size=50, start=("normal", 500)), 50, 8),
    "a long fit": (RefittingParticleFilter(batch_size=1500, refit_below=0.999), 1500, 150),
}
TIED = {"batch_size": 50, "form": "published", "start": "zeros"}


def rows(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X.sum(axis=1) + rng.normal(size=n) > 0).astype(int)


def begun(learner, n_features):
    return clone(learner).begin(n_features, [0, 1])


@pytest.mark.parametrize("case", LONG)
def test_a_long_batch_can_be_interrupted_and_goes_on(case):
    learner, batch, d = LONG[case]
    X, y = rows(batch + 10, d)
    whole, other = begun(learner, d), begun(learner, d)
    whole.test_then_train(X, y)
    for seconds in (0.005, 0.05, 0.5):  # a slow machine has not reached the batch so soon
        error, delay = interrupted(lambda: other.test_then_train(X, y), seconds)
        if getattr(error, "rows_learned", 0):
            break
    n = error.rows_learned
    assert n in (batch, batch + 10) and delay < SECONDS
    assert_proper(other.predict_proba_block(X[:9]))
    copy = other.copy()
    for each in (other, copy):
        each.test_then_train(X[n:], y[n:])
        assert_same(each.state(), whole.state(), case)


def test_many_interrupts_do_not_stop_a_warm_up():
    # Each step is kept, so that it comes to an end even if every call is interrupted.
    learner, (X, y) = LONG["a long warm-up"][0], rows(60, 8)
    whole, other = begun(learner, 8), begun(learner, 8)
    whole.test_then_train(X, y)
    start, n_interrupts = 0, 0
    while late := interrupted(lambda n=start: other.test_then_train(X[n:], y[n:]), 0.02):
        start, n_interrupts = start + late[0].rows_learned, n_interrupts + 1
    assert n_interrupts > 0
    assert_same(other.state(), whole.state())


def test_the_last_batch_of_fit_can_be_interrupted():
    learner, _, d = LONG["many particles"]
    X, y = rows(31, d)
    whole, other = (begun(learner, d) for _ in range(2))
    for each in (whole, other):
        each.test_then_train(X[:30], y[:30])
    whole._kernel.flush()
    error, delay = interrupted(other._kernel.flush, 0.02)
    assert delay < SECONDS and not hasattr(error, "rows_learned")
    for each in (whole, other):
        each.test_then_train(X[30:], y[30:])
    assert_same(other.state(), whole.state())


def tied_rows():
    # With constant inputs half of all particles are best, more than the room there is at first.
    return np.ones((100, 1)), np.arange(100) % 3 // 2


@pytest.mark.parametrize(
    "learner",
    [
        ParticleFilter(n_particles=5000, **TIED),
        RegularisedParticleFilter(n_particles=5000),
        LikelihoodParticleFilter(n_particles=5000, batch_size=50),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_without_memory_the_best_that_fit_are_kept(learner):
    X, y = tied_rows()
    whole, other = begun(learner, 1), begun(learner, 1)
    whole.test_then_train(X, y)
    with failing_allocation(1), pytest.raises(MemoryError) as failed:
        other.test_then_train(X, y)
    n = failed.value.rows_learned
    assert n == 50 and len(other.particles_) == 1024 < len(whole.particles_)
    other.test_then_train(X[n:], y[n:])
    assert len(other.particles_) > 1024
    assert_proper(other.copy().predict_proba_block(X))


def test_an_interrupt_while_the_best_set_grows_loses_nothing(monkeypatch):
    X, y = tied_rows()
    whole, other = (begun(ParticleFilter(n_particles=5000, **TIED), 1) for _ in range(2))
    whole.test_then_train(X, y)
    new_array, n_calls = layout.new_array, []

    def interrupted_once(*arguments, **settings):
        n_calls.append(1)
        if len(n_calls) == 1:
            raise KeyboardInterrupt
        return new_array(*arguments, **settings)

    monkeypatch.setattr(layout, "new_array", interrupted_once)
    with pytest.raises(KeyboardInterrupt) as stopped:
        other.test_then_train(X, y)
    n = stopped.value.rows_learned
    assert n == 50
    other.test_then_train(X[n:], y[n:])
    assert_same(other.state(), whole.state())


def test_a_best_set_beyond_all_bounds_is_an_error_of_memory(monkeypatch):
    monkeypatch.setattr(particle_layout, "MOST_NUMBERS", 3000)
    X, y = tied_rows()
    learner = ParticleFilter(n_particles=5000, **TIED).begin(1, [0, 1])
    with pytest.raises(MemoryError, match=r"particles with 2 coefficients .*more than the 1500 .*use fewer"):
        learner.test_then_train(X, y)
    assert_proper(learner.copy().predict_proba_block(X))


def big():
    X, y = rows(200, 8)
    learner = ParticleFilter(n_particles=20_000, n_jobs=2).begin(8, [0, 1])
    return learner, X, y


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore:.*fork")
def test_forks_work_after_threads_were_used():
    learner, X, y = big()
    learner.test_then_train(X, y)
    expected = learner.copy().test_then_train(X, y)
    assert in_a_fork(lambda: np.array_equal(learner.test_then_train(X, y), expected)) == "True"
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for p in pool.map(_learn_more, [(learner, X, y)] * 3):
            assert np.array_equal(p, expected)


def _learn_more(arguments):
    learner, X, y = arguments
    return learner.test_then_train(X, y)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_fork_while_threads_are_at_work_says_so_and_can_begin_again():
    learner, X, y = big()
    learner.test_then_train(X, y)
    stop = threading.Event()

    def work():
        while not stop.is_set():
            learner.test_then_train(X, y)

    def begin_again():
        learner.begin(8, [0, 1]).test_then_train(X, y)
        return True

    busy = threading.Thread(target=work)
    busy.start()
    try:
        answers = {in_a_fork(lambda: np.isfinite(learner.test_then_train(X, y)).all()) for _ in range(4)}
        again = in_a_fork(begin_again)
    finally:
        stop.set()
        busy.join()
    assert answers <= {"True", "RuntimeError"} and again == "True"


@pytest.mark.parametrize("n_started", [0, 1])
def test_threads_that_cannot_start_change_nothing(monkeypatch, n_started):
    learner, X, y = big()
    expected = clone(learner).set_params(n_jobs=1).begin(8, [0, 1]).test_then_train(X, y)
    monkeypatch.setattr(workers, "_start_fails_after", n_started)
    learner = clone(learner).set_params(n_jobs=3).begin(8, [0, 1])
    assert np.array_equal(learner.test_then_train(X, y), expected)


def fails_at_nine(X):
    if (X == 9).any():
        raise RuntimeError("nine")
    return np.where(X == 8, np.nan, np.hstack([X, X**3])[:, : X.shape[1]])


def test_a_function_that_fails_leaves_the_model_as_it_was():
    X, y = rows(120, 2)
    learner = ParticleFilter(boundary=fails_at_nine).begin(2, [0, 1])
    learner.test_then_train(X, y)
    before = learner.state()
    bad = X.copy()
    for value, said in ((9.0, "nine"), (8.0, "returned NaN for row 60")):
        bad[60, 1] = value
        with pytest.raises((RuntimeError, ValueError), match=said):
            learner.test_then_train(bad, y)
        with pytest.raises((RuntimeError, ValueError), match=said):
            learner.predict_proba_block(bad)
    assert_same(learner.state(), before)
    ensemble = OnlineBagging(member=ParticleFilter(boundary=fails_at_nine), n_members=3).begin(2, [0, 1])
    with pytest.raises(ValueError, match="returned NaN"):
        ensemble.test_then_train(bad, y)
    assert_proper(ensemble.test_then_train(X, y))


def cubes(X):
    return np.hstack([X, X**3])


def test_a_function_stays_what_it_was_at_the_beginning():
    X, y = rows(120, 2)
    learner = ParticleFilter(boundary=cubes).begin(2, [0, 1])
    expected = clone(learner).begin(2, [0, 1]).test_then_train(X, y)
    learner.set_params(boundary="linear")
    assert np.array_equal(learner.test_then_train(X, y), expected)
    learner.set_params(boundary=cubes).begin(2, [0, 1])
    with np.errstate(over="ignore"):
        assert_proper(learner.test_then_train(np.full((60, 2), 1e308), y[:60]))


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_particles": 10**9},
        {"batch_size": 10**9},
        {"spread": 1e200},
        {"start": 1e200},
        {"boundary": ("circle", 1e200)},
    ],
    ids=str,
)
def test_absurd_parameters_are_refused(parameters):
    with pytest.raises(ParameterError, match=f"{next(iter(parameters))}.* must be .* at most"):
        ParticleFilter(**parameters).begin(2, [0, 1])


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("span", 1, 60), ("span", 0, 1), ("counts", 1, 0), ("counts", 2, 10**6), ("counts", 3, 33),
        ("counts", 4, 4), ("counts", 7, 1), ("measures", 1, 40.0), ("measures", 2, 1.5), ("measures", 4, 7.0),
        ("y", 3, 2), ("w", 0, -1.0), ("X", 0, 1e200), ("squares", 0, -1.0), ("active", 1, 0.5),
        ("kept", 0, 2.0), ("voters", 0, 1e308), ("tallies", 1, 20.0),
    ],
)
def test_a_number_that_cannot_be_is_refused(name, place, value):
    X, y = rows(120, 2)
    learner = ParticleFilter().begin(2, [0, 1])
    learner.test_then_train(X, y)
    state = learner.state()
    state["memory"][name].reshape(-1)[place] = value
    with pytest.raises(StateError):
        ParticleFilter().restore(state)


@pytest.mark.parametrize("boundary", ["linear", "circle"])
def test_a_new_class_changes_no_prediction_at_once(boundary):
    X, y = rows(500, 2)
    learner = ParticleFilter(boundary=boundary, form="published").begin(2)
    for n_classes in (2, 3, 4):
        learner.test_then_train(X, y % n_classes if n_classes == 2 else np.arange(500) % n_classes)
        before = learner.predict_proba_block(X)
        learner.learn_one(X[0], n_classes)
        assert np.array_equal(learner.predict_proba_block(X).argmax(axis=1), before.argmax(axis=1))
