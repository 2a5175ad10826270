"""ADWIN: an adaptive window whose mean is checked for change."""

from thalweg._kernels.adwin import ADWINKernel
from thalweg._parameters import count, real_number, yes_or_no
from thalweg.drift.base import NativeDetector

ROOM = 32


class ADWIN(NativeDetector):
    """ADWIN: keeps as many of the latest losses as have one mean, and drops the older ones after a change.

    Sees small changes after a long quiet time, adapts its own window, has one parameter and few false alarms;
    slower to see an abrupt change than DDM or HDDM_W, because it looks only every `period` losses. The window
    is also cut when the mean falls, but only a rise is an alarm. After an alarm it goes on with the window
    that is left, so one large change often gives several alarms in a row. Losses may be any numbers, but the
    bound is for a range of about 1: scale them.

    Memory: an exponential histogram of at most 425 numbers; beyond 2 · 10¹⁰ losses the oldest are forgotten.

    Parameters
    ----------
    delta : float, default=0.002
        Bound on the probability of a cut where nothing has changed (δ).
    period : int, default=32
        Look for a change every so many losses.
    as_moa : bool, default=False
        Whether to repeat an overflow of MOA's, for the same alarms even in windows beyond 130,000 losses.

    Attributes
    ----------
    width, mean, variance : int, float, float
        Number, mean and variance of the losses in the window.

    Notes
    -----
    *Differs from the paper* as MOA does: the bound takes log(2 ln(n)/δ) for log(2n/δ), counts each part as
    four values shorter than it is, and a part has at least seven values. Gives the alarms of MOA's
    ADWINChangeDetector, which cuts both ways and reports rises, as long as the window is below about 130,000:
    above, MOA multiplies two lengths as 32-bit integers, they overflow, and its variance goes wrong. With
    `as_moa` ours does, too, and the alarms stay the same.

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
    """

    def __init__(self, delta=0.002, period=32, as_moa=False):
        self.delta = delta
        self.period = period
        self.as_moa = as_moa

    def _make_kernel(self):
        delta = real_number(self, "delta", self.delta, above=0, below=1)
        period = count(self, "period", self.period, 1)
        return ADWINKernel(delta, period, ROOM, yes_or_no(self, "as_moa", self.as_moa))

    @property
    def width(self):
        """Losses in the window."""
        return self._handle().width

    @property
    def mean(self):
        """Mean of the losses in the window; 0 if there are none."""
        return self._handle().mean

    @property
    def variance(self):
        """Variance of the losses in the window; 0 if there are none."""
        return self._handle().variance
