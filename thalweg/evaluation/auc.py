"""The areas under the ROC curve, computed as a rank statistic, and under the precision-recall curve."""

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Floats, Mask

OfOne: TypeAlias = Callable[[Mask, Floats, Floats | None], float]
_POINTS = 1000
_NEGLIGIBLE = 1e-9


def area(
    codes: NDArray[Any],
    probabilities: Floats,
    weights: Floats | None = None,
    of_one: OfOne | None = None,
    classes: Sequence[int] | None = None,
) -> float:
    """Return the area under the ROC curve: of class 1 if there are two, else the mean over all classes.

    `of_one` returns another area for one class, and `classes` are those to average over. Rows without a label
    or with NaN as a probability are left out; NaN if no class is left.
    """
    usable = (codes >= 0) & ~np.isnan(probabilities).any(axis=1)
    if not usable.all():
        codes, probabilities = codes[usable], probabilities[usable]
        weights = None if weights is None else weights[usable]
    n_classes = probabilities.shape[1]
    chosen = classes or ([1] if n_classes == 2 else range(n_classes))
    areas = [(of_one or _area_of_one)(codes == k, probabilities[:, k], weights) for k in chosen]
    defined = [value for value in areas if not math.isnan(value)]
    return float(np.mean(defined)) if defined else math.nan


def over_grid(
    codes: NDArray[Any],
    probabilities: Floats,
    window: int | None,
    fade: float | None,
    of_one: OfOne | None = None,
    classes: Sequence[int] | None = None,
) -> Floats:
    """Return the sliding or faded area at each row, computed at no more than 1,000 rows."""
    n = len(codes)
    every = max(1, math.ceil(n / _POINTS))
    # fade ** reach = _NEGLIGIBLE
    reach = window or n
    if fade is not None and fade < 1:
        reach = math.ceil(math.log(_NEGLIGIBLE) / math.log(fade))
    result = np.full(n, np.nan)
    for last in range(every - 1, n, every):
        part = slice(max(0, last + 1 - reach), last + 1)
        weights = None if fade is None else fade ** np.arange(last - part.start, -1, -1.0)
        result[last : last + every] = area(codes[part], probabilities[part], weights, of_one, classes)
    return result


def precision_area(positive: Mask, scores: Floats, weights: Floats | None = None) -> float:
    """Return the average precision: of the rows down to each positive one, the share that is positive.

    Rows of the same score come together. NaN if no row is positive.
    """
    if not positive.any():
        return math.nan
    order = np.argsort(-scores, kind="stable")
    heavy = np.ones(len(scores)) if weights is None else weights[order]
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)  # of each score
    found, seen = np.cumsum(heavy * positive[order])[last], np.cumsum(heavy)[last]
    if not found[-1] > 0:
        return math.nan
    precisions = found / np.maximum(seen, np.finfo(float).tiny)
    return float((np.diff(found, prepend=0.0) * precisions).sum() / found[-1])


def _area_of_one(positive: Mask, scores: Floats, weights: Floats | None) -> float:
    """Return the probability that a positive row has a higher score than a negative one; ties count half."""
    above, below = scores[positive], scores[~positive]
    if not len(above) or not len(below):
        return math.nan
    if weights is None:
        heavy_above: Any = 1.0
        below = np.sort(below)
        mass = np.arange(len(below) + 1.0)
        all_above: float = len(above)
        above = np.sort(above)
    else:
        heavy_above, heavy_below = weights[positive], weights[~positive]
        order = np.argsort(below)
        below = below[order]
        mass = np.concatenate([[0.0], np.cumsum(heavy_below[order])])
        all_above = heavy_above.sum()
    beaten = mass[np.searchsorted(below, above, "left")] + mass[np.searchsorted(below, above, "right")]
    return float((heavy_above * beaten).sum() / 2 / mass[-1] / all_above)
