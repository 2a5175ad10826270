from collections.abc import Sequence

from .base import StepKernel

class ScalerKernel(StepKernel):
    def __init__(
        self, who: str, n_inputs: int, columns: Sequence[int], sizes: Sequence[int], decay: float
    ) -> None: ...
