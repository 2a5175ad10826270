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
    threshold starts to move. `sample` draws windows from the whole series, labelled by the threshold at row
    t.

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
    seed : int
        For `sample`; the rows themselves are not random.

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
        available = len(self._windows)
        wanted = min(available, period * len(self.thresholds)) if n_rows is None else n_rows
        self.n_rows = whole_number(self, "n_rows", wanted, 1)
        if self.n_rows > available:
            raise ParameterError(f"ThresholdSeries: n_rows={n_rows}, but the series has {available} windows")
        self.drifts = np.arange(1, len(self.thresholds)) * self.period
        self.drifts = self.drifts[self.drifts < self.n_rows]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs: lag9, lag8, … lag1."""
        return tuple(f"lag{lag}" for lag in range(self.n_features, 0, -1))

    def threshold(self, t: ArrayLike) -> Any:
        """Return the threshold in force at row `t`, or at each of an array of rows."""
        number = np.minimum(np.asarray(t) // self.period, len(self.thresholds) - 1)
        moved = np.minimum((t - number * self.period + 1) / max(self.transition, 1), 1)
        before = self.thresholds[np.maximum(number - 1, 0)]
        return before + moved * (self.thresholds[number] - before)

    def coded_blocks(self, size: int = 1000) -> Iterator[Block]:
        """Yield (X, codes) in blocks of `size` rows."""
        return recut(self._chunks(), size)

    def _chunks(self) -> Iterator[Block]:
        for start in range(0, self.n_rows, CHUNK):
            t = np.arange(start, min(start + CHUNK, self.n_rows))
            yield self._rows(t, self.threshold(t))

    def _rows(self, positions: Ints, thresholds: Floats) -> Block:
        windows = self._windows[positions]
        return np.ascontiguousarray(windows[:, :-1]), (windows[:, -1] <= thresholds).astype(np.intp)

    def sample(self, t: int, n: int, *, seed: int | None = None) -> Labelled:
        """Return `n` random windows of the series, labelled by the threshold in force at row `t`."""
        key = (whole_number(self, "t", t, 0), 0 if seed is None else seed + 1)
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))
        X, codes = self._rows(rng.integers(len(self._windows), size=n), self.threshold(t))
        return X, self.classes[codes]
