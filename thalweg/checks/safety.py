"""Safety checks of learners: interrupts, lack of memory, threads, forks, damaged states, bad rows."""

import os
import threading
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from thalweg._types import Floats, Ints, State
from thalweg.checks.faults import SECONDS, can_interrupt, failing_allocation, in_a_fork, interrupted, repeated
from thalweg.checks.mutate import mutated, n_values
from thalweg.checks.rows import assert_proper, begun, rows, taught
from thalweg.checks.running import assert_same
from thalweg.errors import StateError
from thalweg.learners.base.stream_classifier import StreamClassifier

TRIES = 3  # interrupts, failed allocations
MUTATIONS = 60
FEWER, MANY_VALUES = 20, 400  # mutations of a state of many values: of members, which are tested alone too


def interrupts_lose_nothing(learner: StreamClassifier, seed: int = 1) -> int:
    """An interrupt at a random moment ends the call soon; continued, the result is the same.

    Returns the number of interrupts that came before the end of the call.
    """
    if not can_interrupt():
        return 0
    X, y, seconds = _rows_for(learner, 0.06)
    whole = taught(learner, X, y)
    n = len(X) - 1  # the last row finishes what an interrupt at the end of a call put off
    rng, n_interrupts = np.random.default_rng(seed), 0
    for _ in range(TRIES):
        other = begun(learner)
        late = interrupted(partial(other.test_then_train, X[:n], y[:n]), rng.uniform(0.05, 0.8) * seconds)
        if late is None:
            continue
        error, delay = late
        n_interrupts += 1
        assert delay < SECONDS, f"ended {delay:.2f} s after the interrupt"
        assert_proper(other.predict_proba_block(X[:50]))
        n_learned = getattr(error, "rows_learned", None)
        if n_learned is not None:
            other.test_then_train(X[n_learned:], y[n_learned:])
            assert_same(other.state(), whole.state(), f"interrupted after row {n_learned}: state")
        else:
            assert_proper(other.test_then_train(X[:200], y[:200]))
    return n_interrupts


def failed_allocations_lose_nothing(learner: StreamClassifier) -> None:
    """A MemoryError while compiled code learns is raised once, and the learner still works."""
    X, y = rows(600)
    for k in range(TRIES * 2):
        other = begun(learner)
        with failing_allocation(k + 1) as failed:
            try:
                other.test_then_train(X, y)
            except MemoryError:
                assert failed(), "an unexpected MemoryError"
            else:
                assert not failed(), "an allocation failed, but no MemoryError was raised"
        assert_proper(other.predict_proba_block(X[:50]))
        assert_proper(other.test_then_train(X, y))
        type(learner)().restore(other.state())


def threads_get_what_one_gets(learner: StreamClassifier) -> None:
    """Threads that predict while another learns get predictions that are correct between two calls."""
    X, y = rows(400)
    cuts = range(0, len(X), 40)
    probes = [X[:7], X[7:20], X[20:60]]
    alone = begun(learner)
    expected: list[set[bytes]] = [set() for _ in probes]
    for start in (None, *cuts):
        if start is not None:
            alone.test_then_train(X[start : start + 40], y[start : start + 40])
        for probe, answers in zip(probes, expected, strict=True):
            answers.add(alone.predict_proba_block(probe).tobytes())
    shared, done = begun(learner), threading.Event()
    wrong: list[str] = []

    def ask(probe: Floats, answers: set[bytes]) -> None:
        n_asked = 0
        try:
            while not wrong and (n_asked < 20 or not done.is_set()):
                n_asked += 1
                if shared.predict_proba_block(probe).tobytes() not in answers:
                    wrong.append("a prediction that a single thread never gets")
                shared.predict_proba_one(probe[0])
        except Exception as error:
            wrong.append(repr(error))

    threads = [threading.Thread(target=ask, args=each) for each in zip(probes, expected, strict=True)]
    for thread in threads:
        thread.start()
    try:
        for start in cuts:
            shared.test_then_train(X[start : start + 40], y[start : start + 40])
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert not wrong, wrong[0]
    assert_same(shared.state(), alone.state(), "after threads asked: state")


def forks_go_on(learner: StreamClassifier) -> None:
    """A forked process can use the learner, or gets an error if another thread was changing it."""
    if not hasattr(os, "fork"):
        return
    X, y = rows(300)
    learner = taught(learner, X, y)
    expected = learner.predict_proba_block(X)

    def use() -> bool:
        same = np.array_equal(learner.predict_proba_block(X), expected)
        learner.test_then_train(X, y)
        return same

    assert in_a_fork(use) == "True", "the learner does not work in a forked process"
    with repeated(lambda: learner.test_then_train(X, y)):
        answer = in_a_fork(lambda: np.isfinite(learner.predict_proba_block(X)).all())
    assert answer in ("True", "RuntimeError"), f"forked while another thread learned: {answer}"


def damaged_states_are_refused(learner: StreamClassifier) -> None:
    """A damaged state is rejected by StateError and changes nothing, or the learner works with it."""
    X, y = rows(300, with_gaps=True)
    original = taught(learner, X, y)
    original.observe(X[:20], np.arange(20))
    state = original.state()
    rng = np.random.default_rng(2)
    for _ in range(MUTATIONS if n_values(state) <= MANY_VALUES else FEWER):
        try_damaged_state(original, *mutated(state, rng), X, y)
    original.restore(state)


