"""A checksum of rows as they are read, by which the same rows are known again."""

import zlib
from typing import Any

import numpy as np

from thalweg._types import Ints


class RowDigest:
    """A checksum of inputs and labels in their order, however the rows are cut into blocks.

    It is quick, and no secret: others can make rows with the same one.

    Attributes
    ----------
    n_rows : int
        Rows so far; of more than `most` the first count.
    """

    def __init__(self, most: int | None = None) -> None:
        self.n_rows, self._most = 0, most
        self._parts = [0, 0, 0, 0]  # of labels, and of rows: or of lengths, places and values of sparse ones

    def add(self, X: Any, codes: Ints) -> None:
        """Add rows, an array or a sparse matrix, and the codes of their labels."""
        if self._most is not None and self.n_rows + len(codes) > self._most:
            n = self._most - self.n_rows
            X, codes = X[:n], codes[:n]
        self.n_rows += len(codes)
        arrays = [np.diff(X.indptr), X.indices, X.data] if hasattr(X, "indptr") else [X]
        for k, array in enumerate([codes, *arrays]):
            kind = np.int64 if array.dtype.kind == "i" else np.float64
            self._parts[k] = zlib.crc32(np.ascontiguousarray(array, dtype=kind).data, self._parts[k])

    def hexdigest(self) -> str:
        """Return the checksum as text."""
        return f"{self.n_rows:x}" + "".join(f"-{part:08x}" for part in self._parts)
