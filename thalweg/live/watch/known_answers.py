"""Which answers were right, as labels come: lately, in all, and over the rows."""

from typing import Any, Self

import numpy as np

from thalweg._bounded_record import halved
from thalweg._types import Floats, Ints, Mask
from thalweg.errors import StateError, short_repr
from thalweg.evaluation.baselines import BASELINES
from thalweg.live.watch.part import Part

LEARNER = "learner"
ANSWERERS = (LEARNER, *BASELINES)
WINDOW = 1000
MOST_PARTS, FIRST_SIZE = 256, 20
MOST_POINTS, LEAST_ROWS = 64, 100
_SIZES = [FIRST_SIZE << i for i in range(50)]


class KnownAnswers(Part):
    """Counts of answers of the learner and of the baselines that are known to be right or wrong.

    Attributes
    ----------
    n_rows, n_labels : int
        Rows predicted, and labels that came for them.
    total : ndarray
        Right answers of each answerer.
    latest : ndarray of (1000, answerers)
        Which of them were right for the latest labels; label i is in line i % 1000.
    part_size, times, known, right : int and ndarrays
        The rows are cut into 128 to 256 equal parts: when the first row of each came, how many of its labels
        are known, and how many answers were right.
    """

    def __init__(self) -> None:
        self.n_rows = 0
        self.n_labels = 0
        self.total = np.zeros(len(ANSWERERS), dtype=np.int64)
        self.latest = np.zeros((WINDOW, len(ANSWERERS)), dtype=bool)
        self.part_size = FIRST_SIZE
        self.times = np.zeros(MOST_PARTS)
        self.known = np.zeros(MOST_PARTS, dtype=np.int64)
        self.right = np.zeros((MOST_PARTS, len(ANSWERERS)), dtype=np.int64)

    def restore(self, state: Any) -> Self:
        """Go on from what `state` returned; raise StateError, and change nothing, if it does not fit."""
        size = state.get("part_size") if isinstance(state, dict) else None
        if type(size) is not int or size not in _SIZES:
            raise StateError(f"KnownAnswers: {short_repr(size)} is not the size of a part")
        return super().restore(state)

    def add_rows(self, times: Floats) -> None:
        """Take note of rows that were predicted at these times."""
        end = self.n_rows + len(times)
        while end > MOST_PARTS * self.part_size:
            self.times = np.concatenate([self.times[::2], np.zeros(MOST_PARTS // 2)])
            self.known, self.right = halved(self.known, add=True), halved(self.right, add=True)
            self.part_size *= 2
        starts = np.arange(-(-self.n_rows // self.part_size), -(-end // self.part_size))
        self.times[starts] = times[starts * self.part_size - self.n_rows]
        self.n_rows = end

    def add_labels(self, numbers: Ints, right: Mask) -> None:
        """Add labels of rows of these numbers; `right` is labels × answerers."""
        parts = numbers // self.part_size
        self.known += np.bincount(parts, minlength=MOST_PARTS)
        for i in range(len(ANSWERERS)):
            self.right[:, i] += np.bincount(parts[right[:, i]], minlength=MOST_PARTS)
        self.total += right.sum(axis=0)
        kept = right[-WINDOW:]
        places = (self.n_labels + len(right) - len(kept) + np.arange(len(kept))) % WINDOW
        self.latest[places] = kept
        self.n_labels += len(right)

    def snapshot(self) -> dict[str, Any]:
        """Return the accuracy of each answerer lately, in all and over the rows; None where unknown."""
        n = min(self.n_labels, WINDOW)
        recent = self.latest[:n].sum(axis=0)
        return {
            "now": {"labels": n} | _accuracies(recent, n),
            "all": {"labels": self.n_labels} | _accuracies(self.total, self.n_labels),
            "over_time": self._over_time(),
        }

    def _over_time(self) -> dict[str, list[Any]]:
        """Return up to 64 stretches of at least 100 rows: their ends, first times, labels and accuracies."""
        n_parts = -(-self.n_rows // self.part_size)
        if not n_parts:
            return {name: [] for name in ("rows", "times", "labels", *ANSWERERS)}
        together = max(-(-n_parts // MOST_POINTS), -(-LEAST_ROWS // self.part_size))
        starts = np.arange(0, n_parts, together)
        labels = np.add.reduceat(self.known[:n_parts], starts)
        right = np.add.reduceat(self.right[:n_parts], starts, axis=0)
        rows = np.minimum((starts + together) * self.part_size, self.n_rows)
        shares = [[r / n if n else None for r, n in zip(column, labels.tolist(), strict=True)]
                  for column in right.T.tolist()]
        found = {"rows": rows.tolist(), "times": self.times[starts].tolist(), "labels": labels.tolist()}
        return found | dict(zip(ANSWERERS, shares, strict=True))


def _accuracies(right: Any, n: int) -> dict[str, float | None]:
    return {name: int(r) / n if n else None for name, r in zip(ANSWERERS, right, strict=True)}
