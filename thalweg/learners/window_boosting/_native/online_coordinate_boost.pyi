from collections.abc import Callable
from typing import Any

from thalweg._types import Ints

from .iboost import IBoostKernel

class CoordinateKernel(IBoostKernel):
    def __init__(
        self, who: str, n_features: int, n_categories: Ints, n_classes: int, n_members: int, room: int,
        settings: tuple[Any, ...], order: int, build: Callable[..., Any] | None,
    ) -> None: ...
