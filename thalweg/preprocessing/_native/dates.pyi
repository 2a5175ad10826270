from collections.abc import Collection, Sequence

from .base import StepKernel

class DatesKernel(StepKernel):
    def __init__(
        self, who: str, n_inputs: int, columns: Sequence[int], sizes: Sequence[int], parts: Collection[str]
    ) -> None: ...
