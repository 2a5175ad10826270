"""DDM: is the error rate higher than chance allows?"""

from thalweg._parameters import count, real_number
from thalweg.drift._native.ddm import DDMKernel
from thalweg.drift.base import NativeDetector


class DDM(NativeDetector):
    """DDM: warns when the error rate is two standard deviations above its lowest, alarms at three.

    Meant for errors (0 or 1), but any loss from 0 to 1 is allowed. Fast after an abrupt change early in the
    stream. The mean is over all losses since the last alarm: the longer ago that was, the slower a change is
    detected, and slow changes may be missed. Resets itself after an alarm. Memory: eight numbers.

    Parameters
    ----------
    warning_level : float, default=2.0
        Standard deviations above the lowest error rate for a warning.
    alarm_level : float, default=3.0
        Standard deviations for an alarm.
    min_values : int, default=30
        Number of losses before the first possible alarm; the lowest error rate is recorded from the loss
        before that one.

    Notes
    -----
    Gives MOA's alarms and warnings on the same losses. *Differs from the paper* in nothing but that counting.

    References
    ----------
    J. Gama, P. Medas, G. Castillo, P. Rodrigues. Learning with drift detection. SBIA 2004.

    Examples
    --------
    >>> from thalweg.drift import DDM
    >>> DDM().update_many([0, 0, 0, 1] * 50 + [1, 1, 1, 0] * 50)
    array([225])
    """

    lowest, highest = 0, 1

    def __init__(self, warning_level: float = 2.0, alarm_level: float = 3.0, *, min_values: int = 30) -> None:
        self.warning_level = warning_level
        self.alarm_level = alarm_level
        self.min_values = min_values

    def _make_kernel(self) -> DDMKernel:
        warning = real_number(self, "warning_level", self.warning_level, above=0)
        alarm = real_number(self, "alarm_level", self.alarm_level, least=warning)
        return DDMKernel(warning, alarm, count(self, "min_values", self.min_values, 0))
