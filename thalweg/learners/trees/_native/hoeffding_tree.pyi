from typing import Any

from thalweg._types import Floats, Ints

from .nodes import TreeKernel

class HoeffdingTreeKernel(TreeKernel):
    def __init__(
        self, n_features: int, n_classes: int, n_categories: Ints, options: dict[str, Any]
    ) -> None: ...
    def predict_learn_again(self, x: Floats, y: int, w: float, p: Floats) -> int: ...
