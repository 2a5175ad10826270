"""StabilityMonitor: which inputs changed, by the population stability index (PSI)."""

import numpy as np

from thalweg._types import Counts, Floats, Mask
from thalweg.drift.distances import chance_by_stability, effective_rows, joined, stability_index_of_bins
from thalweg.drift.monitor import Monitor


class StabilityMonitor(Monitor):
    """Like HellingerMonitor, but with the population stability index (PSI) of credit scoring.

    The usual rule of thumb, 0.1 for some change and 0.25 for much, ignores the number of rows: small windows
    exceed it by chance, and in large windows a much smaller index is certain proof of a change. Here an alarm
    is a test with a stated rate of false alarms.

    Parameters
    ----------
    reference : int, default=2000
        Number of rows at the start of the stream that windows are compared with. A quarter of them defines
        the bins and is not counted.
    window : int, default=1000
        Number of rows in a window.
    n_bins : int or None, default=None
        Number of bins of a histogram; by default a 25th of its rows, between 3 and 20. The usual number for
        PSI is 10.
    false_alarms : float, default=0.01
        Share of streams without change that ever get an alarm, as in HellingerMonitor.
    categorical : sequence of int
        Positions of the inputs whose values are categories, coded 0, 1, 2, ….
    longest : int, default=64
        Most windows taken together, as in HellingerMonitor.

    Notes
    -----
    Empty bins would make the index infinite. Therefore neighbouring bins are joined until each expects ten
    rows, and one row is added to each bin.

    Examples
    --------
    >>> import numpy as np
    >>> from thalweg.drift import StabilityMonitor
    >>> X = np.random.default_rng(0).normal(size=(4000, 20))
    >>> X[3000:, 7] += 0.5
    >>> print(*StabilityMonitor(n_bins=10).update(X))
    x7: rows 3,000 to 3,999 differ by 0.254 (by chance about 0.015), p = 7e-26
    """

    def _compare(
        self, reference: Counts, counts: Counts, unordered: Mask
    ) -> tuple[Floats, Floats, Floats]:
        a, b, bins = joined(reference, counts)
        by_chance = (bins.sum(axis=-1) - 1) / np.maximum(effective_rows(reference, counts), 1)
        found = stability_index_of_bins(a, b, bins)
        return found, by_chance, chance_by_stability(reference, counts, unordered)
