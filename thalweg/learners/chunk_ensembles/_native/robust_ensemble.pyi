from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from .base import ChunkEnsembleKernel

class RobustKernel(ChunkEnsembleKernel):
    def __init__(
        self, who: str, n_features: int, n_classes: int, most: int, size: int, n_held_out: int, n_folds: int,
        key: int, n_templates: int, build: Callable[..., Any], penalty: float, ridge: float,
        class_weight: Any,
    ) -> None: ...
    def latest_outliers(self) -> list[NDArray[Any]]: ...
