from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import NDArray

from .threaded import ThreadedKernel

class ForestKernel(ThreadedKernel):
    def __init__(
        self, who: str, n_features: int, n_classes: int, keys: NDArray[Any], poisson_mean: float,
        deltas: Sequence[float], n_jobs: int, n_templates: int, build: Callable[..., Any],
    ) -> None: ...
