"""Page–Hinkley: has the mean of a loss risen?"""

from thalweg._parameters import count, real_number, yes_or_no
from thalweg.drift._native.page_hinkley import PageHinkleyKernel
from thalweg.drift.base import NativeDetector


class PageHinkley(NativeDetector):
    """Page–Hinkley test: the sum of the losses minus their mean, compared with its lowest value so far.

    Cheap, and fast to detect a lasting rise. The threshold is in units of the loss and must fit its noise.
    Resets itself after an alarm. Memory: nine numbers.

    Parameters
    ----------
    tolerance : float, default=0.005
        Rise of the mean that is ignored (δ).
    threshold : float, default=50.0
        Alarm when the sum exceeds its lowest value by this much (λ).
    decay : float, default=1.0
        Factor by which the sum is multiplied at each loss (α).
    min_values : int, default=30
        No alarm before this many losses.
    from_lowest : bool, default=True
        Whether the sum is measured from its lowest value, as in the paper, or from zero, as in MOA.

    Notes
    -----
    `PageHinkley(decay=0.9999, from_lowest=False)` gives the alarms of MOA's defaults on the same losses. As
    in MOA, whose count is one ahead, the first alarm can come one loss before `min_values`.

    References
    ----------
    E. S. Page. Continuous inspection schemes. Biometrika 41, 1954. The form with `tolerance` is that of
    J. Gama, P. Rodrigues, R. Sebastião. Evaluating algorithms that learn from data streams. SAC 2009.

    Examples
    --------
    >>> from thalweg.drift import PageHinkley
    >>> PageHinkley(threshold=5).update_many([0.0, 1.0] * 50 + [1.0] * 50)
    array([108])
    """

    def __init__(
        self,
        tolerance: float = 0.005,
        threshold: float = 50.0,
        *,
        decay: float = 1.0,
        min_values: int = 30,
        from_lowest: bool = True,
    ) -> None:
        self.tolerance = tolerance
        self.threshold = threshold
        self.decay = decay
        self.min_values = min_values
        self.from_lowest = from_lowest

    def _make_kernel(self) -> PageHinkleyKernel:
        return PageHinkleyKernel(
            real_number(self, "tolerance", self.tolerance, least=0),
            real_number(self, "threshold", self.threshold, above=0),
            real_number(self, "decay", self.decay, above=0, most=1),
            count(self, "min_values", self.min_values, 0),
            yes_or_no(self, "from_lowest", self.from_lowest),
        )
