"""KolmogorovSmirnovMonitor: which inputs changed, by the distance of their distribution functions."""

import numpy as np

from thalweg._types import Counts, Floats, Mask
from thalweg.drift.distances import chance_by_kolmogorov_smirnov, effective_rows, kolmogorov_smirnov
from thalweg.drift.hellinger import compare
from thalweg.drift.monitor import Monitor


class KolmogorovSmirnovMonitor(Monitor):
    """Like HellingerMonitor, but with the Kolmogorov–Smirnov distance between distribution functions.

    Best at detecting a shift of a number. Histograms are better at detecting a change of its spread, or of a
    few values among many. Distribution functions are compared at up to `n_bins` quantiles of the reference.
    Missing values count as smaller than all others, and their share is also tested separately. Categories and
    labels have no order, so they are compared by the Hellinger distance.

    Parameters
    ----------
    reference : int, default=2000
        Number of rows at the start of the stream that windows are compared with. A quarter of them defines
        the bins and is not counted.
    window : int, default=1000
        Number of rows in a window.
    n_bins : int or None, default=None
        One more than the values at which the functions are compared; by default a fifth of the rows,
        between 3 and 200.
    false_alarms : float, default=0.01
        Share of streams without change that ever get an alarm, as in HellingerMonitor.
    categorical : sequence of int
        Positions of the inputs whose values are categories, coded 0, 1, 2, ….
    longest : int, default=64
        Most windows taken together, as in HellingerMonitor.

    Examples
    --------
    >>> import numpy as np
    >>> from thalweg.drift import KolmogorovSmirnovMonitor
    >>> X = np.random.default_rng(0).normal(size=(4000, 20))
    >>> X[3000:, 7] += 0.5
    >>> print(*KolmogorovSmirnovMonitor().update(X))
    x7: rows 3,000 to 3,999 differ by 0.223 (by chance about 0.035), p = 5e-24
    """

    _by_ranks = False  # it sees shifts by itself

    def _usual_bins(self, n_rows: int) -> int:
        return int(np.clip(n_rows // 5, 3, 200))

    def _compare(
        self, reference: Counts, counts: Counts, unordered: Mask
    ) -> tuple[Floats, Floats, Floats]:
        # 0.8687 is the mean of Kolmogorov's distribution.
        by_chance = 0.8687 / np.sqrt(np.maximum(effective_rows(reference, counts), 1))
        distance = kolmogorov_smirnov(reference, counts)
        ordered = distance, by_chance, chance_by_kolmogorov_smirnov(reference, counts, distance)
        if not unordered.any():
            return ordered
        by_hellinger = compare(reference, counts, unordered)
        d, e, p = (np.where(unordered, a, b) for a, b in zip(by_hellinger, ordered, strict=True))
        return d, e, p
