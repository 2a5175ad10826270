"""EDDM: do errors come closer together?"""

from thalweg._parameters import count, real_number
from thalweg.drift._native.ddm import EDDMKernel
from thalweg.drift.base import NativeDetector


class EDDM(NativeDetector):
    """EDDM: watches the distances between errors, which shrink when the error rate rises.

    Meant for slow changes at low error rates. It reacts slowly after a few hundred errors, when the mean
    distance hardly changes any more, and gives many false alarms if errors are frequent or come in bursts.
    A loss of at least 0.5 counts as an error. Resets itself after an alarm. Memory: ten numbers.

    Parameters
    ----------
    warning_level : float, default=0.95
        Warn when the mean distance plus two standard deviations is below this fraction of its maximum (α).
    alarm_level : float, default=0.9
        Alarm below this fraction (β).
    min_errors : int, default=30
        No alarm until there were more errors than this.

    Notes
    -----
    Gives MOA's alarms and warnings on the same errors; as in MOA, a warning lasts until the next error.
    *Differs from the paper*: as in MOA, the maximum is recorded only from loss `min_errors` on.

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

    def __init__(
        self, warning_level: float = 0.95, alarm_level: float = 0.9, *, min_errors: int = 30
    ) -> None:
        self.warning_level = warning_level
        self.alarm_level = alarm_level
        self.min_errors = min_errors

    def _make_kernel(self) -> EDDMKernel:
        warning = real_number(self, "warning_level", self.warning_level, above=0, most=1)
        alarm = real_number(self, "alarm_level", self.alarm_level, above=0, most=warning)
        return EDDMKernel(warning, alarm, count(self, "min_errors", self.min_errors, 0))
