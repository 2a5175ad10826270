"""HDDM: drift detection by Hoeffding's and McDiarmid's inequalities."""

from thalweg._parameters import real_number, yes_or_no
from thalweg.drift._native.hddm import HDDMAKernel, HDDMWKernel
from thalweg.drift.base import NativeDetector


class HDDM_A(NativeDetector):
    """HDDM with plain averages: has the mean of all losses risen above that of the first ones?

    Best for abrupt changes; the rate of false alarms is bounded for any distribution of losses from 0 to 1.
    Slow to detect a change after a long stationary time. Resets itself after an alarm, and when the mean has
    fallen. Memory: nine numbers.

    Parameters
    ----------
    delta : float, default=0.001
        Probability of an alarm by chance, for one comparison (α_D).
    warning_delta : float, default=0.005
        The same for a warning (α_W).
    two_sided : bool, default=True
        Whether to reset, without an alarm, when the mean has fallen.

    Notes
    -----
    Gives MOA's alarms and warnings on the same losses. *Differs from the paper* only where MOA's does.

    References
    ----------
    I. Frías-Blanco, J. del Campo-Ávila, G. Ramos-Jiménez, R. Morales-Bueno, A. Ortiz-Díaz, Y. Caballero-Mota.
    Online and non-parametric drift detection methods based on Hoeffding's bounds. IEEE TKDE 27, 2015.

    Examples
    --------
    >>> from thalweg.drift import HDDM_A
    >>> HDDM_A().update_many([0, 0, 0, 1] * 50 + [1, 1, 1, 0] * 50)
    array([210])
    """

    lowest, highest = 0, 1

    def __init__(self, delta: float = 0.001, warning_delta: float = 0.005, *, two_sided: bool = True) -> None:
        self.delta = delta
        self.warning_delta = warning_delta
        self.two_sided = two_sided

    def _make_kernel(self) -> HDDMAKernel:
        delta = real_number(self, "delta", self.delta, above=0, below=1)
        warning = real_number(self, "warning_delta", self.warning_delta, least=delta, below=1)
        return HDDMAKernel(delta, warning, yes_or_no(self, "two_sided", self.two_sided))


class HDDM_W(NativeDetector):
    """HDDM with fading averages: has the average of recent losses risen above what chance allows?

    Fast after any change, abrupt or slow, with more false alarms than HDDM_A. Resets itself after an alarm.
    Losses lie between 0 and 1. Memory: sixteen numbers.

    Parameters
    ----------
    delta : float, default=0.001
        Probability of an alarm by chance, for one comparison (α_D).
    warning_delta : float, default=0.005
        The same for a warning (α_W).
    rate : float, default=0.05
        Weight of the newest loss in the averages (λ).
    two_sided : bool, default=False
        Whether to reset, without an alarm, when the average has fallen.

    Notes
    -----
    Gives MOA's alarms and warnings on the same losses. *Differs from MOA*, where the averages are static
    fields shared by all HDDM_W detectors of a program: here each detector has its own. In MOA's two-sided
    version the loss that gives an alarm is counted again after the reset; here it is not.

    References
    ----------
    I. Frías-Blanco, J. del Campo-Ávila, G. Ramos-Jiménez, R. Morales-Bueno, A. Ortiz-Díaz, Y. Caballero-Mota.
    Online and non-parametric drift detection methods based on Hoeffding's bounds. IEEE TKDE 27, 2015.

    Examples
    --------
    >>> from thalweg.drift import HDDM_W
    >>> HDDM_W().update_many([0, 0, 0, 1] * 50 + [1, 1, 1, 0] * 50)
    array([226])
    """

    lowest, highest = 0, 1

    def __init__(
        self,
        delta: float = 0.001,
        warning_delta: float = 0.005,
        *,
        rate: float = 0.05,
        two_sided: bool = False,
    ) -> None:
        self.delta = delta
        self.warning_delta = warning_delta
        self.rate = rate
        self.two_sided = two_sided

    def _make_kernel(self) -> HDDMWKernel:
        delta = real_number(self, "delta", self.delta, above=0, below=1)
        warning = real_number(self, "warning_delta", self.warning_delta, least=delta, below=1)
        rate = real_number(self, "rate", self.rate, above=0, below=1)
        return HDDMWKernel(delta, warning, rate, yes_or_no(self, "two_sided", self.two_sided))
