from collections.abc import Collection, Sequence

from thalweg._types import Floats

from .base import StepKernel

class DatesKernel(StepKernel):
    def __init__(
        self, who: str, n_inputs: int, columns: Sequence[int], sizes: Sequence[int], parts: Collection[str]
    ) -> None: ...

def date_inputs(wall: Floats, utc: Floats, origin: float, parts: Collection[str]) -> Floats: ...
