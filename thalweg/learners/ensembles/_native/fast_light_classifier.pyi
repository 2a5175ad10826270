from collections.abc import Callable
from typing import Any

from .online_boost import BoostingKernel

class FastLightKernel(BoostingKernel):
    def __init__(
        self, who: str, n_features: int, n_classes: int, n_members: int, key: int, delta: float,
        n_templates: int, build: Callable[..., Any],
    ) -> None: ...
