"""Tests of several learners on several streams: ranks, Friedman, Nemenyi, Wilcoxon, Holm.

Scores are arrays [stream, learner] in which higher is better. Demšar, "Statistical comparisons of classifiers
over multiple data sets", Journal of Machine Learning Research 7, 2006, has the formulas and their use.
"""

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg._types import Floats

FEW_STREAMS = 10
"""Below, F is too coarse: of 3 learners alike on 3 streams its p-value is below 5 % in 20 of 100 cases."""
MOST_ORDERS, MOST_STATES, N_DRAWN = 50_000, 2_000_000, 20_000


class Friedman(NamedTuple):
    """The statistic of Friedman's test, the F of Iman and Davenport, and the p-value.

    Up to 9 streams that is the chance that ranks in random order differ as much, from 10 on that of F.
    """

    chi_squared: float
    f: float
    p_value: float


def ranks(scores: ArrayLike) -> Floats:
    """Return the rank of each learner on each stream: 1 for the best, the mean of the ranks of equals."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(-_table(scores), axis=1))


def friedman(scores: ArrayLike) -> Friedman:
    """Test whether all learners have the same mean rank.

    NaN with fewer than three learners or two streams. If the ranks are the same on all streams, F is
    infinite.
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
    f = (n_streams - 1) * chi_squared / left if left > 1e-9 else math.inf
    if n_streams < FEW_STREAMS:
        return Friedman(chi_squared, f, _chance(ranks(scores)))
    degrees = n_learners - 1, (n_learners - 1) * (n_streams - 1)
    return Friedman(chi_squared, f, float(f_distribution.sf(f, *degrees)))


def _chance(ranked: Floats) -> float:
    """Return the chance that rank sums differ as much as these if each stream's ranks are in random order."""
    doubled = np.rint(2 * ranked).astype(np.int64)  # ranks of equals are halves

    def spread(sums: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.asarray((sums**2).sum(axis=-1))

    found = _random_sums(doubled)
    if found is not None:
        sums, chances = found
        return min(1.0, float(chances[spread(sums) >= spread(doubled.sum(axis=0))].sum()))
    rng = np.random.default_rng(0)
    orders = rng.random((N_DRAWN, *doubled.shape)).argsort(axis=2)
    drawn = np.take_along_axis(doubled[None], orders, axis=2).sum(axis=1)
    return float(1 + np.count_nonzero(spread(drawn) >= spread(doubled.sum(axis=0)))) / (1 + N_DRAWN)


def _random_sums(ranked: NDArray[np.int64]) -> tuple[NDArray[Any], Floats] | None:
    """Return all sums of the lines in random order, each sum sorted, and their chances; None if too many."""
    n_learners = ranked.shape[1]
    sums: NDArray[Any] = np.zeros((1, n_learners), dtype=np.int64)
    chances: NDArray[Any] = np.ones(1)
    for line in ranked.tolist():
        if math.factorial(n_learners) > MOST_ORDERS or math.factorial(n_learners) * len(sums) > MOST_STATES:
            return None
        orders = np.array(list(itertools.permutations(line)))
        following = np.sort((sums[:, None] + orders[None]).reshape(-1, n_learners), axis=1)
        sums, place = np.unique(following, axis=0, return_inverse=True)
        chances = np.bincount(place.ravel(), np.repeat(chances, len(orders)) / len(orders))
    return sums, chances


def critical_difference(n_learners: int, n_streams: int, level: float = 0.05) -> float:
    """Return Nemenyi's critical difference: mean ranks further apart than this differ at the level.

    Two learners must differ by the sign test too, as Nemenyi's claims too much with few streams; if no
    difference is enough, it is 1.
    """
    from scipy.stats import binom, studentized_range

    least = 0.0
    if n_learners == 2:
        ahead = np.arange(n_streams % 2, n_streams + 1, 2)  # by so many streams
        chance = 2 * binom.sf((n_streams + ahead) // 2 - 1, n_streams, 0.5)
        least = int(ahead[np.minimum(chance, 1.0) > level].max()) / n_streams + 1e-9  # ranks are rounded
    q = float(studentized_range.ppf(1 - level, n_learners, np.inf)) / math.sqrt(2)
    return max(least, q * math.sqrt(n_learners * (n_learners + 1) / (6 * n_streams)))


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
