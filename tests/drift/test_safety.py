"""Detectors that interrupts, threads, forks, states or losses can spoil are caught; ours cannot be spoilt."""

import threading
import time

import numpy as np
import pytest
from twins.drift.page_hinkley import PageHinkleyTwin

from thalweg.checks import detector_safety as safety
from thalweg.checks import faults
from thalweg.checks.running import assert_same, run_checks
from thalweg.drift import ADWIN, DDM, EDDM, HDDM_A, HDDM_W, KSWIN, PageHinkley
from thalweg.drift._native import kswin
from thalweg.drift.base import Detector
from thalweg.errors import StateError
from thalweg.learners import DriftReset


class LosesInterrupts(PageHinkleyTwin):
    """Catches everything and goes on."""

    def update_many(self, losses):
        alarms = []
        for i, loss in enumerate(losses):
            try:
                if self.update(loss):
                    alarms.append(i)
                sum(range(200))
            except BaseException:
                continue
        return np.array(alarms, dtype=np.intp)


class HalfChanged(PageHinkleyTwin):
    """Takes itself apart while it works."""

    def update_many(self, losses):
        low, self._low = self._low, None
        sum(range(10**7))
        self._low = low
        return super().update_many(losses)


class Hurries(PageHinkleyTwin):
    """Waits for no other thread."""

    def update(self, loss):
        n = self._n + 1
        time.sleep(0)
        self._n = n
        return False

    update.is_safe = True


class WaitsForItsThread(PageHinkleyTwin):
    """Has a thread do the work, which a forked process does not have."""

    def reset(self):
        super().reset()
        if not hasattr(self, "_ask"):
            self._ask, self._answer = threading.Semaphore(0), threading.Semaphore(0)
            threading.Thread(target=self._work, daemon=True).start()

    def _work(self):
        while self._ask.acquire():
            self._answer.release()

    def update(self, loss):
        self._ask.release()
        self._answer.acquire()
        return super().update(loss)

    def _state(self):
        return {name: value for name, value in vars(self).items() if name in ("_n", "_mean", "_sum", "_low")}


class BelievesEveryState(PageHinkleyTwin):
    """Becomes whatever it is given."""

    def _restore(self, memory):
        vars(self).update(memory)


class ForgetsWhenItCannotRestore(PageHinkleyTwin):
    """Changes before it checks."""

    def restore(self, state):
        self.reset()
        return super().restore(state)


class BelievesEveryLoss(PageHinkleyTwin):
    """Looks at no loss."""

    def _checked_one(self, loss):
        return loss


class Overflows(PageHinkleyTwin):
    """Squares what it is given, which is no more than 1e100, twice."""

    def update(self, loss):
        self._mean = loss**4 if loss < 1e50 else float("inf")
        return super().update(loss)


CAUGHT = [
    (LosesInterrupts, safety.interrupts_lose_nothing),
    (HalfChanged, safety.interrupts_lose_nothing),
    (Hurries, safety.threads_take_turns),
    (WaitsForItsThread, safety.forks_go_on),
    (BelievesEveryState, safety.damaged_states_are_refused),
    (ForgetsWhenItCannotRestore, safety.damaged_states_are_refused),
    (BelievesEveryLoss, safety.wrong_losses_are_refused),
    (Overflows, safety.extreme_losses_are_harmless),
]


@pytest.mark.parametrize(("broken", "check"), CAUGHT, ids=[broken.__name__ for broken, _ in CAUGHT])
def test_a_broken_detector_is_caught(broken, check, monkeypatch):
    monkeypatch.setattr(faults, "PATIENCE", 1.0)
    with pytest.raises(AssertionError, match=check.__name__):
        run_checks([check], broken(), ())


