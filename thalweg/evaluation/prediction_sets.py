"""What prediction sets said about tested rows: how many classes they have, and whether the label is in."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Floats, Ints, Mask
from thalweg.evaluation.steps import Step
from thalweg.trust.prediction_sets import PredictionSets, Thresholds

N_COLUMNS = 2
"""Of what is kept of the set of a row: its size before the rule that no set is empty, and 1 if the label is
in it, else 0."""
NOTHING = 2.0


class SetsWatcher:
    """Finds out what a PredictionSets answered to the rows that a step tested.

    A set is known by its threshold: it has the classes whose probabilities reach that, or the likeliest one.
    """

    def __init__(self, learner: PredictionSets) -> None:
        self._learner = learner
        self._thresholds = Thresholds()
        self._n_known = 0
        learner.record_thresholds(self._thresholds)

    def before(self) -> None:
        """Note how many classes the learner knows before a step."""
        self._n_known = len(self._learner.classes_)

    def after(self, step: Step, p: Floats, n: int) -> NDArray[np.int32]:
        """Return what is kept of the sets of the tested rows among the first `n` of a step."""
        t = self._thresholds.take()
        if step.codes is None or step.tested is False:
            return np.empty((0, N_COLUMNS), dtype=np.int32)
        codes = step.codes[:n]
        known = _known_before(codes, np.broadcast_to(step.learned, len(step.X))[:n], self._n_known)
        if step.tested is not True:
            tested = step.tested[:n]
            codes, p, known = codes[tested], p[:n][tested], known[tested]
        t = np.concatenate([t, np.full(len(codes), NOTHING)])[: len(codes)]  # the rest after Ctrl-C
        return _judged(codes, p[: len(codes)], t, known)

    def end(self) -> None:
        """Let the learner record no longer."""
        self._learner.record_thresholds(None)


def watcher_of(learner: Any) -> SetsWatcher | None:
    """Return a watcher of a learner that answers with sets; None for others."""
    return SetsWatcher(learner) if isinstance(learner, PredictionSets) else None


def _known_before(codes: Ints, learned: Mask, n_first: int) -> Ints:
    """Return how many classes were known before each row: a label makes itself and all before it known."""
    seen = np.append(n_first, np.where(learned, codes + 1, 0))
    return np.maximum.accumulate(seen)[:-1]


def _judged(codes: Ints, p: Floats, t: Floats, known: Ints) -> NDArray[np.int32]:
    found = np.empty((len(codes), N_COLUMNS), dtype=np.int32)
    found[:, 0] = np.where(t > 0, (p >= t[:, None]).sum(axis=1), known)  # at 0 all known classes are in
    reached = p[np.arange(len(codes)), np.maximum(codes, 0)] >= t
    found[:, 1] = reached & (codes >= 0) & (codes < known)
    return found
