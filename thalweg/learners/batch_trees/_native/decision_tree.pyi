from thalweg._types import Ints

from .grow import BatchTree

class WindowTreeKernel(BatchTree):
    def __init__(
        self, n_features: int, n_classes: int, n_categories: Ints, max_leaves: int, criterion: int,
        laplace: float, multiway: bool, min_weight: float, window: int, period: int,
        by_distance: bool = False,
    ) -> None: ...
