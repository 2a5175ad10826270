"""Numbers of rows in their file."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from thalweg._types import Ints


def numbers_in_file(rows: ArrayLike, skipped: Sequence[int], order: Ints | None = None) -> Ints:
    """Return the numbers in the file, from 1, of rows that are counted from 0 without the skipped ones.

    `skipped` are the numbers in the file of the rows that were left out, in order; `order` are those of all
    rows that were read, if they are in another order than in the file.
    """
    if order is not None:
        return order[np.asarray(rows, dtype=np.intp)]
    read = np.asarray(rows, dtype=np.int64)
    read_before = np.asarray(skipped, dtype=np.int64) - 1 - np.arange(len(skipped))
    return read + 1 + np.searchsorted(read_before, read, side="right")
