"""The base class of joined streams."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count

import numpy as np

from thalweg._types import Block, Floats, Ints
from thalweg.streams.base import CHUNK, Stream, check_closed, recut
from thalweg.streams.source import Source, as_stream


class Joined(Stream):
    """Several streams read in turns; a subclass decides which stream each row comes from.

    Each stream is read from its first row on and continues where its last turn ended, so no row is skipped or
    repeated. All must have the same number of inputs and the same classes. Codes of categories are not
    changed: files that code the same categories differently must be recoded first.

    Attributes
    ----------
    drifts : ndarray of int
        Row numbers in the joined stream of the joints, and of the drifts within the streams.
    """

    _last_ones: Sequence[int] = ()  # streams whose end ends the joined stream
    _limit: int | None = None  # most rows of the joined stream

    def __init__(self, streams: Iterable[Source]) -> None:
        who = type(self).__name__
        self.streams = tuple(as_stream(stream, who=who) for stream in streams)
        if len(self.streams) < 2:
            raise ValueError(f"{who}: joining needs at least two streams, got {len(self.streams)}")
        first = self.streams[0]
        for stream in self.streams:
            check_closed(stream, who)
        for number, stream in enumerate(self.streams[1:], start=1):
            if stream.n_features != first.n_features:
                raise ValueError(
                    f"{who}: stream {number} has {stream.n_features} inputs, stream 0 has {first.n_features}"
                )
            if not np.array_equal(stream.classes, first.classes):
                raise ValueError(
                    f"{who}: stream {number} has the classes {stream.classes.tolist()}, "
                    f"stream 0 has {first.classes.tolist()}; give both the same `classes`"
                )
        self.n_features = first.n_features
        self.classes = first.classes

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs, as in the first stream."""
        return self.streams[0].names

    @property
    def n_categories(self) -> Ints:
        """For each input the largest number of categories known to any of the streams."""
        return np.max([stream.n_categories for stream in self.streams], axis=0)

    def _turns(self, t: Ints) -> Ints:
        """Return for each of the rows `t` the position of the stream that it comes from."""
        raise NotImplementedError

    def _row(self, number: int, inner: int) -> int:
        """Return the number in the joined stream of row `inner` of stream `number`."""
        raise NotImplementedError

    def _find_drifts(self, joints: Iterable[int]) -> Ints:
        rows = list(joints)
        for number, stream in enumerate(self.streams):
            for inner in stream.drifts:
                row = self._row(number, int(inner))
                if self._turns(np.array([row]))[0] == number:
                    rows.append(row)
        found = np.unique(np.array(rows, dtype=np.intp))
        return found if self._limit is None else found[found < self._limit]

    def coded_blocks(self, size: int = 1000) -> Iterator[Block]:
        """Yield (X, codes) in blocks of `size` rows."""
        return recut(self._chunks(), size)

    def _chunks(self) -> Iterator[Block]:
        readers = [_Reader(stream) for stream in self.streams]
        for start in count(0, CHUNK):
            stop = start + CHUNK if self._limit is None else min(start + CHUNK, self._limit)
            turns = self._turns(np.arange(start, stop))
            X, codes = np.empty((len(turns), self.n_features)), np.empty(len(turns), dtype=np.intp)
            end = len(turns)
            for number in np.unique(turns):
                rows = np.flatnonzero(turns == number)
                got_X, got_codes = readers[number].read(len(rows))
                got = rows[: len(got_X)]
                X[got], codes[got] = got_X, got_codes
                if len(got) < len(rows):
                    missing = rows[len(got)]
                    self._check_end(number, start + missing)
                    end = min(end, missing)
            if end:
                yield X[:end], codes[:end]
            if end < CHUNK:
                return

    def _check_end(self, number: int, row: int) -> None:
        if number not in self._last_ones:
            raise ValueError(
                f"{type(self).__name__}: stream {number} has ended, but row {row} should still come from it; "
                f"set an earlier joint"
            )


class _Reader:
    """Reads a stream in blocks of varying size."""

    def __init__(self, stream: Stream) -> None:
        self.blocks = stream.coded_blocks(CHUNK)
        self.X: Floats = np.empty((0, stream.n_features))
        self.codes: Ints = np.empty(0, dtype=np.intp)

    def read(self, n: int) -> Block:
        """Return the next `n` rows and codes, or fewer at the end of the stream."""
        blocks = [(self.X, self.codes)]
        missing = n - len(self.X)
        while missing > 0 and (block := next(self.blocks, None)) is not None:
            blocks.append(block)
            missing -= len(block[0])
        X, codes = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        self.X, self.codes = X[n:], codes[n:]
        return X[:n], codes[:n]