def try_damaged_state(learner: StreamClassifier, what: str, damaged: State, X: Floats, y: Ints) -> None:
    """Assert that `learner` rejects a damaged state and is unchanged, or works with it."""
    before = learner.state()
    try:
        learner.restore(damaged)
    except (StateError, MemoryError):  # a parameter may ask for more rows than there is memory for
        assert_same(learner.state(), before, f"after a state was refused ({what}), the state")
        return
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            width = learner.n_features_in_ if hasattr(learner, "classes_") else X.shape[1]
            if width == X.shape[1] and hasattr(learner, "classes_"):
                codes = y % len(learner.classes_)
                assert_proper(learner.predict_proba_block(X[:40]))
                learner.observe(X[20:60])
                assert_proper(learner.test_then_train_coded(X, codes))
                assert_proper(learner.predict_proba_block(X[:40]))
        except AssertionError as error:
            raise AssertionError(f"accepted a state ({what}) and then: {error}") from error
        except Exception as error:
            # A learner may check a parameter when it uses it.
            if not what.startswith("parameters"):
                raise AssertionError(f"accepted a state ({what}) and then: {error!r}") from error
    learner.restore(before)


def rows_of_wrong_shape_are_refused(learner: StreamClassifier) -> None:
    """One-row methods reject several rows, wrong widths and other shapes."""
    X, y = rows(60)
    learner = taught(learner, X, y)
    before = learner.state()
    for shape in ((5, 3), (2, 3), (3, 1), (1, 1, 3), (2,), (4,), (0,), (), (0, 3)):
        for call in (lambda x: learner.learn_one(x, 0), learner.predict_one, learner.predict_proba_one):
            for form in (np.ones(shape), np.ones(shape).tolist(), np.ones(shape, dtype=np.float32)):
                try:
                    call(form)
                except ValueError:
                    continue
                raise AssertionError(f"a row of shape {shape} was accepted")
        assert_same(learner.state(), before, f"after a row of shape {shape}, the state")


def failed_beginnings_change_nothing(learner: StreamClassifier) -> None:
    """`begin` with arguments it cannot use does not change the learner."""
    X, y = rows(60)
    learner = taught(learner, X, y)
    before = learner.state()
    right: dict[str, Any] = {"n_features": 3, "classes": [0, 1]}
    wrong: list[dict[str, Any]] = [
        {"n_features": 0}, {"n_features": -1}, {"n_features": 2.5}, {"classes": []}, {"classes": [0, 0]},
        {"classes": [None, 1]}, {"names": ["a", "b"]}, {"names": ["a", "a", "b"]},
        {"n_categories": [-5, 1, 1]}, {"n_categories": [3]}, {"n_categories": [0.5, 0, 0]},
    ]
    for arguments in wrong:
        try:
            learner.begin(**right | arguments)
        except ValueError:
            assert_same(learner.state(), before, f"after begin with {arguments}, the state")
        else:
            raise AssertionError(f"begin with {arguments} was accepted")


def extreme_numbers_stay_proper(learner: StreamClassifier) -> None:
    """Values to ±1.8e308, mixed magnitudes, tiny and huge weights: probabilities stay proper."""
    X, y = rows(120)
    rng = np.random.default_rng(3)
    largest = np.finfo(float).max
    mixed = np.sign(X) * 10.0 ** rng.uniform(-300, 300, X.shape)
    kinds = {
        "the largest": np.where(X > 0, largest, -largest),
        "mixed magnitudes": mixed,
        "magnitudes by column": X * np.array([1e-300, 1.0, 1e300]),
        "denormal": X * 1e-310,
        "one wild value": np.where(np.arange(len(X))[:, None] == 60, largest, X),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind, values in kinds.items():
            _learns_properly(learner, values, y, np.ones(len(X)), kind)
        for kind, w in {"1e100": 1e100, "1e-300": 1e-300}.items():
            _learns_properly(learner, X, y, np.full(len(X), w), f"weights of {kind}")
        _learns_properly(learner, mixed, y, 10.0 ** rng.uniform(-300, 100, len(X)), "mixed numbers")


def _learns_properly(learner: StreamClassifier, X: Floats, y: ArrayLike, w: Floats, kind: str) -> None:
    other = begun(learner)
    try:
        assert_proper(other.test_then_train(X, y, sample_weight=w))
        assert_proper(other.predict_proba_block(X))
        assert_proper(other.test_then_train(*rows(30)))
    except Exception as error:
        raise AssertionError(f"{kind}: {error}") from error


def _rows_for(learner: StreamClassifier, seconds: float) -> tuple[Floats, Ints, float]:
    # Enough rows for about this processor time, and the time spent.
    X, y = rows(300)
    for _ in range(8):
        other, start = begun(learner), time.process_time()
        other.test_then_train(X, y)
        spent = time.process_time() - start
        if spent > seconds / 2 or len(X) > 200_000:
            break
        times = int(np.clip(seconds / max(spent, 1e-6), 2, 8))
        X, y = np.tile(X, (times, 1)), np.tile(y, times)
    return X, y, spent


SAFETY_CHECKS: list[Callable[[Any], object]] = [
    interrupts_lose_nothing,
    failed_allocations_lose_nothing,
    threads_get_what_one_gets,
    forks_go_on,
    damaged_states_are_refused,
    rows_of_wrong_shape_are_refused,
    failed_beginnings_change_nothing,
    extreme_numbers_stay_proper,
]
