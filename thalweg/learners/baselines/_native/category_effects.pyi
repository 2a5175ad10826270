from typing import Any

from thalweg._native.kernel import Kernel
from thalweg._types import Ints

class CategoryEffectsKernel(Kernel):
    @property
    def member(self) -> Any: ...
    def __init__(
        self,
        who: str,
        n_features: int,
        n_classes: int,
        encoded: Ints,
        n_categories: list[int],
        most: int,
        prior: float,
        decay: float,
        most_kept: int,
    ) -> None: ...
    def set_member(self, member: Any, kernel: Kernel) -> None: ...
