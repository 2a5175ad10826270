"""Which members' inputs have changed by more than chance explains."""

import numpy as np

from thalweg._types import Floats, Ints

LEAST_VARIANCE = 1e-9


def p_values(moments: Floats) -> Floats:
    """Return how likely chance alone gives as large a statistic as was found.

    `moments` has on its last axis the statistic, and its mean and variance if nothing has changed; the
    statistic is then taken for a gamma variable of that mean and variance.
    """
    from scipy.special import gammaincc

    found, expected, variance = np.moveaxis(moments, -1, 0)
    known = variance > LEAST_VARIANCE
    rate = expected / np.where(known, variance, 1.0)
    return np.where(known, gammaincc(expected * rate, found * rate), 1.0)


def changed_members(moments: Floats, reference: Ints, first: Ints, columns: Ints, level: float) -> Ints:
    """Return the members whose inputs have changed, each falsely with a chance of about `level`.

    The inputs of member m are `columns[first[m] : first[m + 1]]`, their moments those of `reference[m]`. Half
    of the level is for its worst input (Bonferroni), half for the sum over its inputs, which finds changes
    that are small in each of many. The sum takes inputs for independent: with copies of one it alarms more.
    """
    widths = np.diff(first)
    of_inputs = moments[np.repeat(reference, widths), columns]
    worst = np.minimum.reduceat(p_values(of_inputs), first[:-1]) * widths
    together = p_values(np.add.reduceat(of_inputs, first[:-1]))
    return np.flatnonzero(np.minimum(worst, together) < level / 2)
