"""Safety checks of detectors: interrupts, threads, forks, damaged states, losses out of range."""

import copy
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from thalweg._types import Floats, State
from thalweg.checks.faults import SECONDS, can_interrupt, in_a_fork, interrupted, repeated
from thalweg.checks.mutate import NUMBERS, mutated
from thalweg.checks.running import assert_same
from thalweg.drift.base import Detector

TRIES = 3  # interrupts
MUTATIONS = 60
LONG = 5000  # losses after which a wrong mean has no effect any more
N_THREADS = 4
LARGEST = sys.float_info.max


def errors(n: int, rate: float) -> Floats:
    """Return n losses, each 1 with probability `rate` and else 0."""
    return (np.random.default_rng([n, int(1000 * rate)]).random(n) < rate).astype(float)


def interrupts_lose_nothing(detector: Detector, seed: int = 1) -> int:
    """An interrupt at a random moment ends `update_many` soon; continued, the result is the same.

    Returns the number of interrupts that came before the end of the call.
    """
    if not can_interrupt():
        return 0
    losses, seconds = _losses_for(detector, 0.1)
    whole = copy.deepcopy(detector)
    whole.update_many(losses)
    rng, n_interrupts = np.random.default_rng(seed), 0
    for _ in range(TRIES):
        other = copy.deepcopy(detector)
        late = interrupted(partial(other.update_many, losses), rng.uniform(0.05, 0.8) * seconds)
        if late is None:
            continue
        error, delay = late
        n_interrupts += 1
        assert delay < SECONDS, f"ended {delay:.2f} s after the interrupt"
        n_done = getattr(error, "rows_learned", None)
        if n_done is not None:
            other.update_many(losses[n_done:])
            assert_same(other.state(), whole.state(), f"interrupted after loss {n_done}: state")
        else:
            other.update_many(losses[:100])
            other.reset()
            assert_same(_reset(detector).state(), other.state(), "reset after an interrupt: state")
    return n_interrupts


