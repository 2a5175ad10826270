"""HellingerMonitor: which inputs changed, by the Hellinger distance of their histograms."""

import numpy as np

from thalweg._types import Counts, Floats, Mask
from thalweg.drift.distances import chance_by_hellinger, effective_rows, hellinger
from thalweg.drift.monitor import Monitor


class HellingerMonitor(Monitor):
    """Reports which inputs of a stream changed, when and how much, with or without labels.

    The first `reference` rows are the reference. Each later window of rows is compared with it, input by
    input. With labels, the shares of the labels and each input given each label are watched too. The monitor
    detects any change of the distribution of one input, including missing values and new categories. It does
    not detect changes of how inputs depend on each other, nor of how the label depends on several inputs. The
    stated rate of false alarms holds for independent rows: where neighbouring rows resemble each other (a
    season, a trend, a session), windows differ from the reference and give alarms without a drift that
    matters.

    Memory: the rows of the reference until it is complete; then bins × inputs × labels counts for the
    reference and the window, 14 times as many for windows taken together, and up to some millions more while
    rows are counted.

    Parameters
    ----------
    reference : int, default=2000
        Number of rows at the start of the stream that windows are compared with. A quarter of them defines
        the bins and is not counted.
    window : int, default=1000
        Number of rows in a window.
    n_bins : int or None, default=None
        Number of bins of a histogram (b); by default a 25th of its rows, between 3 and 20.
    false_alarms : float, default=0.01
        Share of streams without change that ever give an alarm, regardless of their length and number of
        inputs. The rate is an upper bound for independent rows.
    categorical : sequence of int
        Positions of the inputs whose values are categories, coded 0, 1, 2, ….
    longest : int, default=64
        Most windows taken together: the last 2, 4, 8, … of them are compared too, with all rows before them
        (with the reference alone if it was given to `set_reference`), which finds small changes that stay.
        1 compares single windows only.

    Attributes
    ----------
    watched_ : list of Watched
        The distributions watched: the inputs; with labels, also the labels and the inputs given each label.
    n_rows_, n_windows_ : int
        Rows seen and windows compared so far.
    bins_ : Bins
        The bins of the histograms.

    Notes
    -----
    The distance lies between 0 and 1: it is the paper's divided by √2. *Differs from the paper*: bins hold
    equally many rows instead of being equally wide; each distance is reported together with the distance
    expected by chance (`Change.expected`); an alarm is a test with a stated rate of false alarms, where the
    paper has a threshold that small chunks exceed by chance.

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
    x7: rows 4,000 to 4,999 differ by 0.190 (by chance about 0.063), p = 7e-23
    x7: rows 5,000 to 5,999 differ by 0.188 (by chance about 0.063), p = 8e-22
    """

    def _compare(
        self, reference: Counts, counts: Counts, unordered: Mask
    ) -> tuple[Floats, Floats, Floats]:
        return compare(reference, counts, unordered)


def compare(reference: Counts, counts: Counts, unordered: Mask) -> tuple[Floats, Floats, Floats]:
    """Return Hellinger distances, the distances expected by chance, and p-values."""
    used = ((reference + counts) > 0).sum(axis=-1)
    # E[d²] = (b − 1)/8 (1/n₁ + 1/n₂) with no change
    by_chance = np.sqrt(np.maximum(used - 1, 0) / 8 / np.maximum(effective_rows(reference, counts), 1))
    return hellinger(reference, counts), by_chance, chance_by_hellinger(reference, counts, unordered)
