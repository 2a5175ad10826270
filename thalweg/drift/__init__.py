"""Has a number, or an input, changed? Detectors take losses, bigger is worse; monitors take rows."""

from thalweg._registry import Registry

registry = Registry(
    __name__,
    {
        "ADWIN": "adwin",
        "DDM": "ddm",
        "EDDM": "eddm",
        "HDDM_A": "hddm",
        "HDDM_W": "hddm",
        "KSWIN": "kswin",
        "PageHinkley": "page_hinkley",
    },
    submodules=("base",),
)
monitor_registry = Registry(
    __name__,
    {
        "HellingerMonitor": "hellinger",
        "KolmogorovSmirnovMonitor": "kolmogorov_smirnov",
        "StabilityMonitor": "stability",
    },
)
__all__ = [*registry, *monitor_registry]


def __getattr__(name):
    return (monitor_registry if name in monitor_registry.modules else registry).load(name)


def __dir__():
    return __all__
