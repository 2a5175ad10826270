"""Since when a model is worse than before."""

from typing import NamedTuple

import numpy as np

from thalweg.trust.window_estimates import WindowEstimates

LEAST_WINDOWS = 4


class Worse(NamedTuple):
    """A fall: the row since when, the means of the windows before and since, and how likely chance is.

    `p_value` allows for all rows that could have been the start; neighbouring windows count as independent.
    """

    row: int
    before: float
    since: float
    p_value: float


def worse_since(found: WindowEstimates, false_alarms: float = 0.01) -> Worse | None:
    """Return the clearest fall of a metric, if chance explains it with less than `false_alarms`; else None.

    Windows before and after each possible row are compared in two ways, each with half of `false_alarms`: by
    their estimates, and, for accuracy, by the labels that have come, which suppose that rows with and without
    labels are alike.
    """
    falls = [_by_estimates(found), _by_labels(found)]
    known = [each._replace(p_value=min(1.0, 2 * each.p_value)) for each in falls if each is not None]
    best = min(known, key=lambda each: each.p_value, default=None)
    return best if best is not None and best.p_value < false_alarms else None


def _by_estimates(found: WindowEstimates) -> Worse | None:
    """Return the clearest fall of the estimates.

    The error of means is found from how windows differ on either side of the row, and from the intervals of
    those whose labels have not come. The last window counts if it is full.
    """
    from scipy.special import stdtr

    sign = -1.0 if found.metric == "cost" else 1.0
    full = found.stop - found.start == found.stop[0] - found.start[0]
    kept = full & np.isfinite(found.estimate)
    values, n = sign * found.estimate[kept], int(kept.sum())
    if n < LEAST_WINDOWS:
        return None
    unsure = (found.high - found.low)[kept] / 4  # errors of windows without labels go together
    best: Worse | None = None
    for k in range(2, n):
        before, since = values[:k], values[k:]
        within = ((before - before.mean()) ** 2).sum() + ((since - since.mean()) ** 2).sum()
        variance = within / (n - 2) * (1 / k + 1 / (n - k)) + unsure[:k].mean() ** 2 + unsure[k:].mean() ** 2
        fall = before.mean() - since.mean()
        p_value = float(stdtr(n - 2, -fall / np.sqrt(max(variance, 1e-12)))) * (n - 2)
        if fall > 0 and (best is None or p_value < best.p_value):
            row = int(found.start[kept][k])
            best = Worse(row, sign * float(before.mean()), sign * float(since.mean()), p_value)
    return best


def _by_labels(found: WindowEstimates) -> Worse | None:
    """Return the clearest fall of accuracy among rows with labels.

    Its error is that of chance, or larger if windows on the same side differ by more than chance.
    """
    from scipy.special import stdtr

    kept = found.known > 0
    n, labels = int(kept.sum()), found.known[kept].astype(np.float64)
    if found.metric != "accuracy" or n < LEAST_WINDOWS:
        return None
    right, starts = labels * found.accuracy[kept], found.start[kept]
    best: Worse | None = None
    for k in range(2, n):
        sides = (slice(0, k), slice(k, n))
        size = np.array([labels[side].sum() for side in sides])
        share = np.array([right[side].sum() for side in sides]) / size
        by_chance = np.maximum(share * (1 - share), 1 / (size + 2))
        gaps = [((right[side] / labels[side] - mean) ** 2 * labels[side]).sum() / chance
                for side, mean, chance in zip(sides, share, by_chance, strict=True)]
        error = np.sqrt(max(1.0, sum(gaps) / (n - 2)) * (by_chance / size).sum())
        p_value = float(stdtr(n - 2, (share[1] - share[0]) / error)) * (n - 2)
        if share[1] < share[0] and (best is None or p_value < best.p_value):
            best = Worse(int(starts[k]), float(share[0]), float(share[1]), p_value)
    return best


def below_since(found: WindowEstimates, value: float) -> int | None:
    """Return the first row of the latest windows whose intervals are all worse than `value`."""
    is_worse = found.low > value if found.metric == "cost" else found.high < value
    last = np.flatnonzero(~is_worse)
    first = int(last[-1]) + 1 if len(last) else 0
    return int(found.start[first]) if first < len(found) else None
