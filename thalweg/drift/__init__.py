"""Has a number or an input changed? Detectors watch a loss, where bigger is worse; monitors watch rows."""

from typing import TYPE_CHECKING, Any

from thalweg._registry import Registry

registry = Registry(__name__)
monitor_registry = registry.part("Monitor")
__all__ = [*registry, *monitor_registry]

if TYPE_CHECKING:
    from thalweg.drift import base as base
    from thalweg.drift.adwin import ADWIN as ADWIN
    from thalweg.drift.ddm import DDM as DDM
    from thalweg.drift.eddm import EDDM as EDDM
    from thalweg.drift.hddm import HDDM_A as HDDM_A
    from thalweg.drift.hddm import HDDM_W as HDDM_W
    from thalweg.drift.hellinger import HellingerMonitor as HellingerMonitor
    from thalweg.drift.kolmogorov_smirnov import KolmogorovSmirnovMonitor as KolmogorovSmirnovMonitor
    from thalweg.drift.kswin import KSWIN as KSWIN
    from thalweg.drift.page_hinkley import PageHinkley as PageHinkley
    from thalweg.drift.stability import StabilityMonitor as StabilityMonitor
else:

    def __getattr__(name: str) -> Any:
        return (monitor_registry if name in monitor_registry.modules else registry).load(name)


def __dir__() -> list[str]:
    return __all__
