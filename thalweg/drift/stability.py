"""StabilityMonitor: which inputs changed, by the population stability index (PSI)."""

import numpy as np

from thalweg.drift.distances import chance_by_stability, effective_rows, joined, stability_index_of_cells
from thalweg.drift.monitor import Monitor


class StabilityMonitor(Monitor):
    """Like HellingerMonitor, by the population stability index (PSI) of credit scoring.

    Its usual rule of thumb, 0.1 for some change and 0.25 for much, is blind to the number of rows: small
    windows exceed it by chance, and large ones change for certain long before. Here an alarm is a test at a
    stated rate.

    Parameters
    ----------
    reference : int, default=2000
        Rows compared with, the first ones. A quarter of them sets the cells and is not counted.
    window : int, default=1000
        Rows of a window.
    n_bins : int or None, default=None
        Cells of a histogram; by default a 25th of the rows in it, 3 to 20. PSI's usual number is 10.
    false_alarms : float, default=0.01
        Share of streams without change that ever get an alarm, as in HellingerMonitor.
    categorical : sequence of int
        Positions of the inputs whose values are categories, coded 0, 1, 2, ….

    Notes
    -----
    Empty cells would make the index infinite. So neighbouring cells are joined until each expects ten rows,
    and one row is added to each.

    Examples
    --------
    >>> import numpy as np
    >>> from thalweg.drift import StabilityMonitor
    >>> X = np.random.default_rng(0).normal(size=(4000, 20))
    >>> X[3000:, 7] += 0.5
    >>> print(*StabilityMonitor(n_bins=10).update(X))
    x7: rows 3,000 to 3,999 differ by 0.254 (by chance about 0.015), p = 4e-26
    """

    def _compare(self, reference, counts, unordered):
        a, b, cells = joined(reference, counts)
        by_chance = (cells.sum(axis=-1) - 1) / np.maximum(effective_rows(reference, counts), 1)
        found = stability_index_of_cells(a, b, cells)
        return found, by_chance, chance_by_stability(reference, counts, unordered)
