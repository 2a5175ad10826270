"""Runs in constant memory: totals are kept, codes and probabilities of single rows are not."""

from dataclasses import KW_ONLY, dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Floats, Ints
from thalweg.evaluation.baselines import Baselines
from thalweg.evaluation.loop import Record
from thalweg.evaluation.run import Run
from thalweg.evaluation.tally import LEARNER, ROWS_AT_A_TIME, Tally

ROWS = ("codes", "probabilities", "baselines", "predicted")
_WAITING_ROWS = ROWS_AT_A_TIME // 8


@dataclass(repr=False)
class TotalsRun(Run):
    """A Run that keeps totals only, for streams without end: `prequential(…, keep="totals")` returns it.

    It has all metrics of a Run but AUC and recovery, and all charts; the accuracy over time is that of 128 to
    256 equal parts. It has no codes, probabilities or answers of single rows, so `part`, `to_frame` and
    metrics with `window` or `fade` raise an AttributeError.

    Attributes
    ----------
    tally : Tally
        The totals.
    """

    _: KW_ONLY
    tally: Tally = field(default_factory=lambda: Tally(1))
    keeps_rows = False

    def __post_init__(self) -> None:
        for name in ROWS:
            self.__dict__.pop(name, None)

    def __getattr__(self, name: str) -> Any:
        if name in ROWS:
            raise AttributeError(
                f'this Run keeps totals only and has no {name}: use keep="rows" for single rows, windows, '
                "fading, AUC, recovery and parts"
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def of_baseline(self, name: str) -> "TotalsRun":
        """Return a baseline as a Run; what needs its probabilities is not defined."""
        same = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in ROWS}
        same |= {"learner": name, "parameters": {}, "alarms": self.alarms[:0], "estimates": None}
        same |= {"tally": self.tally.of(name)}
        return TotalsRun(**same, **_no_rows())


class TotalsRecord(Record):
    """Adds the tested rows to a Tally; at most 8,192 rows wait for the answers of the baselines."""

    def __init__(self, n_classes: int, most_classes: int | None = None) -> None:
        self.n_classes = n_classes
        self.n = self.n_learned = self.reached = 0
        self.learner_seconds = 0.0
        self.interrupted = self.timed_out = False
        self._numbers = None
        self._baselines = Baselines(n_classes, most_classes)
        self._tally = Tally(n_classes)
        self.watcher = self.follower = self.costs = None
        self._waiting: list[tuple[Ints, Floats, NDArray[np.int32]]] = []
        self._n_waiting = 0
        self._highest = -1

    @property
    def n_unlabelled(self) -> int:
        """Number of rows of the stream used so far that have no label."""
        self._add_waiting()
        return self._tally.n - self._tally.n_scored

    @property
    def highest_code(self) -> int:
        """The highest code of a label so far, -1 before the first."""
        return self._highest

    def set_classes(self, n_classes: int) -> None:
        """Increase the number of classes; the new ones have probability 0 in the rows so far."""
        self._add_waiting()
        self._baselines.set_classes(n_classes)
        self._tally.set_classes(n_classes)
        self.n_classes = n_classes

    def running_accuracy(self) -> float:
        """Return the accuracy so far, NaN before the first scored row."""
        self._add_waiting()
        n_scored = self._tally.n_scored
        return int(self._tally.confusions[LEARNER].trace()) / n_scored if n_scored else float("nan")

    def arrays(self, order: Ints | None = None) -> dict[str, Any]:
        """Return the recorded fields of a TotalsRun; `order` are the codes of the Run's classes."""
        self._add_waiting()
        if order is not None:
            self._tally.reorder(order)
        ended = {"interrupted": self.interrupted, "timed_out": self.timed_out}
        return {**_no_rows(), "tally": self._tally, **ended}

    def _add_tested(
        self, codes: Ints, p: Floats, row: int | None, sets: NDArray[np.int32] | None = None
    ) -> None:
        kept = np.empty((len(codes), 0), np.int32) if sets is None else sets
        self._waiting.append((np.array(codes), np.array(p), kept))
        self._n_waiting += len(codes)
        self._highest = max(self._highest, int(codes.max(initial=-1)))
        self.n += len(codes)
        if self._n_waiting > _WAITING_ROWS:
            self._add_waiting()

    def _add_waiting(self) -> None:
        waiting, self._waiting, self._n_waiting = self._waiting, [], 0
        if not waiting:
            return
        answers = self._baselines.new_codes()
        codes, probabilities, sets = (np.concatenate(parts) for parts in zip(*waiting, strict=True))
        n = min(len(codes), *map(len, answers.values()))  # they differ if Ctrl-C came in between
        self._tally.costs = self._cost_matrix()
        known = {name: given[:n] for name, given in answers.items()}
        self._tally.add(codes[:n], probabilities[:n], known, sets[:n] if sets.shape[1] else None)


def _no_rows() -> dict[str, Any]:
    nothing: NDArray[Any] = np.empty(0, dtype=np.int8)
    return {"codes": nothing, "probabilities": np.empty((0, 1)), "baselines": {}}
