"""Categories that rows have and the reference has not."""

from typing import NamedTuple

import numpy as np

from thalweg._types import Floats, Ints


class NewCategory(NamedTuple):
    """A category that the reference does not have: the input, its position, the name, and where it is.

    `first_row` is the first row that has it, `n_rows` the number of rows that have it.
    """

    input: str
    position: int
    name: str
    first_row: int
    n_rows: int


class SeenCategories:
    """Counts categories that were not in the reference. Memory: 17 bytes for each category."""

    def __init__(self, categorical: list[int]) -> None:
        self._in_reference = {k: np.zeros(0, dtype=bool) for k in categorical}
        self._counts = {k: np.zeros(0, dtype=np.int64) for k in categorical}
        self._first = {k: np.zeros(0, dtype=np.int64) for k in categorical}

    def add_reference(self, X: Floats) -> None:
        """Add rows of the reference."""
        for k, seen in self._in_reference.items():
            counts = np.bincount(_codes(X[:, k]))
            grown = np.zeros(max(len(seen), len(counts)), dtype=bool)
            grown[: len(seen)] = seen
            grown[: len(counts)] |= counts > 0
            self._in_reference[k] = grown

    def add(self, X: Floats, row: int) -> None:
        """Add rows to be compared, of which the first is number `row`."""
        for k, seen in self._in_reference.items():
            codes = _codes(X[:, k])
            counts = np.bincount(codes, minlength=len(self._counts[k]))
            n_known = len(self._counts[k])
            self._counts[k] = np.pad(self._counts[k], (0, len(counts) - n_known)) + counts
            self._first[k] = np.pad(self._first[k], (0, len(counts) - n_known), constant_values=-1)
            fresh = np.flatnonzero((self._first[k] < 0) & (counts > 0))
            for code in fresh[(fresh >= len(seen)) | ~np.append(seen, False)[np.minimum(fresh, len(seen))]]:
                self._first[k][code] = row + int(np.argmax(X[:, k] == code))

    def new(self, inputs: list[str], names: dict[int, list[str]]) -> list[NewCategory]:
        """Return the new categories, the most frequent of each input first."""
        found = []
        for k, seen in self._in_reference.items():
            counts = self._counts[k].copy()
            counts[: len(seen)][seen[: len(counts)]] = 0
            for code in np.argsort(-counts, kind="stable")[: int(np.count_nonzero(counts))].tolist():
                name = names[k][code] if code < len(names[k]) else str(code)
                first = int(self._first[k][code])
                found.append(NewCategory(inputs[k], k, name, first, int(counts[code])))
        return found


def _codes(values: Floats) -> Ints:
    return values[values >= 0].astype(np.intp)
