from collections.abc import Sequence

from .base import StepKernel

class HasherKernel(StepKernel):
    def __init__(
        self, who: str, n_inputs: int, columns: Sequence[int], n_places: int, is_category: Sequence[bool],
        is_signed: bool,
    ) -> None: ...