@pytest.mark.parametrize(
    ("detector", "field", "value", "said"),
    [
        (ADWIN(), 5, 3.0, "buckets"),
        (ADWIN(), 7, 500.0, "sums"),
        (ADWIN(), 8, 1e9, "sums"),
        (ADWIN(), 9, 6.0, "buckets"),
        (DDM(), 3, -1.0, "'n'"),
        (DDM(), 3, 2.0**53 + 2, "'n'"),
        (DDM(), 5, 0.0, "'low'"),
        (EDDM(), 9, 2.0, "'level'"),
        (EDDM(), 8, 0.5, "'high'"),
        (HDDM_A(), 5, 1e6, "'n_low'"),
        (HDDM_W(), 4, 0.01, "'low'"),
        (KSWIN(), 6, 100.0, "'start'"),
        (KSWIN(), 5, 99.5, "whole"),
        (PageHinkley(), 8, 5.0, "'low'"),
        (PageHinkley(), 1, 1e9, "'threshold'.*parameters"),
    ],
)
def test_a_field_that_cannot_be_is_named(detector, field, value, said):
    detector.update_many(safety.errors(600, 0.2))
    state = detector.state()
    state["memory"]["memory"][field] = value
    with pytest.raises(StateError, match=said):
        type(detector)().restore(state)


def test_adwin_recovers_from_huge_losses():
    # What rounding leaves of huge losses, once the window is rid of them, must not hide later changes.
    detector = ADWIN()
    detector.update_many(np.r_[1e90 * np.random.default_rng(0).random(500), np.zeros(4000)])
    assert detector.width <= 4000 and detector.mean == detector.variance == 0.0
    assert len(detector.update_many(np.ones(500))) > 0


def test_kswin_with_large_samples_is_quick_and_right():
    # The limit distribution: D > sqrt(-log(alpha/2)/n) for two samples of n.
    for n in (500, 501, 100_000):
        expected = np.sqrt(n * np.log(2 / 0.005))
        assert kswin.critical_count(n, 0.005) == pytest.approx(expected, rel=0.01, abs=1.5)
    with pytest.raises(ValueError, match="KSWIN: window must be a whole number of at most 1000000"):
        KSWIN(window=10**7).update(0.0)


def test_a_refused_restore_changes_nothing():
    detector = ADWIN(delta=0.05)
    detector.update_many(safety.errors(500, 0.3))
    before, other = detector.state(), ADWIN(delta=0.01).state()
    other["memory"]["memory"][5] = -1.0
    with pytest.raises(StateError):
        detector.restore(other)
    assert detector.delta == 0.05
    assert_same(detector.state(), before)


@pytest.mark.parametrize("damaged", [None, [], {}, {"format": 1}, {"format": 1, "detector": "os:system"}])
def test_what_is_no_state_is_refused(damaged):
    with pytest.raises(StateError):
        DDM().restore(damaged)


def test_parameters_are_set_all_or_none():
    detector = DDM()
    with pytest.raises(ValueError, match="other"):
        detector.set_params(alarm_level=9.0, other=1)
    assert detector.alarm_level == 3.0


class Failing(Detector):
    """Fails at every third loss."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.n_losses = 0

    def update(self, loss):
        self.n_losses += 1
        if self.n_losses % 3 == 0:
            raise RuntimeError(f"no third loss: {self.n_losses}")
        return False


def test_a_failing_detector_is_reported_once_and_the_row_is_learned():
    rng = np.random.default_rng(0)
    X, y = rng.random((10, 2)), rng.integers(0, 2, 10)
    learner = DriftReset(detector=Failing()).begin(2, [0, 1])
    for n_losses in (3, 6):
        with pytest.raises(RuntimeError, match=f"no third loss: {n_losses}") as failed:
            learner.test_then_train(X, y)
        assert failed.value.rows_learned == 3


def test_a_fork_in_the_middle_of_a_change_says_so():
    detector, losses = PageHinkley(), np.zeros(4_000_000)
    busy = threading.Thread(target=detector.update_many, args=(losses,))
    busy.start()
    time.sleep(0.002)
    answers = {faults.in_a_fork(lambda: detector.update(0.0) is not None) for _ in range(3)}
    reset = faults.in_a_fork(lambda: detector.reset() is None and detector.update(0.0) is False)
    busy.join()
    assert answers <= {"True", "RuntimeError"} and reset == "True"


@pytest.mark.parametrize("detector", [ADWIN, KSWIN, PageHinkley])
def test_extreme_losses_are_cut(detector):
    one, other = detector(), detector()
    losses = np.where(np.arange(500) % 7 == 0, 1.7e308, np.arange(500) % 2)
    one.update_many(losses)
    other.update_many(np.minimum(losses, 1e100))
    assert np.array_equal(one.state()["memory"]["memory"], other.state()["memory"]["memory"])
