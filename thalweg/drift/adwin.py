"""ADWIN: an adaptive window whose mean is checked for change."""

from typing import cast

from thalweg._parameters import count, real_number, yes_or_no
from thalweg.drift._native.adwin import ADWINKernel
from thalweg.drift.base import NativeDetector

ROOM = 32


class ADWIN(NativeDetector):
    """ADWIN: keeps the longest window of recent losses with a constant mean; drops older ones after a change.

    Detects small changes after a long stationary time, with few false alarms and one parameter. Slower than
    DDM or HDDM_W after an abrupt change, because it tests only every `period` losses. The window is also cut
    when the mean falls, but only a rise is an alarm. Losses may be any numbers, but the bound is meant for a
    range of about 1: scale them.

    One large change often gives several alarms, as in the paper and in MOA. At an alarm only as many of the
    oldest losses are dropped as the losses since the change can yet tell apart. So the window still holds
    losses from before the change, and these are dropped, with further alarms, when there is more evidence.
    River forgets the whole window instead and gives one alarm; for that, call `reset()` after each alarm.

    Memory: an exponential histogram of at most 425 numbers; beyond 2 · 10¹⁰ losses the oldest are forgotten.

    Parameters
    ----------
    delta : float, default=0.002
        Bound on the probability of a cut where nothing has changed (δ).
    period : int, default=32
        Number of losses between two tests.
    as_moa : bool, default=False
        Whether to reproduce an overflow in MOA, to get its alarms even in windows beyond 130,000 losses.

    Attributes
    ----------
    width, mean, variance : int, float, float
        Number, mean and variance of the losses in the window.

    Notes
    -----
    *Differs from the paper* as MOA does: the bound has log(2 ln(n)/δ) instead of log(2n/δ), each part counts
    as four values shorter than it is, and a part has at least seven values. Gives the alarms of MOA's
    ADWINChangeDetector as long as the window is below about 130,000 losses. In longer windows MOA's product
    of two lengths overflows a 32-bit integer, and its variance is wrong; with `as_moa` it is wrong here too.

    References
    ----------
    A. Bifet, R. Gavaldà. Learning from time-changing data with adaptive windowing. SDM 2007.

    Examples
    --------
    >>> from thalweg.drift import ADWIN
    >>> detector = ADWIN()
    >>> detector.update_many([0.0, 0.0, 0.0, 1.0] * 100 + [1.0, 1.0, 1.0, 0.0] * 100)
    array([447, 479])
    >>> detector.width, round(detector.mean, 2)
    (448, 0.7)

    One alarm for each change:

    >>> detector.reset()
    >>> for i, loss in enumerate([0.0, 0.0, 0.0, 1.0] * 100 + [1.0, 1.0, 1.0, 0.0] * 100):
    ...     if detector.update(loss):
    ...         detector.reset()
    ...         print(i)
    447
    """

    def __init__(self, delta: float = 0.002, period: int = 32, *, as_moa: bool = False) -> None:
        self.delta = delta
        self.period = period
        self.as_moa = as_moa

    def _make_kernel(self) -> ADWINKernel:
        delta = real_number(self, "delta", self.delta, above=0, below=1)
        period = count(self, "period", self.period, 1)
        return ADWINKernel(delta, period, ROOM, yes_or_no(self, "as_moa", self.as_moa))

    @property
    def width(self) -> int:
        """Losses in the window."""
        return cast(ADWINKernel, self._handle()).width

    @property
    def mean(self) -> float:
        """Mean of the losses in the window; 0 if there are none."""
        return cast(ADWINKernel, self._handle()).mean

    @property
    def variance(self) -> float:
        """Variance of the losses in the window; 0 if there are none."""
        return cast(ADWINKernel, self._handle()).variance
