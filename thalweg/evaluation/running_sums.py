"""Sums over a run: over all rows, over a sliding window, or faded."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg._parameters import real_number, whole_number
from thalweg.errors import ParameterError

Score: TypeAlias = float | Any
"""A float; with `window` or `fade`, an array with a number for each row."""


def total(values: NDArray[Any], window: int | None = None, fade: float | None = None) -> Score:
    """Return the sum of `values`, or at each row the sum over the last `window` rows or the faded sum.

    Before row `window` the sum is over the rows so far. In a faded sum a row that is a rows old has the
    weight fade**a.
    """
    check(window, fade)
    if window is not None:
        sums: NDArray[Any] = np.cumsum(values, dtype=np.float64 if values.dtype.kind == "f" else np.int64)
        sums[window:] -= sums[:-window].copy()
        return sums
    if fade is not None:
        from scipy.signal import lfilter

        return lfilter([1.0], [1.0, -fade], values.astype(np.float64)) if len(values) else np.empty(0)
    return values.sum(dtype=np.float64)


def ratio(over: ArrayLike, under: ArrayLike) -> Score:
    """Return `over` / `under`, NaN where `under` is 0."""
    over, under = np.asarray(over, dtype=np.float64), np.asarray(under, dtype=np.float64)
    result = np.divide(over, under, out=np.full(np.broadcast(over, under).shape, np.nan), where=under != 0)
    return result if result.ndim else float(result)


def check(window: int | None, fade: float | None) -> None:
    """Raise ParameterError if the window or the fading factor is not allowed."""
    if window is not None and fade is not None:
        raise ParameterError("window and fade exclude each other: give one of them")
    if window is not None:
        whole_number("metrics", "window", window, 1)
    if fade is not None:
        real_number("metrics", "fade", fade, above=0, most=1)
