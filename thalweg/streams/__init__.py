"""Where rows come from: generators, files, named datasets, and streams joined into drifting ones."""

from typing import TYPE_CHECKING, Any

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
        "as_stream": "source",
        "from_arrays": "arrays",
        "from_file": "files",
        "from_rows": "rows",
        "noisy": "noise",
    },
    submodules=("datasets", "drifting"),
)
__all__ = [*registry, "datasets", "drifting"]

if TYPE_CHECKING:
    from thalweg.streams import datasets as datasets
    from thalweg.streams import drifting as drifting
    from thalweg.streams.arrays import from_arrays as from_arrays
    from thalweg.streams.circles import Circles as Circles
    from thalweg.streams.drifting_gaussians import DriftingGaussians as DriftingGaussians
    from thalweg.streams.files import from_file as from_file
    from thalweg.streams.hyperplane import Hyperplane as Hyperplane
    from thalweg.streams.led import LED as LED
    from thalweg.streams.many import Many as Many
    from thalweg.streams.noise import noisy as noisy
    from thalweg.streams.random_rbf import RandomRBF as RandomRBF
    from thalweg.streams.rows import from_rows as from_rows
    from thalweg.streams.sea import SEA as SEA
    from thalweg.streams.source import as_stream as as_stream
    from thalweg.streams.sphere import Sphere as Sphere
    from thalweg.streams.threshold_series import ThresholdSeries as ThresholdSeries
else:

    def __getattr__(name: str) -> Any:
        return registry.load(name)


def __dir__() -> list[str]:
    return __all__
