"""EDDM: do errors come closer together?"""

from thalweg._kernels.ddm import EDDMKernel
from thalweg._parameters import count, real_number
from thalweg.drift.base import NativeDetector


class EDDM(NativeDetector):
    """EDDM: watches the distances between errors, which shrink when the error rate rises.

    Made for slow changes at low error rates. It becomes slow after a few hundred errors, when the mean
    distance hardly moves any more, and gives many false alarms where errors are frequent or come in bursts.
    A loss of at least 0.5 counts as an error. Resets itself after an alarm. Memory: ten numbers.

    Parameters
    ----------
    warning_level : float, default=0.95
        Warn when the mean distance plus two standard deviations falls below this part of its highest (α).
    alarm_level : float, default=0.9
        Alarm below this part (β).
    min_errors : int, default=30
        No alarm before more errors than this.

    Notes
    -----
    Gives MOA's alarms and warnings on the same errors; a warning stands until the next error, as there.
    *Differs from the paper*: the highest value is looked for only from loss `min_errors` on, as in MOA.

    References
    ----------
    M. Baena-García, J. del Campo-Ávila, R. Fidalgo, A. Bifet, R. Gavaldà, R. Morales-Bueno. Early drift
    detection method. IWKDDS 2006.

    Examples
    --------
    >>> from thalweg.drift import EDDM
    >>> EDDM().update_many([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1] * 50 + [0, 1] * 200)
    array([643])
    """

    lowest, highest = 0, 1

    def __init__(self, warning_level=0.95, alarm_level=0.9, min_errors=30):
        self.warning_level = warning_level
        self.alarm_level = alarm_level
        self.min_errors = min_errors

    def _make_kernel(self):
        warning = real_number(self, "warning_level", self.warning_level, above=0, most=1)
        alarm = real_number(self, "alarm_level", self.alarm_level, above=0, most=warning)
        return EDDMKernel(warning, alarm, count(self, "min_errors", self.min_errors, 0))
