"""Where rows come from: generators, files, named datasets, and streams joined into drifting ones."""

from typing import TYPE_CHECKING

from thalweg._registry import Registry

registry = Registry(__name__)
__all__ = registry.public()

if TYPE_CHECKING:
    from thalweg.streams import datasets as datasets
    from thalweg.streams import drifting as drifting
    from thalweg.streams.arrays import from_arrays as from_arrays
    from thalweg.streams.files.open import from_file as from_file
    from thalweg.streams.generators.circles import Circles as Circles
    from thalweg.streams.generators.drifting_gaussians import DriftingGaussians as DriftingGaussians
    from thalweg.streams.generators.hyperplane import Hyperplane as Hyperplane
    from thalweg.streams.generators.led import LED as LED
    from thalweg.streams.generators.many_planes import Many as Many
    from thalweg.streams.generators.random_rbf import RandomRBF as RandomRBF
    from thalweg.streams.generators.sea import SEA as SEA
    from thalweg.streams.generators.sphere import Sphere as Sphere
    from thalweg.streams.generators.threshold_series import ThresholdSeries as ThresholdSeries
    from thalweg.streams.noise import noisy as noisy
    from thalweg.streams.rows import from_rows as from_rows
    from thalweg.streams.source import as_stream as as_stream
else:
    __getattr__ = registry.load
__dir__ = registry.public
