"""Stretches of rows with one label: whether rows are sorted by label."""

import numpy as np

from thalweg._types import Ints
from thalweg._warn import warn_of_rows
from thalweg.streams.columns.new_labels import LATE

SHARE = 0.95  # of the rows of a class that must be in one stretch
LEAST_TIMES = 5  # as many stretches as classes are expected by chance, or more
ACCURACY, LEARNED = "this accuracy", "what was learned"


class Stretches:
    """Counts the rows of each class, and those of its longest stretch, block by block.

    Attributes
    ----------
    n_rows, longest : ndarray
        For each class its rows, and those of its longest stretch; rows without a label end none.
    first : ndarray
        For each class the number of labels before its first one.
    """

    def __init__(self) -> None:
        self.n_rows = self.longest = self.first = np.zeros(0, dtype=np.int64)
        self._last, self._length = -1, 0

    def add(self, codes: Ints) -> None:
        """Add the codes of the labels of rows, in their order; -1 if a row has none."""
        codes = codes[codes >= 0].astype(np.intp, copy=False)
        if not len(codes):
            return
        n_new = int(codes.max()) + 1 - len(self.n_rows)
        if n_new > 0:
            before = self.n_rows, self.longest, self.first
            more = np.zeros(n_new, dtype=np.int64)
            self.n_rows, self.longest, self.first = (np.concatenate([each, more]) for each in before)
        if (new := self.n_rows[codes] == 0).any():
            found, places = np.unique(codes[new], return_index=True)
            self.first[found] = self.n_rows.sum() + np.flatnonzero(new)[places]
        self.n_rows = self.n_rows + np.bincount(codes, minlength=len(self.n_rows))
        starts = np.append(0, np.flatnonzero(np.diff(codes)) + 1)
        lengths = np.diff(starts, append=len(codes))
        lengths[0] += self._length if codes[0] == self._last else 0
        np.maximum.at(self.longest, codes[starts], lengths)
        self._last, self._length = int(codes[-1]), int(lengths[-1])

    @property
    def late(self) -> list[tuple[int, int]]:
        """The codes of classes that first come after many labels, and after how many, in order."""
        late = np.flatnonzero((self.n_rows > 0) & (self.first >= LATE))
        order = late[np.argsort(self.first[late], kind="stable")]
        return list(zip(order.tolist(), self.first[order].tolist(), strict=True))

    @property
    def are_sorted(self) -> bool:
        """Whether rows are sorted by label: each class is in one stretch, but for few rows.

        In a random order there would be several times as many stretches as classes. A real stream, in which
        a label is often that of the row before, has far more stretches than classes, too.
        """
        n, n_classes = int(self.n_rows.sum()), int(np.count_nonzero(self.n_rows))
        if n_classes < 2:
            return False
        expected = 1 + n - float((self.n_rows.astype(float) ** 2).sum()) / n
        return expected >= LEAST_TIMES * n_classes and bool((self.longest >= SHARE * self.n_rows).all())


def about_sorted(what: str) -> str:
    """Return in words that rows are sorted by label, what that spoils, and what to do."""
    way_out = "use --shuffle (shuffle=True), or sort by time"
    return f"rows are sorted by label: {what} does not carry over to new rows; {way_out}"


def warn_if_sorted(stretches: Stretches, what: str, n_learned: int) -> None:
    """Warn if rows that were learned are sorted by label."""
    if stretches.are_sorted:
        warn_of_rows(about_sorted(what), n_learned)
