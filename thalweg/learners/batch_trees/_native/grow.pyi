from thalweg._native.kernel import Kernel
from thalweg._types import Arrays, Floats, Ints

from .sorted_rows import SortedRows

CRITERIA: dict[str, int]

class BatchTree(Kernel):
    def __init__(
        self, n_features: int, n_classes: int, n_categories: Ints, max_leaves: int, criterion: int,
        laplace: float, multiway: bool = False, min_weight: float = 0.0,
    ) -> None: ...
    def nodes(self) -> Arrays: ...
    def grow(self, rows: SortedRows, y: Ints, w: Floats) -> None: ...
    def fit(self, X: Floats, y: Ints, w: Floats) -> None: ...
