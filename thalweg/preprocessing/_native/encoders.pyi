from collections.abc import Sequence

from .base import StepKernel

class CategoriesKernel(StepKernel):
    def __init__(
        self, who: str, n_inputs: int, columns: Sequence[int], sizes: Sequence[int], room: Sequence[int],
        n_known: Sequence[int], one_hot: bool, marks_unseen: bool,
    ) -> None: ...
