"""Sparse rows in evaluations: they stay sparse where both the stream and the learner allow it."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from thalweg._types import Floats, Ints
from thalweg.learners.base.sparse_rows import checked_sparse_rows
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.rows.sparse_rows import SparseRows, joined
from thalweg.streams.base import Stream

MOST_NUMBERS = 2**24  # in a dense block


def stays_sparse(stream: Stream, learner: Any) -> bool:
    """Return whether the rows of a stream are sparse and the learner takes them as they are."""
    return stream.is_sparse and isinstance(learner, StreamClassifier) and learner.takes_sparse


def dense_size(stream: Stream, size: int) -> int:
    """Return the number of rows of a dense block: at most `size`, fewer if a row has many inputs."""
    return min(size, max(1, MOST_NUMBERS // stream.n_features))


def blocks_for(stream: Stream, learner: Any, size: int) -> Iterator[tuple[Any, Ints]]:
    """Yield blocks of a stream, of SparseRows if both the stream and the learner allow it."""
    if not stays_sparse(stream, learner):
        yield from stream.coded_blocks(size)
        return
    for X, codes in stream.sparse_blocks(size):
        yield checked_sparse_rows(X, learner), codes


class ResolvedRows(NamedTuple):
    """Rows whose labels have come."""

    X: SparseRows


class WaitingSparse:
    """Sparse rows that wait for their labels, each by its number, as `WaitingRows` keeps dense ones."""

    def __init__(self, n_features: int) -> None:
        self.n_features = n_features
        self._rows: dict[int, SparseRows] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, X: Any, ids: Ints, now: Any = None) -> None:
        """Store rows until their labels come."""
        # A slice would keep the whole block in memory.
        self._rows.update(zip(ids.tolist(), X.each(), strict=True))

    def resolve(self, ids: Ints) -> ResolvedRows:
        """Remove rows and return them in the order of `ids`."""
        return ResolvedRows(joined([self._rows.pop(each) for each in ids.tolist()], self.n_features))


def interleaved(parts: Sequence[Any], places: Sequence[Ints]) -> Any:
    """Return the rows of several parts, dense or sparse, each at its place."""
    where = np.concatenate(places)
    if isinstance(parts[0], SparseRows):
        return joined(parts, parts[0].n_features)[np.argsort(where)]
    rows: Floats = np.empty((len(where), *parts[0].shape[1:]), parts[0].dtype)
    for part, place in zip(parts, places, strict=True):
        rows[place] = part
    return rows
