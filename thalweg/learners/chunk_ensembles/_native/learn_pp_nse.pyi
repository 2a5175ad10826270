from collections.abc import Callable
from typing import Any

from .base import ChunkEnsembleKernel

class LearnNSEKernel(ChunkEnsembleKernel):
    def __init__(
        self, who: str, n_features: int, n_classes: int, most: int, size: int, slope: float, shift: float,
        by_error: bool, n_templates: int, build: Callable[..., Any],
    ) -> None: ...
