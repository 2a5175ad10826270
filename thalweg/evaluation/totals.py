"""Sums over a run: of all rows, of the last few before each row, or fading with age."""

import numpy as np

from thalweg._parameters import real_number, whole_number
from thalweg.errors import ParameterError


def total(values, window=None, fade=None):
    """Sum `values` over all rows, over the last `window` rows at each row, or faded at each row.

    Before row `window` the sum is over the rows there are. Faded, a row that is a rows old has weight
    fade**a.
    """
    check(window, fade)
    if window is not None:
        sums = np.cumsum(values, dtype=np.float64 if values.dtype.kind == "f" else np.int64)
        sums[window:] -= sums[:-window].copy()
        return sums
    if fade is not None:
        from scipy.signal import lfilter

        return lfilter([1.0], [1.0, -fade], values.astype(np.float64)) if len(values) else np.empty(0)
    return values.sum(dtype=np.float64)


def ratio(over, under):
    """Divide, with NaN where the divisor is 0."""
    over, under = np.asarray(over, dtype=np.float64), np.asarray(under, dtype=np.float64)
    result = np.divide(over, under, out=np.full(np.broadcast(over, under).shape, np.nan), where=under != 0)
    return result if result.ndim else float(result)


def check(window, fade):
    """Refuse a window or a fading factor that makes no sense."""
    if window is not None and fade is not None:
        raise ParameterError("window and fade exclude each other: give one of them")
    if window is not None:
        whole_number("metrics", "window", window, 1)
    if fade is not None:
        real_number("metrics", "fade", fade, above=0, most=1)
