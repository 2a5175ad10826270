"""A time series as a stream: is its next value below a threshold that moves?"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from thalweg._parameters import whole_number
from thalweg._types import Block, Floats, Ints, Labelled
from thalweg.errors import ParameterError
from thalweg.streams.base import CHUNK, Stream, recut


class ThresholdSeries(Stream):
    """The latest values of a series as inputs; class 1 if the next one does not exceed a moving threshold.

    The inputs of row t are the `lags` values before value t + lags, oldest first. The first threshold holds
    for `period` rows; then the threshold moves linearly to the next one within `transition` rows and stays
    there for the rest of the period; the last one stays until the end. With the defaults and the Santa Fe
    laser series A this is the stream of Grbovic and Vucetic (IBoost). `drifts` are the rows at which the
    threshold starts to move. `sample` draws windows, labelled by the threshold at row t, from the whole
    series or from those held out.

    Parameters
    ----------
    series : array of shape (n,)
        The values in order.
    n_rows : int, optional
        Length of the stream; by default `period` rows for each threshold, or fewer if the series ends.
    lags : int
        Number of inputs of a row.
    thresholds : sequence of float
        The thresholds in order (paper: b).
    period : int
        Number of rows from one threshold to the next.
    transition : int
        Number of rows in which the threshold moves, at most `period`; 0 for an abrupt change.
    standardised : bool
        Whether thresholds and inputs are in standard deviations from the mean of the series, or in the units
        of the series.
    held_out : int
        Number of windows, drawn at random, that the stream leaves out, so that it is shorter by some of them,
        and from which alone `sample` draws. Windows overlap: a value to be predicted in one is an input of
        others.
    seed : int
        For `sample` and the windows held out; the rows themselves are not random.

    References
    ----------
    Grbovic, Vucetic: Tracking concept change with incremental boosting. 2011, section 3.1.

    Examples
    --------
    >>> import numpy as np
    >>> from thalweg.streams import ThresholdSeries
    >>> stream = ThresholdSeries(np.sin(np.arange(3000)), thresholds=(0, 1), period=1000)
    >>> X, y = next(stream.blocks(1000))
    >>> X.shape, round(float(y.mean()), 2)
    ((1000, 9), 0.5)
    """

    n_rows: int
    classes = np.array([0, 1])

    def __init__(
        self,
        series: ArrayLike,
        n_rows: int | None = None,
        *,
        lags: int = 9,
        thresholds: ArrayLike = (-0.5, 0.0, 1.0),
        period: int = 3330,
        transition: int = 1000,
        standardised: bool = True,
        held_out: int = 0,
        seed: int = 0,
    ) -> None:
        values = np.array(series, dtype=float)
        self.n_features = whole_number(self, "lags", lags, 1)
        if values.ndim != 1 or len(values) <= lags or not np.isfinite(values).all():
            raise ParameterError(
                f"ThresholdSeries: needs a series of more than {lags} finite values, got shape {values.shape}"
            )
        self.thresholds = np.asarray(thresholds, dtype=float)
        if self.thresholds.ndim != 1 or not len(self.thresholds):
            raise ParameterError(f"ThresholdSeries: thresholds must be a list of numbers, got {thresholds!r}")
        self.period = whole_number(self, "period", period, 1)
        self.transition = whole_number(self, "transition", transition, 0)
        if transition > period:
            raise ParameterError(f"ThresholdSeries: transition={transition} exceeds period={period}")
        self.seed = whole_number(self, "seed", seed, 0)
        if standardised:
            if values.std() == 0:
                raise ParameterError("ThresholdSeries: a constant series cannot be standardised")
            values = (values - values.mean()) / values.std()
        self._windows = np.lib.stride_tricks.sliding_window_view(values, lags + 1)
        self._hold_out(whole_number(self, "held_out", held_out, 0), n_rows)

    def _hold_out(self, n: int, n_rows: int | None) -> None:
        # Set what the rows of the stream and those of `sample` are: positions of windows in the series.
        available = len(self._windows)
        wanted = min(available, self.period * len(self.thresholds)) if n_rows is None else n_rows
        length = whole_number(self, "n_rows", wanted, 1)
        if length > available:
            raise ParameterError(f"ThresholdSeries: n_rows={length}, but the series has {available} windows")
        if n >= length:
            raise ParameterError(f"ThresholdSeries: held_out={n} leaves none of {length} rows")
        self._tested = np.arange(available)
        self._learned = np.arange(length)
        if n:
            rng = np.random.default_rng(np.random.SeedSequence(self.seed))
            self._tested = np.sort(rng.choice(available, n, replace=False))
            self._learned = np.setdiff1d(self._learned, self._tested)
        self.n_rows = len(self._learned)
        starts = np.arange(1, len(self.thresholds)) * self.period
        self.drifts = np.searchsorted(self._learned, starts[starts <= self._learned[-1]])

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs: lag9, lag8, … lag1."""
        return tuple(f"lag{lag}" for lag in range(self.n_features, 0, -1))

    def threshold(self, t: ArrayLike) -> Any:
        """Return the threshold at row `t`, or at each of an array of rows."""
        place = self._places(t)
        number = np.minimum(place // self.period, len(self.thresholds) - 1)
        moved = np.minimum((place - number * self.period + 1) / max(self.transition, 1), 1)
        before = self.thresholds[np.maximum(number - 1, 0)]
        return before + moved * (self.thresholds[number] - before)

    def _places(self, t: ArrayLike) -> Ints:
        # Where in the series the windows of rows are; beyond the last row, where they would be.
        rows = np.asarray(t)
        beyond = np.maximum(rows - (self.n_rows - 1), 0)
        return self._learned[np.minimum(rows, self.n_rows - 1)] + beyond

    def coded_blocks(self, size: int = 1000) -> Iterator[Block]:
        """Yield (X, codes) in blocks of `size` rows."""
        return recut(self._chunks(), size)

    def _chunks(self) -> Iterator[Block]:
        for start in range(0, self.n_rows, CHUNK):
            t = np.arange(start, min(start + CHUNK, self.n_rows))
            yield self._rows(self._learned[t], self.threshold(t))

    def _rows(self, positions: Ints, thresholds: Floats) -> Block:
        windows = self._windows[positions]
        return np.ascontiguousarray(windows[:, :-1]), (windows[:, -1] <= thresholds).astype(np.intp)

    def sample(self, t: int, n: int, *, seed: int | None = None) -> Labelled:
        """Return `n` random windows, of those held out if any are, labelled by the threshold at row `t`."""
        key = (whole_number(self, "t", t, 0), 0 if seed is None else seed + 1)
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))
        chosen = self._tested[rng.integers(len(self._tested), size=n)]
        X, codes = self._rows(chosen, self.threshold(t))
        return X, self.classes[codes]
