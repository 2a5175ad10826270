from thalweg._native.kernel import Kernel
from thalweg._types import Mask

class NearestNeighboursKernel(Kernel):
    def __init__(
        self, who: str, n_features: int, n_classes: int, n_neighbours: int, window: int, is_category: Mask
    ) -> None: ...
