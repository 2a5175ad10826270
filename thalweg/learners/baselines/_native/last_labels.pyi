from typing import Any

from thalweg._native.kernel import Kernel

class LastLabelsKernel(Kernel):
    @property
    def member(self) -> Any: ...
    def __init__(
        self, who: str, n_features: int, n_classes: int, n_labels: int, n_values: int, most_kept: int
    ) -> None: ...
    def set_member(self, member: Any, kernel: Kernel) -> None: ...
