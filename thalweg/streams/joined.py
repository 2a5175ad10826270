"""What all joined streams share: several streams read in turns."""

from collections.abc import Sequence
from itertools import count

import numpy as np

from thalweg.streams.base import CHUNK, Stream, check_closed, recut


class Joined(Stream):
    """Several streams read in turns; a subclass says whose turn it is.

    Each stream is read from its first row on and waits while it is not its turn, so no row is lost or seen
    twice. All must have the same number of inputs and the same classes. Categories are taken as coded: files
    that code the same words differently must be recoded first.

    Attributes
    ----------
    drifts : ndarray of int
        The joints, and the drifts within the streams, at their rows in the joined stream.
    """

    _last_ones: Sequence[int] = ()  # streams whose end is the end of the whole
    _limit: int | None = None  # the stream goes no further than this

    def __init__(self, streams):
        self.streams = tuple(streams)
        who = type(self).__name__
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
                    f"{who}: stream {number} has the classes {list(stream.classes)}, "
                    f"stream 0 has {list(first.classes)}; give both the same `classes`"
                )
        self.n_features = first.n_features
        self.classes = first.classes

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs, as in the first stream."""
        return self.streams[0].names

    @property
    def n_categories(self) -> np.ndarray:
        """For each input the most categories any of the streams knows so far."""
        return np.max([stream.n_categories for stream in self.streams], axis=0)

    def _turns(self, t):
        """Return for each of the rows `t` the number of the stream it comes from."""
        raise NotImplementedError

    def _row(self, number, inner):
        """Return the row at which row `inner` of stream `number` comes, or would come."""
        raise NotImplementedError

    def _find_drifts(self, joints):
        rows = list(joints)
        for number, stream in enumerate(self.streams):
            for inner in stream.drifts:
                row = self._row(number, int(inner))
                if self._turns(np.array([row]))[0] == number:
                    rows.append(row)
        found = np.unique(np.array(rows, dtype=np.intp))
        return found if self._limit is None else found[found < self._limit]

    def coded_blocks(self, size: int = 1000):
        """Yield (X, codes) in blocks of `size` rows."""
        return recut(self._chunks(), size)

    def _chunks(self):
        readers = [_Reader(stream) for stream in self.streams]
        for start in count(0, CHUNK):
            stop = start + CHUNK if self._limit is None else min(start + CHUNK, self._limit)
            turns = self._turns(np.arange(start, stop))
            X, codes = np.empty((len(turns), self.n_features)), np.empty(len(turns), dtype=np.intp)
            end = len(turns)
            for number in np.unique(turns):
                rows = np.flatnonzero(turns == number)
                got_X, got_codes = readers[number].take(len(rows))
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

    def _check_end(self, number, row):
        if number not in self._last_ones:
            raise ValueError(
                f"{type(self).__name__}: stream {number} has ended, but row {row} should still come from it; "
                f"set an earlier joint"
            )


class _Reader:
    """Hands out a stream's rows in whatever numbers are asked for."""

    def __init__(self, stream):
        self.blocks = stream.coded_blocks(CHUNK)
        self.X = np.empty((0, stream.n_features))
        self.codes = np.empty(0, dtype=np.intp)

    def take(self, n):
        """Return the next `n` rows and codes, fewer only at the stream's end."""
        X, codes = [self.X], [self.codes]
        missing = n - len(self.X)
        while missing > 0 and (block := next(self.blocks, None)) is not None:
            X.append(block[0])
            codes.append(block[1])
            missing -= len(block[0])
        X, codes = np.concatenate(X), np.concatenate(codes)
        self.X, self.codes = X[n:], codes[n:]
        return X[:n], codes[:n]
