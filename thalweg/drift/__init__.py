"""Has a number, or an input, changed? Detectors take losses: bigger is worse."""

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
__all__ = [*registry]


def __getattr__(name):
    return registry.load(name)


def __dir__():
    return __all__
