"""The accuracy that could be estimated during a run, before all labels had come."""

from typing import Any, NamedTuple

import numpy as np

from thalweg._parameters import wrong
from thalweg._types import Floats, Ints, Mask
from thalweg.evaluation.arrivals import NEVER, Arrivals
from thalweg.evaluation.run import Run
from thalweg.trust.accuracy_estimate import AccuracyEstimate
from thalweg.trust.followed_labels import FollowedLabels
from thalweg.trust.window_estimates import WindowEstimates

ROWS_AT_A_TIME = 1000


class EstimateFollower:
    """Gives an estimate what a learner said of each row, and each label when it comes."""

    def __init__(self, estimate: AccuracyEstimate, arrivals: Arrivals) -> None:
        self.estimate, self._arrivals = estimate, arrivals
        self._followed, self._before, self._start = FollowedLabels(estimate), estimate.n_rows_, 0
        self._waiting: list[tuple[Ints, Floats, Ints]] = []
        self._n_waiting = 0

    def add(self, codes: Ints, p: Floats, answers: Ints) -> None:
        """Take rows that were tested: the codes of their labels, their probabilities, and the answers."""
        self._waiting.append((np.array(codes), np.array(p), np.array(answers)))
        self._n_waiting += len(codes)
        if self._n_waiting >= ROWS_AT_A_TIME:
            self._pass_on()

    def estimates(self) -> WindowEstimates | None:
        """Return the windows so far; None if there is no row."""
        self._pass_on()
        return self.estimate.estimates() if self.estimate.n_rows_ else None

    def _pass_on(self) -> None:
        waiting, self._waiting, self._n_waiting = self._waiting, [], 0
        for codes, p, answers in waiting:
            comes = self._arrivals.of(self._start, len(codes))
            comes = np.where(comes == NEVER, NEVER, comes + np.where(comes == NEVER, 0, self._before))
            self._followed.add(_normalised(p), codes.astype(np.intp), comes, answers.astype(np.intp))
            self._start += len(codes)


class Judged(NamedTuple):
    """The windows of a run whose accuracy was estimated at their end, and what it was in truth."""

    rows: Ints
    said: Floats
    low: Floats
    high: Floats
    truth: Floats

    @property
    def covered(self) -> Mask:
        """Whether the truth is in the interval."""
        return (self.low - 1e-9 <= self.truth) & (self.truth <= self.high + 1e-9)

    @property
    def error(self) -> float:
        """The mean distance of estimate and truth."""
        return float(np.abs(self.said - self.truth).mean()) if len(self.said) else np.nan


def as_estimate(given: Any, who: str) -> AccuracyEstimate | None:
    """Return the estimate that the parameter `estimate` stands for, or None."""
    if given is None or given is False:
        return None
    if given is True:
        return AccuracyEstimate()
    if not isinstance(given, AccuracyEstimate):
        raise wrong(who, "estimate", "True, False or an AccuracyEstimate", given)
    return given


def judged(run: Run) -> Judged | None:
    """Return the estimates of a run beside the truth; None if nothing was estimated.

    The truth is that of all rows with a label, also of those that the learner never got.
    """
    found = run.estimates
    if found is None:
        return None
    truth = found.settled
    if run.keeps_rows and len(run.codes) == int(found.stop[-1]):
        scored = np.concatenate([[0], np.cumsum(run.codes >= 0)])
        right = np.concatenate([[0], np.cumsum(run.codes == run.predicted)])
        n = scored[found.stop] - scored[found.start]
        truth = np.where(n > 0, (right[found.stop] - right[found.start]) / np.maximum(n, 1), np.nan)
    kept = ~np.isnan(found.said) & ~np.isnan(truth)
    numbers = (found.said[kept], found.said_low[kept], found.said_high[kept], truth[kept])
    return Judged(found.stop[kept], *numbers)


def _normalised(p: Floats) -> Floats:
    """Return probabilities that sum to 1, whatever another library's model said."""
    p = np.clip(np.nan_to_num(p), 0.0, None)
    total = p.sum(axis=1, keepdims=True)
    return np.where(total > 0, p / np.where(total > 0, total, 1.0), 1.0 / p.shape[1])
