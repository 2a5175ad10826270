from typing import Any

from thalweg._native.kernel import Kernel
from thalweg._native.layout import Layout
from thalweg._types import Ints

class TreeKernel(Kernel):
    @property
    def least_bytes(self) -> int: ...
    def __init__(
        self, n_features: int, n_classes: int, n_categories: Ints, options: dict[str, Any],
        more: Layout | None = None,
    ) -> None: ...
    def extended(self, n_features: int, n_classes: int, picked: int | None) -> TreeKernel | None: ...
    def limit(self, most_bytes: int) -> bool: ...
