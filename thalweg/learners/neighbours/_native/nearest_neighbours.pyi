from thalweg._types import Mask
from thalweg.learners.neighbours._native.window import WindowKernel

class NearestNeighboursKernel(WindowKernel):
    def __init__(
        self, who: str, n_features: int, n_classes: int, n_neighbours: int, window: int, is_category: Mask
    ) -> None: ...
