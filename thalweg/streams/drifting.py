"""Streams joined into one that drifts: abruptly, gradually or periodically."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from thalweg._parameters import one_of, whole_number
from thalweg._types import Block, Ints, Labelled
from thalweg.errors import ParameterError
from thalweg.streams.joined import Joined
from thalweg.streams.source import Source

__all__ = ["Abrupt", "Gradual", "Recurring"]

# Beyond this many widths from the middle a sigmoid share differs from 0 or 1 by less than 1e-8.
SIGMOID_REACH = 5


class Abrupt(Joined):
    """One stream after another, with an abrupt change at each joint.

    Parameters
    ----------
    *streams : Stream, or what `as_stream` takes
        The streams in their order.
    at : int or sequence of int, optional
        For each stream but the first, the row at which it starts; by default the end of the stream before.

    Examples
    --------
    >>> from thalweg.streams import SEA, drifting
    >>> stream = drifting.Abrupt(SEA(1000, thresholds=[7]), SEA(1000, thresholds=[9.5]))
    >>> stream.drifts.tolist(), stream.n_rows
    ([1000], 2000)
    """

    def __init__(self, *streams: Source, at: ArrayLike | None = None) -> None:
        super().__init__(streams)
        lengths = [stream.n_rows for stream in self.streams]
        if at is None:
            if None in lengths[:-1]:
                number = lengths.index(None)
                raise ParameterError(f"Abrupt: stream {number} does not know its length; say where with at")
            at = np.cumsum([length or 0 for length in lengths[:-1]])
        self.at = tuple(whole_number(self, "at", row, 1) for row in np.atleast_1d(at))
        self._begins = np.array([0, *self.at])
        if len(self.at) != len(streams) - 1 or (np.diff(self._begins) <= 0).any():
            raise ParameterError(f"Abrupt: at needs {len(streams) - 1} rising rows, one a joint, got {at!r}")
        for number, (needed, length) in enumerate(zip(np.diff(self._begins), lengths, strict=False)):
            if length is not None and length < needed:
                raise ParameterError(f"Abrupt: stream {number} has {length} rows, but {needed} are needed")
        self.n_rows = self._limit = None if lengths[-1] is None else self.at[-1] + lengths[-1]
        self._last_ones = (len(streams) - 1,)
        self.drifts = self._find_drifts(self.at)

    def _turns(self, t: Ints) -> Ints:
        return np.searchsorted(self.at, t, side="right")

    def _row(self, number: int, inner: int) -> int:
        return self._begins[number] + inner

    def sample(self, t: int, n: int, *, seed: int | None = None) -> Labelled:
        """Return `n` new rows and labels without noise, of the current concept at row `t`."""
        number = int(self._turns(np.array([t]))[0])
        return self.streams[number].sample(int(t - self._begins[number]), n, seed=seed)


class Gradual(Joined):
    """A gradual change from one stream to another: around row `at`, rows of both are mixed.

    The share of the new stream rises from 0 to 1 and is one half at row `at`, which is listed in `drifts`. A
    "linear" share rises within `width` rows; a "sigmoid" share, 1 / (1 + exp(−4(t − at) / width)), is as
    steep in the middle and has tails. No row is skipped: each stream continues where its last row was. If the
    old stream ends within the mixture, the remaining rows come from the new one. For more than two streams,
    join joined streams. A sample at row t mixes samples of both streams by their share.

    Parameters
    ----------
    old, new : Stream
        The streams.
    at : int
        Row in the middle of the mixture.
    width : int
        Length of the mixture in rows.
    shape : {"sigmoid", "linear"}
        How the share of the new stream rises.
    seed : int
        The same seed gives the same mixture.

    Examples
    --------
    >>> from thalweg.streams import SEA, drifting
    >>> old, new = SEA(2000, thresholds=[7]), SEA(2000, thresholds=[9.5])
    >>> stream = drifting.Gradual(old, new, at=1000, width=500)
    >>> round(float(stream.share(1250)), 2)
    0.88
    """

    _last_ones = (1,)

    def __init__(
        self, old: Source, new: Source, *, at: int, width: int, shape: str = "sigmoid", seed: int = 0
    ) -> None:
        super().__init__([old, new])
        old, new = self.streams
        self.at = whole_number(self, "at", at, 1)
        self.width = whole_number(self, "width", width, 1)
        self.seed = whole_number(self, "seed", seed, 0)
        self.shape = one_of(self, "shape", shape, ("sigmoid", "linear"))
        if old.n_rows is not None and old.n_rows < self.at - self.width // 2:
            raise ParameterError(f"Gradual: the old stream has {old.n_rows} rows, too few to mix at row {at}")
        self._mix()
        self.n_rows = self._limit = None if new.n_rows is None else int(self._row(1, new.n_rows))
        self.drifts = self._find_drifts([self.at])

    def _mix(self) -> None:
        """Choose for each row of the mixture whether it comes from the new stream."""
        reach = SIGMOID_REACH * self.width if self.shape == "sigmoid" else self.width // 2 + 1
        self._first, self._stop = max(self.at - reach, 0), self.at + reach
        t = np.arange(self._first, self._stop)
        self._new = np.random.default_rng(self.seed).random(len(t)) < self.share(t)
        length = self.streams[0].n_rows
        if length is not None:
            self._new[np.flatnonzero(~self._new)[max(length - self._first, 0) :]] = True
        # Rows of the mixture that come from each stream, and how many new ones come before each row.
        self._rows = np.flatnonzero(~self._new), np.flatnonzero(self._new)
        self._n_new = np.concatenate([[0], np.cumsum(self._new)])

    def share(self, t: int | Ints) -> Any:
        """Return the share of the new stream at row `t`, or at each of an array of rows."""
        way = (t - self.at) / self.width
        return np.clip(way + 0.5, 0.0, 1.0) if self.shape == "linear" else expit(4 * way)

    def _turns(self, t: Ints) -> Ints:
        within = self._new[np.clip(t - self._first, 0, len(self._new) - 1)]
        return np.where(t < self._first, 0, np.where(t >= self._stop, 1, within))

    def _row(self, number: int, inner: int) -> int:
        before = self._first if number == 0 else 0
        if inner < before:
            return inner
        rows, place = self._rows[number], inner - before
        return self._first + rows[place] if place < len(rows) else self._stop + place - len(rows)

    def sample(self, t: int, n: int, *, seed: int | None = None) -> Labelled:
        """Return `n` new rows and labels without noise, of both concepts by their share at row `t`."""
        rng = np.random.default_rng([self.seed, t, 0 if seed is None else seed + 1])
        new = rng.random(n) < self.share(t)
        n_new = int(self._n_new[np.clip(t - self._first, 0, len(self._new))]) + max(t - self._stop, 0)
        X, y = np.empty((n, self.n_features)), np.empty(n, dtype=self.classes.dtype)
        for stream, row, rows in zip(self.streams, (t - n_new, n_new), (~new, new), strict=True):
            if rows.any():
                X[rows], y[rows] = stream.sample(row, int(rows.sum()), seed=seed)
        return X, y


class Recurring(Joined):
    """Streams that alternate every `period` rows; each continues where its last turn ended.

    The stream ends when the stream whose turn it is has no more rows, or after `n_rows`. If no length is
    known, `drifts` grows while the stream is read.

    Parameters
    ----------
    *streams : Stream, or what `as_stream` takes
        The streams in their order.
    period : int
        Number of rows of a turn.
    n_rows : int, optional
        Length of the joined stream, if it is to end earlier.

    Examples
    --------
    >>> from thalweg.streams import SEA, drifting
    >>> low, high = SEA(2000, thresholds=[7]), SEA(2000, thresholds=[9.5])
    >>> stream = drifting.Recurring(low, high, period=1000)
    >>> stream.drifts.tolist(), stream.n_rows
    ([1000, 2000, 3000], 4000)
    """

    def __init__(self, *streams: Source, period: int, n_rows: int | None = None) -> None:
        super().__init__(streams)
        self.period = whole_number(self, "period", period, 1)
        lengths = [stream.n_rows for stream in self.streams]
        ends = [self._row(k, length) for k, length in enumerate(lengths) if length is not None]
        if n_rows is not None:
            ends.append(whole_number(self, "n_rows", n_rows, 1))
        self._last_ones = range(len(streams))
        self._limit = min(ends, default=None)
        # A stream of unknown length may end before the limit.
        self.n_rows = None if None in lengths else self._limit
        self.drifts = self._drifts_before(self._limit or 0)

    def _drifts_before(self, end: int) -> Ints:
        return self._find_drifts(range(self.period, end, self.period))

    def _chunks(self) -> Iterator[Block]:
        n_read = 0
        for X, codes in super()._chunks():
            n_read += len(X)
            if self._limit is None:
                self.drifts = self._drifts_before(n_read)
            yield X, codes

    def _turns(self, t: Ints) -> Ints:
        return t // self.period % len(self.streams)

    def _row(self, number: int, inner: int) -> int:
        turn, within = divmod(inner, self.period)
        return (turn * len(self.streams) + number) * self.period + within

    def sample(self, t: int, n: int, *, seed: int | None = None) -> Labelled:
        """Return `n` new rows and labels without noise, of the current concept at row `t`."""
        turn, within = divmod(t, self.period)
        turn, number = divmod(turn, len(self.streams))
        return self.streams[number].sample(turn * self.period + within, n, seed=seed)


def __dir__() -> list[str]:
    return __all__
