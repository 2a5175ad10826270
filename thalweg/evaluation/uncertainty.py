"""How sure a mean over a stream is: standard errors and a paired test that allow for dependent rows."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg._types import Floats

MOST_PARTS, FEWEST_PARTS = 30, 7


class Difference(NamedTuple):
    """The mean difference of two runs, its standard error, the 95 % interval and the two-sided p-value."""

    mean: float
    standard_error: float
    low: float
    high: float
    p_value: float
    n_parts: int


def standard_error(values: ArrayLike) -> float:
    """Return the standard error of the mean of `values`, one for each row in order of time.

    Errors of a learner come in runs, so rows are not independent. The values are cut into up to 30 equal
    parts; the means of long parts nearly are (the method of batch means). While they are still correlated,
    neighbouring parts are joined, down to 7. NaN are left out; the result is NaN for fewer than two values.
    """
    return error_of_parts(part_means(_known(values)))


def paired(a: ArrayLike, b: ArrayLike) -> Difference:
    """Return how much larger the mean of `a` is than that of `b`, with a paired t-test over parts.

    `a` and `b` have a value for each row of one stream in order of time, such as 1 for a row that was
    predicted correctly and 0 for another. Rows in which either is NaN are left out. The rows are cut into
    parts as in `standard_error`. If all rows differ by the same number, the p-value is 0, or 1 if that is 0.
    """
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"paired: a and b need a value for each row; they have shapes {a.shape}, {b.shape}")
    values = _known(a - b)
    means = independent_parts(part_means(values))
    mean, error = _mean(values), _error(means)
    if len(means) < 2:
        return Difference(mean, math.nan, math.nan, math.nan, math.nan, len(means))
    from scipy.special import stdtr, stdtrit

    degrees = len(means) - 1
    reach = float(stdtrit(degrees, 0.975)) * error
    p_value = float(abs(mean) <= 1e-12)
    if error > 1e-12:
        p_value = 2 * float(stdtr(degrees, -abs(mean) / error))
    return Difference(mean, error, mean - reach, mean + reach, p_value, len(means))


def part_means(values: Floats, most: int = MOST_PARTS) -> Floats:
    """Return the means of up to `most` equal parts of `values`."""
    n_parts = min(most, len(values))
    if not n_parts:
        return np.empty(0)
    edges = np.arange(n_parts + 1) * len(values) // n_parts
    return np.add.reduceat(values, edges[:-1]) / np.diff(edges)


def error_of_parts(means: Floats) -> float:
    """Return the standard error of the mean of equal parts, joined until they are hardly correlated."""
    return _error(independent_parts(means))


def independent_parts(means: Floats) -> Floats:
    """Join neighbouring parts while their correlation is beyond chance and at least 7 remain."""
    while len(means) >= 2 * FEWEST_PARTS and _correlation(means) > 1 / math.sqrt(len(means)):
        joined = means[len(means) % 2 :].reshape(-1, 2)
        means = joined.mean(axis=1)
    return means


def _correlation(means: Floats) -> float:
    """Return the correlation of each part with the next."""
    centred = means - means.mean()
    total = float(centred @ centred)
    return float(centred[1:] @ centred[:-1]) / total if total > 0 else 0.0


def _error(means: Floats) -> float:
    return float(means.std(ddof=1)) / math.sqrt(len(means)) if len(means) > 1 else math.nan


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else math.nan


def _known(values: ArrayLike) -> NDArray[Any]:
    values = np.asarray(values, dtype=np.float64)
    return values[~np.isnan(values)]
