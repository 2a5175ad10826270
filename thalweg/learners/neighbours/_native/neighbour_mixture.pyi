from collections.abc import Sequence

from thalweg._native.kernel import Kernel
from thalweg._types import Mask

class NeighbourMixtureKernel(Kernel):
    def __init__(
        self, who: str, n_features: int, n_classes: int, counts: Sequence[int], windows: Sequence[int],
        switching: float, most_kept: int, is_category: Mask,
    ) -> None: ...
