"""KolmogorovSmirnovMonitor: which inputs changed, by the distance of their distribution functions."""

import numpy as np

from thalweg.drift.distances import chance_by_kolmogorov_smirnov, effective_rows, kolmogorov_smirnov
from thalweg.drift.hellinger import compare
from thalweg.drift.monitor import Monitor


class KolmogorovSmirnovMonitor(Monitor):
    """Like HellingerMonitor, by the Kolmogorov–Smirnov distance of the distribution functions.

    Sees a shift of a number best; a change of its spread, or of a few values among many, less well than
    histograms do. Distribution functions are compared at up to `n_bins` values, quantiles of the reference,
    with missing values below all others; their share is tested by itself, too. Categories have no order:
    they, and the labels, are compared by the Hellinger distance.

    Parameters
    ----------
    reference : int, default=2000
        Rows compared with, the first ones. A quarter of them sets the cells and is not counted.
    window : int, default=1000
        Rows of a window.
    n_bins : int or None, default=None
        Values at which the functions are compared, and one; by default a fifth of the rows, 3 to 200.
    false_alarms : float, default=0.01
        Share of streams without change that ever get an alarm, as in HellingerMonitor.
    categorical : sequence of int
        Positions of the inputs whose values are categories, coded 0, 1, 2, ….

    Examples
    --------
    >>> import numpy as np
    >>> from thalweg.drift import KolmogorovSmirnovMonitor
    >>> X = np.random.default_rng(0).normal(size=(4000, 20))
    >>> X[3000:, 7] += 0.5
    >>> print(*KolmogorovSmirnovMonitor().update(X))
    x7: rows 3,000 to 3,999 differ by 0.223 (by chance about 0.035), p = 2e-24
    """

    def _usual_bins(self, n_rows):
        return int(np.clip(n_rows // 5, 3, 200))

    def _compare(self, reference, counts, unordered):
        # 0.8687 is the mean of Kolmogorov's distribution.
        by_chance = 0.8687 / np.sqrt(np.maximum(effective_rows(reference, counts), 1))
        chances = chance_by_kolmogorov_smirnov(reference, counts)
        ordered = kolmogorov_smirnov(reference, counts), by_chance, chances
        if not unordered.any():
            return ordered
        return tuple(np.where(unordered, a, b) for a, b in
                     zip(compare(reference, counts, unordered), ordered, strict=True))
