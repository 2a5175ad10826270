from collections.abc import Callable
from typing import Any

from .base import EnsembleKernel

class WeightedMajorityKernel(EnsembleKernel):
    def __init__(
        self, who: str, n_features: int, n_classes: int, most: int, period: int, beta: float, theta: float,
        at_once: bool, room: int, n_templates: int, build: Callable[..., Any],
    ) -> None: ...
