"""Where rows come from: generators, files, named datasets, and streams joined into drifting ones."""

from thalweg._registry import Registry

registry = Registry(
    __name__,
    {
        "SEA": "sea",
        "Circles": "circles",
        "Many": "many",
        "Hyperplane": "hyperplane",
        "RandomRBF": "random_rbf",
        "LED": "led",
        "Sphere": "sphere",
        "DriftingGaussians": "drifting_gaussians",
        "ThresholdSeries": "threshold_series",
        "from_arrays": "arrays",
        "from_file": "files",
        "noisy": "noise",
    },
    submodules=("datasets", "drifting"),
)
__all__ = [*registry]


def __getattr__(name):
    return registry.load(name)


def __dir__():
    return __all__
