from collections.abc import Callable
from typing import Any

from .base import ChunkEnsembleKernel

class AccuracyWeightedKernel(ChunkEnsembleKernel):
    def __init__(
        self, who: str, n_features: int, n_classes: int, most: int, size: int, n_held_out: int, n_folds: int,
        keeps_latest: bool, key: int, n_templates: int, build: Callable[..., Any],
    ) -> None: ...
