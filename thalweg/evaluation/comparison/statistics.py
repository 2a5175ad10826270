"""Tests of several learners on several streams: ranks, Friedman, Nemenyi, Wilcoxon, Holm.

Scores are arrays [stream, learner] in which higher is better. Demšar, "Statistical comparisons of classifiers
over multiple data sets", Journal of Machine Learning Research 7, 2006, has the formulas and their use.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg._types import Floats


class Friedman(NamedTuple):
    """The statistic of Friedman's test, the F of Iman and Davenport, and the p-value of that F."""

    chi_squared: float
    f: float
    p_value: float


def ranks(scores: ArrayLike) -> Floats:
    """Return the rank of each learner on each stream: 1 for the best, the mean of the ranks of equals."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(-_table(scores), axis=1))


def friedman(scores: ArrayLike) -> Friedman:
    """Test whether all learners have the same mean rank.

    NaN with fewer than three learners or two streams. If the ranks are the same on all streams, F is infinite
    and the p-value 0.
    """
    from scipy.stats import f as f_distribution
    from scipy.stats import friedmanchisquare

    scores = _table(scores)
    n_streams, n_learners = scores.shape
    if n_learners < 3 or n_streams < 2:
        return Friedman(math.nan, math.nan, math.nan)
    if (ranks(scores) == (n_learners + 1) / 2).all():
        return Friedman(0.0, 0.0, 1.0)
    chi_squared = float(friedmanchisquare(*scores.T).statistic)
    left = n_streams * (n_learners - 1) - chi_squared
    if left <= 1e-9:
        return Friedman(chi_squared, math.inf, 0.0)
    f = (n_streams - 1) * chi_squared / left
    degrees = n_learners - 1, (n_learners - 1) * (n_streams - 1)
    return Friedman(chi_squared, f, float(f_distribution.sf(f, *degrees)))


def critical_difference(n_learners: int, n_streams: int, level: float = 0.05) -> float:
    """Return Nemenyi's critical difference: mean ranks further apart than this differ at the level."""
    from scipy.stats import studentized_range

    q = float(studentized_range.ppf(1 - level, n_learners, np.inf)) / math.sqrt(2)
    return q * math.sqrt(n_learners * (n_learners + 1) / (6 * n_streams))


def groups_alike(mean_ranks: ArrayLike, difference: float) -> list[tuple[int, int]]:
    """Return the longest ranges (first, last) of learners, sorted by rank, that are within `difference`."""
    sorted_ranks = np.sort(np.asarray(mean_ranks, dtype=np.float64))
    found: list[tuple[int, int]] = []
    for first in range(len(sorted_ranks)):
        last = int(np.searchsorted(sorted_ranks, sorted_ranks[first] + difference, side="right")) - 1
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found


def wilcoxon(scores: ArrayLike) -> NDArray[Any]:
    """Return the p-values of Wilcoxon's signed-rank test of each pair of learners, adjusted by Holm.

    The result is [learner, learner], with 1 for a learner and itself or one with the same scores.
    """
    from scipy.stats import wilcoxon as test

    scores = _table(scores)
    n = scores.shape[1]
    first, second = np.triu_indices(n, 1)
    p = [
        1.0 if (scores[:, a] == scores[:, b]).all() else float(test(scores[:, a], scores[:, b]).pvalue)
        for a, b in zip(first, second, strict=True)
    ]
    result = np.ones((n, n))
    result[first, second] = result[second, first] = holm(p)
    return result


def holm(p_values: ArrayLike) -> Floats:
    """Return p-values adjusted for the number of tests by Holm's step-down method."""
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p)
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(adjusted, 1.0)


def wins(scores: ArrayLike, tie: float = 0.0) -> NDArray[np.int64]:
    """Return [learner, learner, 3]: on how many streams the first is better, as good, or worse.

    Scores that differ by no more than `tie` are as good.
    """
    scores = _table(scores)
    ahead = scores[:, :, None] - scores[:, None, :]
    return np.stack([ahead > tie, abs(ahead) <= tie, ahead < -tie], axis=-1).sum(axis=0)


def _table(scores: ArrayLike) -> Floats:
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or not table.size or not np.isfinite(table).all():
        raise ValueError("scores must be a finite table with a row for each stream and a column a learner")
    return table