def threads_take_turns(detector: Detector) -> None:
    """Losses from several threads at once are all counted, and states read meanwhile are consistent."""
    loss, n = 0.25, 400
    alone, shared = _reset(detector), _reset(detector)
    for _ in range(N_THREADS * 2 * n):
        alone.update(loss)
    wrong: list[str] = []
    done = threading.Event()

    def feed() -> None:
        try:
            for _ in range(n):
                shared.update(loss)
            for _ in range(4):
                shared.update_many(np.full(n // 4, loss))
        except Exception as error:
            wrong.append(repr(error))

    def read() -> None:
        try:
            while not done.is_set():
                type(detector)().restore(shared.state())
                assert shared.warning in (True, False)
        except Exception as error:
            wrong.append(repr(error))

    _together([feed] * N_THREADS, [read], done)
    assert not wrong, wrong[0]
    assert_same(shared.state(), alone.state(), "after threads took turns: state")


def forks_go_on(detector: Detector) -> None:
    """A forked process can use the detector, after a `reset` if another thread was changing it."""
    if not hasattr(os, "fork"):
        return
    detector, losses = copy.deepcopy(detector), errors(20_000, 0.3)
    detector.update_many(losses[:500])
    assert in_a_fork(lambda: detector.update_many(losses[:500]) is not None) == "True", "no use in a fork"

    def reset_and_use() -> bool:
        detector.reset()
        return len(detector.update_many(losses[:500])) >= 0

    with repeated(lambda: detector.update_many(losses)):
        used, reset = in_a_fork(lambda: detector.update(0.0) in (True, False)), in_a_fork(reset_and_use)
    assert used in ("True", "RuntimeError"), f"forked while another thread used it: {used}"
    assert reset == "True", f"reset in a fork while another thread used it: {reset}"


def damaged_states_are_refused(detector: Detector) -> None:
    """A damaged state is rejected and changes nothing, or the detector works with it."""
    original = copy.deepcopy(detector)
    original.update_many(errors(700, 0.2))
    state = original.state()
    rng = np.random.default_rng(2)
    for _ in range(MUTATIONS):
        try_damaged_detector(original, *mutated(state, rng))
    for what, damaged in _each_number(state, rng):
        try_damaged_detector(original, what, damaged)


def try_damaged_detector(detector: Detector, what: str, damaged: State) -> None:
    """Assert that `detector` rejects a damaged state and is unchanged, or works with it."""
    before = detector.state()
    try:
        detector.restore(damaged)
    except ValueError:
        assert_same(detector.state(), before, f"after a state was refused ({what}), the state")
        return
    try:
        _works(detector, detector.get_params() == type(detector)().restore(before).get_params())
    except Exception as error:
        raise AssertionError(f"accepted a state ({what}) and then: {error!r}") from error
    finally:
        detector.restore(before)


def _works(detector: Detector, as_before: bool) -> None:
    # It gives alarms or not, has few while all losses are 0, can be saved, and after a reset equals a new
    # one. If its parameters are unchanged, it detects that all losses are 1.
    assert all(detector.update(loss) in (True, False) for loss in errors(100, 0.5).tolist())
    assert detector.warning in (True, False)
    alarms = detector.update_many(np.zeros(LONG))
    assert len(alarms) <= 3, f"{len(alarms)} alarms in {LONG} losses of 0"
    type(detector)().restore(detector.state())
    if as_before:
        alarms = detector.update_many(np.ones(LONG))
        assert 0 < len(alarms) < LONG / 10, f"{len(alarms)} alarms in {LONG} losses of 1 after as many of 0"
    detector.reset()
    losses = np.r_[errors(300, 0.1), errors(200, 0.7)]
    alarms, fresh = detector.update_many(losses), clone(detector).update_many(losses)
    is_random = getattr(detector, "random_state", 0) is None
    assert is_random or np.array_equal(alarms, fresh), "after a reset it is not like a new one"


def wrong_losses_are_refused(detector: Detector) -> None:
    """A loss that is not a finite number within the range of the detector is rejected and changes nothing."""
    detector = copy.deepcopy(detector)
    detector.update_many(errors(100, 0.3))
    numbers = [float("nan"), float("inf"), -float("inf")]
    if detector.highest < LARGEST:
        numbers += [detector.highest + 0.5, detector.lowest - 0.5, 1e300]
    others: list[Any] = [None, "a", 1j, [], [0.5, 0.5], {}]
    for loss in [*numbers, *others]:
        _refuses(detector, detector.update, loss)
    sequences: list[Any] = [["a"], [[0.0, 1.0]], [None], 0.5, {}, None]
    for losses in [*([0.0, loss] for loss in numbers), *sequences]:
        _refuses(detector, detector.update_many, losses)


def extreme_losses_are_harmless(detector: Detector) -> None:
    """After the largest and smallest losses of its range the detector works and can be saved."""
    low, high = detector.lowest, detector.highest
    extremes = {
        "the largest": [high], "the smallest": [low], "both": [low, high], "tiny": [1e-320, 0.0],
        "one wild": [0.0] * 50 + [high] + [0.0] * 200, "one wild below": [0.5] * 50 + [low] + [0.5] * 200,
    }
    for kind, losses in extremes.items():
        other = copy.deepcopy(detector)
        try:
            other.update_many(np.resize(losses, 3000))
            assert other.update(losses[0]) in (True, False)
            type(detector)().restore(other.state())
            _works(other, as_before=False)
        except Exception as error:
            raise AssertionError(f"{kind}: {error!r}") from error


def _reset(detector: Detector) -> Detector:
    # A new detector with the same parameters, after `reset`.
    other = copy.deepcopy(detector)
    other.reset()
    return other


def _losses_for(detector: Detector, seconds: float) -> tuple[Floats, float]:
    # Enough losses for about this processor time, and the time spent.
    losses = errors(1000, 0.2)
    for _ in range(8):
        other, start = copy.deepcopy(detector), time.process_time()
        other.update_many(losses)
        spent = time.process_time() - start
        if spent > seconds / 2 or len(losses) > 10**7:
            break
        losses = np.tile(losses, int(np.clip(seconds / max(spent, 1e-6), 2, 10)))
    return losses, spent


def _together(
    works: list[Callable[[], None]], others: list[Callable[[], None]], done: threading.Event
) -> None:
    # Run all on threads that switch often; `done` is set when the first group has finished.
    threads = [threading.Thread(target=work) for work in works]
    watchers = [threading.Thread(target=work) for work in others]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in (*watchers, *threads):
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        done.set()
        for thread in watchers:
            thread.join()
        sys.setswitchinterval(interval)


def _each_number(state: dict[str, Any], rng: np.random.Generator) -> Iterator[tuple[str, State]]:
    # A copy of the state for each number in it (for some of those in long arrays), with that number changed.
    for name, value in state["memory"].items():
        places = list(np.ndindex(np.shape(value)))
        for place in places[:20] + [places[i] for i in rng.permutation(range(20, len(places)))[:10]]:
            damaged = copy.deepcopy(state)
            other = NUMBERS[rng.integers(len(NUMBERS))]
            if isinstance(value, np.ndarray):
                damaged["memory"][name][place] = other
            else:
                damaged["memory"][name] = other
            yield f"memory.{name}{list(place)} became {other}", damaged


def _refuses(detector: Detector, call: Callable[[Any], object], losses: Any) -> None:
    before = detector.state()
    try:
        call(losses)
    except (TypeError, ValueError):
        assert_same(detector.state(), before, f"after {losses!r} was refused, the state")
    else:
        raise AssertionError(f"{losses!r} was accepted as a loss")


SAFETY_CHECKS: list[Callable[[Any], object]] = [
    interrupts_lose_nothing,
    threads_take_turns,
    forks_go_on,
    damaged_states_are_refused,
    wrong_losses_are_refused,
    extreme_losses_are_harmless,
]
