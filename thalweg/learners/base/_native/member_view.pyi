from thalweg._native.kernel import Kernel
from thalweg._types import Ints

class AdapterKernel(Kernel):
    @property
    def member(self) -> Kernel: ...
    def __init__(
        self, who: str, member: Kernel, n_features: int, columns: Ints | None, fills: bool
    ) -> None: ...
