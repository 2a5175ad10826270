from typing import Any

from thalweg._types import Ints

from .nodes import TreeKernel

class OptionTreeKernel(TreeKernel):
    def __init__(
        self, n_features: int, n_classes: int, n_categories: Ints, options: dict[str, Any]
    ) -> None: ...
