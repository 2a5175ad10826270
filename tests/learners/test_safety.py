"""The safety checks catch learners that break each of them."""

import threading
import time

import numpy as np
import pytest
from support.counting import Counting

from thalweg._native import layout
from thalweg.checks import faults, safety


class LosesInterrupts(Counting):
    """Catches everything and goes on."""

    def _learn(self, X, y, w, p):
        for i in range(len(X)):
            try:
                super()._learn(X[i : i + 1], y[i : i + 1], w[i : i + 1], p[i : i + 1])
                sum(range(100))
            except BaseException:
                p[i] = 1 / p.shape[1]


class HalfChanged(Counting):
    """Is not itself while it learns."""

    def _learn(self, X, y, w, p):
        counts, self._counts = self._counts, np.full_like(self._counts, np.nan)
        for i in range(len(X)):
            p[i] = (counts + 1) / (counts + 1).sum()
            counts[y[i]] += w[i]
        self._counts = counts


class DropsMemoryErrors(Counting):
    """Carries on as if nothing were when there is no memory."""

    def _learn(self, X, y, w, p):
        super()._learn(X, y, w, p)
        try:
            self._counts = layout.new_array(len(self._counts), float) + self._counts
        except MemoryError:
            self._counts *= np.nan


class SharesItsScratch(Counting):
    """Works in a buffer that all threads share."""

    def _predict(self, X, p):
        self._buffer = X
        time.sleep(1e-4)
        near = np.exp(-np.abs(self._buffer[: len(p), :1]) - np.arange(p.shape[1]))
        p[:] = near[0] / near[0].sum()

    def _state(self):
        return {"_counts": self._counts.copy()}


class WaitsForItsThread(Counting):
    """Has a thread do the work, which a forked process does not have."""

    def _begin(self, n_features, n_classes):
        super()._begin(n_features, n_classes)
        self._ask, self._answer = threading.Semaphore(0), threading.Semaphore(0)
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self):
        while self._ask.acquire():
            self._answer.release()

    def _predict(self, X, p):
        self._ask.release()
        self._answer.acquire()
        super()._predict(X, p)

    def _state(self):
        return {"_counts": self._counts.copy()}


class BelievesEveryState(Counting):
    """Becomes whatever it is given."""

    def _restore(self, memory):
        self._counts = memory["_counts"]


class BelievesEveryRow(Counting):
    """Looks at no shape."""

    def learn_one(self, x, y):
        self._counts[y] += 1


class ForgetsWhenItCannotBegin(Counting):
    """Begins before it checks."""

    def begin(self, n_features, classes, *, names=None, n_categories=None):
        if hasattr(self, "_counts"):
            self._counts[:] = 0
        return super().begin(n_features, classes, names=names, n_categories=n_categories)


class Overflows(Counting):
    """Squares what it is given."""

    def _predict(self, X, p):
        far = (X * X * X).sum(axis=1)
        super()._predict(X, p)
        p *= np.where(np.isfinite(far), 1.0, np.nan)[:, None]


CAUGHT = [
    (LosesInterrupts, safety.interrupts_lose_nothing),
    (HalfChanged, safety.interrupts_lose_nothing),
    (DropsMemoryErrors, safety.failed_allocations_lose_nothing),
    (SharesItsScratch, safety.threads_get_what_one_gets),
    (BelievesEveryState, safety.damaged_states_are_refused),
    (BelievesEveryRow, safety.rows_of_wrong_shape_are_refused),
    (ForgetsWhenItCannotBegin, safety.failed_beginnings_change_nothing),
    (Overflows, safety.extreme_numbers_stay_proper),
]


@pytest.mark.parametrize("check", safety.SAFETY_CHECKS, ids=lambda check: check.__name__)
def test_a_right_learner_passes(check):
    check(Counting())


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
@pytest.mark.parametrize(("broken", "check"), CAUGHT, ids=lambda each: each.__name__)
def test_a_broken_learner_is_caught(broken, check):
    with pytest.raises(AssertionError):
        check(broken())


def test_a_learner_that_hangs_after_a_fork_is_caught(monkeypatch):
    monkeypatch.setattr(faults, "PATIENCE", 1.0)
    with pytest.raises(AssertionError, match="does not work in a forked process"):
        safety.forks_go_on(WaitsForItsThread())
