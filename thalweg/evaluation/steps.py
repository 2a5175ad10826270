"""The steps of a protocol: rows to test and to learn."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thalweg._types import Floats, Ints, Mask, Numbers

if TYPE_CHECKING:
    from thalweg.evaluation.asked_labels import Asking


class Step(NamedTuple):
    """Rows to test, to learn, or to test and then learn, one row after another.

    `tested` and `learned` say which, for all rows or for each row; `codes` are the labels. Rows without codes
    are only observed; those that are `observed` are tested and then observed. `row` is the current row of the
    stream, if the tested rows are not rows of the stream. If the learner observes, rows have `ids`.

    With `asking`, rows are tested up to the first whose label is asked for, which may not be the last of the
    step; `at_once` says of each row whether its label would then come at once.
    """

    X: Floats
    codes: Ints | None = None
    tested: bool | Mask = False
    learned: bool | Mask = False
    observed: bool | Mask = False
    row: int | None = None
    ids: Numbers | None = None
    at_once: Mask | None = None
    asking: "Asking | None" = None

    def part(self, start: int, stop: int) -> "Step":
        """Return the step for the rows from `start` to `stop`."""
        rows, row = slice(start, stop), self.row
        if row is not None and self.tested is False:
            row -= len(self.X) - stop
        return self._replace(
            X=self.X[rows],
            codes=None if self.codes is None else self.codes[rows],
            tested=self.tested if isinstance(self.tested, bool) else self.tested[rows],
            learned=self.learned if isinstance(self.learned, bool) else self.learned[rows],
            observed=self.observed if isinstance(self.observed, bool) else self.observed[rows],
            row=row,
            ids=None if self.ids is None else self.ids[rows],
            at_once=None if self.at_once is None else self.at_once[rows],
        )

    def learned_rows(self) -> tuple[Floats, Ints]:
        """Return the rows that are learned, and their codes."""
        if self.codes is None or self.learned is False:
            return self.X[:0], np.empty(0, dtype=np.intp)
        chosen = slice(None) if self.learned is True else self.learned
        return self.X[chosen], self.codes[chosen]
