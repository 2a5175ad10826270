"""How many labels are wrong: a range that allows for chance, and for rows that are hard to tell."""

import math
from typing import NamedTuple

import numpy as np

from thalweg._types import Floats, Ints, Mask

LEAST_SURE, SHARE_SURE = 500, 0.1
LEAST_RIGHT = 0.75  # below it a steady share of disagreement may well be how hard the rows are
LITTLE = 0.01  # a share below which it does not matter where in the range it is
LEAST_STEADY = 0.6  # of the disagreement where it is surest, for an estimate to be given
NORMAL_95 = 1.959964


class WrongShare(NamedTuple):
    """The share of wrong labels.

    Attributes
    ----------
    share : float or None
        The estimate; None if the rows do not support one.
    low, high : float
        A 95 % range for it.
    middle : float
        The estimate if there is one, else the middle of the range.
    agreement : float
        Share of the labels that are the ones believed.
    n_labels : int
        Number of labels.
    """

    share: float | None
    low: float
    high: float
    middle: float
    agreement: float
    n_labels: int


def wrong_share(p: Floats, codes: Ints) -> WrongShare:
    """Return the share of wrong labels; `p` are the probabilities believed, the row's label not being known.

    Where the believed label is surest, hardly anything else than a wrong label makes a difference. Rows are
    put in order of sureness twice: all together, which is right if labels of all classes are wrong equally
    often, and within each believed class, which is right if each class has rows that are easy to tell. The
    range has both answers in it.
    """
    believed, sureness = p.argmax(axis=1), p.max(axis=1)
    differs = believed != codes
    orders = np.argsort(-sureness, kind="stable"), np.argsort(_ranks(sureness, believed), kind="stable")
    agreement = 1 - float(differs.mean())
    high = max(_highest(differs[order]) for order in orders)
    steady, low = (min(each) for each in zip(*(_lowest(differs[order]) for order in orders), strict=True))
    found = sum(_surest(differs[order])[0] for order in orders) / len(orders)
    if agreement < LEAST_RIGHT:
        steady = low = 0.0
    is_known = high <= LITTLE or (low > 0 and steady > LEAST_STEADY * found)
    middle = min(max(found, low), high) if is_known else (low + high) / 2
    return WrongShare(middle if is_known else None, low, high, middle, agreement, len(codes))


def _ranks(sureness: Floats, groups: Ints) -> Floats:
    """Return the rank of each row within its group, the surest first, as a share of the group."""
    order = np.lexsort((-sureness, groups))
    sizes = np.bincount(groups)
    starts = np.cumsum(sizes) - sizes
    ranks = np.empty(len(groups))
    ranks[order] = (np.arange(len(groups)) - starts[groups[order]] + 0.5) / sizes[groups[order]]
    return ranks


def _surest(differs: Mask) -> tuple[float, int]:
    """Return how often the label differs among the surest rows, and of how many rows that is.

    These are the surest tenth, 500 at least, and up to half of the rows as long as the share does not rise.
    """
    n = min(max(round(SHARE_SURE * len(differs)), LEAST_SURE), len(differs))
    wrong, step = int(differs[:n].sum()), n // 2
    while n + step <= len(differs) // 2:
        more = int(differs[n : n + step].sum())
        if more / step > wrong / n + math.sqrt(wrong / n * (1 - wrong / n) / step):
            break
        n, wrong = n + step, wrong + more
    return wrong / n, n


def _highest(differs: Mask) -> float:
    """Return the upper end: labels differ where they are wrong, and where the row is hard as well."""
    tenth = min(max(round(SHARE_SURE * len(differs)), LEAST_SURE), len(differs))
    return max(_wilson(differs[:n])[1] for n in (_surest(differs)[1], tenth))


def _lowest(differs: Mask) -> tuple[float, float]:
    """Return where a line through the two surest quarters meets the surest row, and the same less chance.

    If labels differ less often in the surest quarter than in the next one, they would differ even less often
    in surer rows, if there were any: part of the difference is how hard the rows are.
    """
    n = len(differs) // 4
    if 2 * n < LEAST_SURE:
        return 0.0, 0.0
    first, second = float(differs[:n].mean()), float(differs[n : 2 * n].mean())
    if second <= first:
        return (first + second) / 2, _wilson(differs[: 2 * n])[0]
    line = first - (second - first) / 2
    variance = (2.25 * max(first, 1 / n) * (1 - first) + 0.25 * second * (1 - second)) / n
    return line, max(line - NORMAL_95 * math.sqrt(variance), 0.0)


def _wilson(differs: Mask) -> tuple[float, float]:
    """Return the ends of Wilson's 95 % interval for the share of rows in which the label differs."""
    from scipy.stats import binomtest

    low, high = binomtest(int(differs.sum()), len(differs)).proportion_ci(method="wilson")
    return float(low), float(high)
