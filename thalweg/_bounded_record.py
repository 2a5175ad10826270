"""Records of a run that stay short however long it is: a full one drops every other entry."""

from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")


class BoundedRecord(Generic[T]):
    """Values at some rows of a run, evenly spread over it, fewer than `most`, an even number.

    A value is due after every `period` rows; when the record is full, every other one goes and the period
    doubles. If `period` is None, all values are due until the record is full for the first time.
    """

    def __init__(self, most: int, period: int | None = None) -> None:
        self.rows: list[int] = []
        self.values: list[T] = []
        self.next_row = period or 0
        self._most, self._period, self._is_aligned = most, period or 0, period is not None

    def is_due(self, row: int) -> bool:
        """Return whether a value is due at this row."""
        return row >= self.next_row

    def add(self, row: int, value: T) -> None:
        """Add the value at this row, which is due."""
        self.rows.append(row)
        self.values.append(value)
        if len(self.rows) == self._most:
            del self.rows[::2], self.values[::2]
            self._period = 2 * self._period or 2 * row // self._most
        self.skip(row)

    def skip(self, row: int) -> None:
        """Go on without a value at this row."""
        self.next_row = row + self._period - (row % self._period if self._is_aligned else 0)


def halved(lines: NDArray[Any], fill: float = 0, add: bool = False) -> NDArray[Any]:
    """Return a full record whose first half has every other line, or the sums of two; the rest is `fill`."""
    half = lines[::2] + lines[1::2] if add else lines[1::2]
    return np.concatenate([half, np.full_like(half, fill)])
