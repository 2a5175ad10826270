"""Distances between two histograms, and their p-values if both are samples of one distribution.

All functions work on counts of shape (…, bins); bin 0 counts the missing values. Let n₁ and n₂ be the
numbers of rows in the two histograms, n = 1/(1/n₁ + 1/n₂), and b the number of bins after neighbouring ones
were joined until each expects at least ten rows in the smaller histogram. If there is no change, then, by an
expansion around equal shares,

    4n Σ(√p₁ − √p₂)²  and  n Σ(p₁ − p₂) ln(p₁/p₂)  follow χ² with b − 1 degrees of freedom,           (1)
    P(√n D > x) tends to Kolmogorov's 2 Σ (−1)^(i+1) exp(−2i²x²),                                     (2)
    (|W| − half the largest bin)/σ(W) has a tail below that of a normal distribution,                 (3)

(1) uses the shares (count + 1)/(n + b): adding one row to each bin shortens the heavy tail of rare bins, so
that the test is conservative. (2) is an upper bound if there are ties. In (3), W is the sum of the second
histogram's ranks, less its mean; rows of a bin share the mean of their ranks.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import bdtr, bdtrc, chdtrc, kolmogorov, ndtr

from thalweg._types import Counts, Floats, Mask

LEAST_ROWS = 20
LEAST_EXPECTED = 10


def hellinger(a: Counts, b: Counts) -> Floats:
    """Return the Hellinger distance between the counts `a` and `b` over the last axis, from 0 to 1."""
    return np.sqrt(((np.sqrt(shares(a)) - np.sqrt(shares(b))) ** 2).sum(axis=-1) / 2)


def kolmogorov_smirnov(a: Counts, b: Counts) -> Floats:
    """Return the largest distance between the distribution functions of the counts `a` and `b`."""
    apart = _distribution(a) - _distribution(b)
    return np.asarray(np.maximum(apart.max(axis=-1), -apart.min(axis=-1)))


def stability_index(a: Counts, b: Counts) -> Floats:
    """Return the population stability index of the counts `a` and `b`, with one row added to each bin."""
    return stability_index_of_bins(a, b, np.ones(np.broadcast_shapes(np.shape(a), np.shape(b)), dtype=bool))


def stability_index_of_bins(a: Counts, b: Counts, bins: Mask) -> Floats:
    """Return the index over those bins that the mask `bins` selects."""
    return _stability_index(smoothed(a, bins), smoothed(b, bins), bins)


def shares(counts: Counts) -> Floats:
    """Return counts divided by their sum; NaN where the sum is 0."""
    counts = np.asarray(counts, dtype=float)
    total = counts.sum(axis=-1, keepdims=True)
    return counts / np.where(total > 0, total, np.nan)


def _distribution(counts: Counts) -> Floats:
    """Return the distribution function of counts at the end of each bin; NaN where there are none."""
    upto: Floats = np.cumsum(counts, axis=-1, dtype=float)
    upto /= np.where(upto[..., -1:] > 0, upto[..., -1:], np.nan)
    return upto


def smoothed(counts: Counts, bins: Mask) -> Floats:
    """Return the shares of the bins in the mask `bins`, with one row added to each; 0 elsewhere."""
    counts = np.where(bins, np.asarray(counts) + 1.0, 0.0)
    return counts / counts.sum(axis=-1, keepdims=True)


def joined(a: Counts, b: Counts) -> tuple[Floats, Floats, Mask]:
    """Join neighbouring bins until each expects LEAST_EXPECTED rows in the smaller histogram.

    Returns both counts and a mask of the bins that are left. Only the sum of both histograms decides which
    bins are joined.
    """
    a, b = np.broadcast_arrays(a, b)
    a, b = a.astype(float), b.astype(float)
    n_a, n_b = a.sum(axis=-1), b.sum(axis=-1)
    least = LEAST_EXPECTED * (n_a + n_b) / np.maximum(np.minimum(n_a, n_b), 1)
    both = a + b
    bins = both >= least[..., None]
    # Most histograms have only full bins and empty ones, and stay as they are.
    open_ = ((both > 0) != bins).any(axis=-1) | ~bins.any(axis=-1)
    if open_.any():
        a[open_], b[open_], bins[open_] = _joined_one_by_one(a[open_], b[open_], least[open_])
    return a, b, bins


def _joined_one_by_one(a: Floats, b: Floats, least: Floats) -> tuple[Floats, Floats, Mask]:
    bins = np.zeros(a.shape, dtype=bool)
    last = np.zeros(a.shape[:-1], dtype=np.intp)
    for k in range(a.shape[-1]):
        if k:
            for counts in (a, b):
                open_ = np.where(bins[..., k - 1], 0.0, counts[..., k - 1])
                counts[..., k] += open_
                counts[..., k - 1] -= open_
        full = a[..., k] + b[..., k] >= least
        bins[..., k] = full
        last[full] = k
    for counts in (a, b):
        rest = np.where(bins[..., -1], 0.0, counts[..., -1])
        counts[..., -1] -= rest
        place = last[..., None]
        np.put_along_axis(counts, place, np.take_along_axis(counts, place, -1) + rest[..., None], -1)
    np.put_along_axis(bins, last[..., None], True, -1)
    return a, b, bins


def effective_rows(a: Counts, b: Counts) -> Floats:
    """Return 1/(1/n₁ + 1/n₂), and 0 where a histogram is empty."""
    n_a, n_b = a.sum(axis=-1).astype(float), b.sum(axis=-1).astype(float)
    return n_a * n_b / np.maximum(n_a + n_b, 1)


def chance_by_hellinger(a: Counts, b: Counts, unordered: Mask) -> Floats:
    """Return the p-value of the Hellinger distance by (1)."""
    return _chance(a, b, unordered, _hellinger_statistic)


def chance_by_stability(a: Counts, b: Counts, unordered: Mask) -> Floats:
    """Return the p-value of the population stability index by (1)."""
    return _chance(a, b, unordered, _stability_index)


def chance_by_kolmogorov_smirnov(a: Counts, b: Counts, distance: Floats | None = None) -> Floats:
    """Return the p-value of the Kolmogorov–Smirnov distance by (2), and of the share of missing values."""
    distance = kolmogorov_smirnov(a, b) if distance is None else distance
    chance = kolmogorov(np.sqrt(effective_rows(a, b)) * np.nan_to_num(distance))
    any_missing = (a[..., 0] + b[..., 0]) > 0
    if not any_missing.any():
        return np.asarray(chance)
    missing = chance_by_hellinger(_missing_or_not(a), _missing_or_not(b), np.array(False))
    return np.where(any_missing, np.minimum(1, 2 * np.minimum(chance, missing)), chance)


def chance_by_ranks(a: Counts, b: Counts) -> Floats:
    """Return the p-value of Wilcoxon's rank sum of the values that are not missing, by (3).

    It is 1 where more than half of the rows share a bin: its tail is not that of a normal distribution there.
    """
    both = (a + b)[..., 1:].astype(float)
    n_a, n_b = (counts[..., 1:].sum(axis=-1).astype(float) for counts in (a, b))
    total, most = np.maximum(n_a + n_b, 2), both.max(axis=-1)
    ranks = np.cumsum(both, axis=-1) - (both + total[..., None]) / 2
    found = np.abs((b[..., 1:] * ranks).sum(axis=-1))
    variance = n_a * n_b / total / (total - 1) * (both * ranks**2).sum(axis=-1)
    z = np.maximum(found - most / 2, 0) / np.sqrt(np.maximum(variance, 1))
    return np.where(most <= total / 2, 2 * ndtr(-z), 1.0)


def _missing_or_not(counts: Counts) -> Counts:
    return np.stack([counts[..., 0], counts[..., 1:].sum(axis=-1)], axis=-1)


def _hellinger_statistic(p: Floats, q: Floats, bins: Mask) -> Floats:
    return 4 * ((np.sqrt(p) - np.sqrt(q)) ** 2).sum(axis=-1)


def _stability_index(p: Floats, q: Floats, bins: Mask) -> Floats:
    ratio = np.divide(p, q, out=np.ones(np.broadcast_shapes(p.shape, q.shape)), where=bins)
    return ((p - q) * np.log(ratio)).sum(axis=-1)


def _chance(
    a: Counts,
    b: Counts,
    unordered: Mask,
    statistic: Callable[[Floats, Floats, Mask], Floats],
) -> Floats:
    """Test all bins by (1), and separately those too rare for it: missing values, other categories."""
    joined_a, joined_b, bins = joined(a, b)
    n_bins = bins.sum(axis=-1)
    p, q = smoothed(joined_a, bins), smoothed(joined_b, bins)
    found = statistic(p, q, bins)
    if statistic is not _hellinger_statistic:
        # With two bins all statistics order the tables alike; (1) holds furthest into the tail for this one.
        found = np.where(n_bins == 2, _hellinger_statistic(p, q, bins), found)
    chance = chdtrc(np.maximum(n_bins - 1, 1), effective_rows(a, b) * found)
    rare_a, rare_b = (counts[..., 0] + np.where(unordered, counts[..., 1], 0) for counts in (a, b))
    rare, few = _chance_of_rare(rare_a, rare_b, a, b)
    chance = np.where(few, np.minimum(1, 2 * np.minimum(chance, rare)), chance)
    if (n_bins > 1).all():
        return chance
    return np.where(n_bins == 1, _chance_of_rare(*_all_but_the_biggest(a, b), a, b)[0], chance)


def _all_but_the_biggest(a: Counts, b: Counts) -> tuple[Counts, Counts]:
    a, b = np.broadcast_arrays(a, b)
    biggest = (a + b).argmax(axis=-1)[..., None]
    rest_a, rest_b = (
        counts.sum(axis=-1) - np.take_along_axis(counts, biggest, -1)[..., 0] for counts in (a, b)
    )
    return rest_a, rest_b


def _chance_of_rare(x: Counts, y: Counts, a: Counts, b: Counts) -> tuple[Floats, Mask]:
    """Return the p-value of `x` and `y` rows in a bin, and whether it has too few rows for (1), but some.

    The test is two-sided and binomial: its tails are longer than those of drawing without replacement.
    """
    n_a, n_b = a.sum(axis=-1), b.sum(axis=-1)
    share = n_b / np.maximum(n_a + n_b, 1)
    x, y, share = np.broadcast_arrays(x, y, share)
    total = x + y
    chance = np.ones(total.shape)
    some = total > 0
    y, n, p = y[some], total[some], share[some]
    upper = np.where(y > 0, bdtrc(np.maximum(y - 1, 0), n, p), 1.0)
    chance[some] = np.minimum(1, 2 * np.minimum(upper, bdtr(y, n, p)))
    return chance, some & (total * np.minimum(share, 1 - share) < LEAST_EXPECTED)
