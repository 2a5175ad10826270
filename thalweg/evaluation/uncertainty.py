"""How sure a mean over a stream is: standard errors and a paired test that allow for dependent rows."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg._types import Floats
from thalweg.errors import ParameterError, short_repr

MOST_PARTS, WAVES, WAVES_IF_DEPENDENT = 30, 5, 2
"""How many parts a stream is cut into, and how many slow waves of their means are used."""
DEPENDENT = 0.4
"""A correlation of neighbouring parts from which a stream is too short for the memory of its errors."""


class Difference(NamedTuple):
    """The mean difference of two runs, its standard error, the 95 % interval and the two-sided p-value.

    `degrees` are the degrees of freedom of the t-test. If `dependent`, the memory of the errors is as long as
    a part of the stream: the rows are too few to be sure of the p-value, and it may be somewhat too small.
    """

    mean: float
    standard_error: float
    low: float
    high: float
    p_value: float
    degrees: int
    dependent: bool

    def in_words(self, level: float = 0.05) -> str:
        """Return whether the difference is more than chance, and the p-value."""
        if math.isnan(self.p_value):
            return "with too few rows for a test"
        judged = "more than chance" if self.p_value <= level else "which may be chance"
        few = "; errors come in runs too long for so few rows to be sure" if self.dependent else ""
        return f"{judged} (paired test, p = {self.p_value:.2g}{few})"


def standard_error(values: ArrayLike) -> float:
    """Return the standard error of the mean of `values`, one for each row in order of time.

    Errors of a learner come in runs, so rows are not independent. The values are cut into up to 30 equal
    parts, and the variance of their mean is read off the 5 slowest waves, sines and cosines, in the means of
    the parts: these carry the long-run variance. Only 2 are used if neighbouring parts are correlated by more
    than 0.4. Up to 11 values it is the textbook's. NaN are left out; NaN for fewer than two values. See
    Lazarus, Lewis, Stock and Watson, "HAR inference: recommendations for practice", Journal of Business &
    Economic Statistics 36, 2018.
    """
    return error_of_parts(part_means(_known(values)))


def paired(a: ArrayLike, b: ArrayLike) -> Difference:
    """Return how much larger the mean of `a` is than that of `b`, with a paired t-test over slow waves.

    `a` and `b` have a value for each row of one stream in order of time, such as 1 for a row that was
    predicted correctly and 0 for another. Rows in which either is NaN are left out. The standard error is
    that of `standard_error`; there are two degrees of freedom a wave. If all rows differ by the same number,
    the p-value is 0, or 1 if that is 0.
    """
    try:
        a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    except (TypeError, ValueError):
        wanted = "a and b need a number for each row, such as run.predicted == run.codes"
        raise ParameterError(f"paired: {wanted}; got {short_repr(a)} and {short_repr(b)}") from None
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"paired: a and b need a value for each row; they have shapes {a.shape}, {b.shape}")
    values = _known(a - b)
    means = part_means(values)
    mean, (error, degrees) = _mean(values), _error_and_degrees(means)
    if degrees < 1:
        return Difference(mean, math.nan, math.nan, math.nan, math.nan, 0, False)
    from scipy.special import stdtr, stdtrit

    reach = float(stdtrit(degrees, 0.975)) * error
    p_value = float(abs(mean) <= 1e-12)
    if error > 1e-12:
        p_value = 2 * float(stdtr(degrees, -abs(mean) / error))
    return Difference(mean, error, mean - reach, mean + reach, p_value, degrees, _dependent(means))


def part_means(values: Floats, most: int = MOST_PARTS) -> Floats:
    """Return the means of up to `most` equal parts of `values`."""
    n_parts = min(most, len(values))
    if not n_parts:
        return np.empty(0)
    edges = np.arange(n_parts + 1) * len(values) // n_parts
    return np.add.reduceat(values, edges[:-1]) / np.diff(edges)


def error_of_parts(means: Floats) -> float:
    """Return the standard error of the mean of equal parts, in order of time, from their slowest waves."""
    return _error_and_degrees(means)[0]


def _error_and_degrees(means: Floats) -> tuple[float, int]:
    n, n_waves = len(means), WAVES_IF_DEPENDENT if _dependent(means) else WAVES
    if n < 2:
        return math.nan, 0
    waves = np.fft.rfft(means - means.mean())[1 : n_waves + 1]
    numbers = np.full(len(waves), 2)  # of a wave: its sine and its cosine
    if 2 * len(waves) == n:
        numbers[-1] = 1  # the fastest wave of an even number of parts has no sine
    degrees = int(numbers.sum())
    return math.sqrt(float(numbers @ abs(waves) ** 2) / degrees) / n, degrees


def _dependent(means: Floats) -> bool:
    return len(means) > 4 * WAVES and _correlation(means) > DEPENDENT


def _correlation(means: Floats) -> float:
    """Return the correlation of each part with the next."""
    centred = means - means.mean()
    total = float(centred @ centred)
    return float(centred[1:] @ centred[:-1]) / total if total > 0 else 0.0


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else math.nan


def _known(values: ArrayLike) -> NDArray[Any]:
    values = np.asarray(values, dtype=np.float64)
    return values[~np.isnan(values)]
