from collections.abc import Callable
from typing import Any

from .base import EnsembleKernel

class BoostingKernel(EnsembleKernel):
    def __init__(
        self, who: str, n_features: int, n_classes: int, n_members: int, key: int, by_accuracy: bool,
        bound: float, shift: float, n_templates: int, build: Callable[..., Any], n_kinds: int = 1,
    ) -> None: ...
