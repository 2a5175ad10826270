"""DDM: has the error rate left what chance allows?"""

from thalweg._kernels.ddm import DDMKernel
from thalweg._parameters import count, real_number
from thalweg.drift.base import NativeDetector


class DDM(NativeDetector):
    """DDM: warns when the error rate is two standard deviations above its lowest, alarms at three.

    Made for errors (0 or 1; any loss from 0 to 1 will do). Quick after an abrupt change early on; the mean is
    over all losses since the last alarm, so the longer the quiet time, the slower it sees a change, and slow
    changes may be missed. Resets itself after an alarm. Memory: eight numbers.

    Parameters
    ----------
    warning_level : float, default=2.0
        Standard deviations above the lowest error rate for a warning.
    alarm_level : float, default=3.0
        Standard deviations for an alarm.
    min_values : int, default=30
        The first alarm can come with this loss; the lowest error rate is looked for from the one before on.

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

    def __init__(self, warning_level=2.0, alarm_level=3.0, min_values=30):
        self.warning_level = warning_level
        self.alarm_level = alarm_level
        self.min_values = min_values

    def _make_kernel(self):
        warning = real_number(self, "warning_level", self.warning_level, above=0)
        alarm = real_number(self, "alarm_level", self.alarm_level, least=warning)
        return DDMKernel(warning, alarm, count(self, "min_values", self.min_values, 0))
