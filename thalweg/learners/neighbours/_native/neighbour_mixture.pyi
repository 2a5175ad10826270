from collections.abc import Sequence

from thalweg._types import Mask
from thalweg.learners.neighbours._native.window import WindowKernel

class NeighbourMixtureKernel(WindowKernel):
    def __init__(
        self, who: str, n_features: int, n_classes: int, counts: Sequence[int], windows: Sequence[int],
        switching: float, most_kept: int, is_category: Mask,
    ) -> None: ...
