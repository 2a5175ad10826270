"""HellingerMonitor: which inputs changed, by the Hellinger distance of their histograms."""

import numpy as np

from thalweg.drift.distances import chance_by_hellinger, effective_rows, hellinger
from thalweg.drift.monitor import Monitor


class HellingerMonitor(Monitor):
    """Says which inputs of a stream changed, when and how much, without labels or with them.

    The first `reference` rows are what is normal; each window of rows after them is compared with that, input
    by input. With labels, the shares of the labels and each input given each label are watched too. Sees any
    change of one input's distribution, missing values and new categories included; does not see changes of
    how inputs depend on each other, nor of how the label depends on several. Neighbouring rows that resemble
    each other (a season, a trend, a session) differ from other times without any drift in what you care
    about: such streams get alarms, and rightly so by the measure, but the stated rate is one of independent
    rows.

    Memory: the rows of the reference until it is complete; from then on counts only, cells × inputs × labels
    for the reference and for the window, and up to a million more while rows are counted.

    Parameters
    ----------
    reference : int, default=2000
        Rows compared with, the first ones. A quarter of them sets the cells and is not counted.
    window : int, default=1000
        Rows of a window.
    n_bins : int or None, default=None
        Cells of a histogram (b); by default a 25th of the rows in it, 3 to 20.
    false_alarms : float, default=0.01
        Share of streams without change that ever get an alarm, however long they are and however many inputs
        they have; the rate holds for independent rows and errs on the side of silence.
    categorical : sequence of int
        Positions of the inputs whose values are categories, coded 0, 1, 2, ….

    Attributes
    ----------
    watched_ : list of Watched
        What is watched: the inputs; with labels, then the labels and the inputs given each label.
    n_rows_, n_windows_ : int
        Rows seen and windows compared so far.
    cells_ : Cells
        The cells of the histograms.

    Notes
    -----
    The distance lies between 0 and 1, that of the paper over √2. *Differs from the paper*: cells hold equally
    many rows instead of being equally wide; what chance alone leads one to expect is reported beside each
    distance (`Change.expected`); and an alarm is a test at a stated rate, where the paper has a threshold
    that small chunks exceed by themselves.

    References
    ----------
    T. R. Hoens, N. V. Chawla, R. Polikar. Heuristic updatable weighted random subspaces for non-stationary
    environments. ICDM 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from thalweg.drift import HellingerMonitor
    >>> X = np.random.default_rng(0).normal(size=(6000, 20))
    >>> X[4000:, 7] += 0.5
    >>> for change in HellingerMonitor().update(X):
    ...     print(change)
    x7: rows 4,000 to 4,999 differ by 0.190 (by chance about 0.063), p = 4e-23
    x7: rows 5,000 to 5,999 differ by 0.188 (by chance about 0.063), p = 4e-22
    """

    def _compare(self, reference, counts, unordered):
        return compare(reference, counts, unordered)


def compare(reference, counts, unordered):
    """Return Hellinger distances, those to be expected by chance, and how likely such distances are."""
    used = ((reference + counts) > 0).sum(axis=-1)
    # E[d²] = (b − 1)/8 (1/n₁ + 1/n₂) with no change
    by_chance = np.sqrt(np.maximum(used - 1, 0) / 8 / np.maximum(effective_rows(reference, counts), 1))
    return hellinger(reference, counts), by_chance, chance_by_hellinger(reference, counts, unordered)
