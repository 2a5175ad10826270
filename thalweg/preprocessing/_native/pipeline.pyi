from collections.abc import Sequence
from typing import Any

from thalweg._native.kernel import Kernel

from .base import StepKernel

class PipelineKernel(Kernel):
    @property
    def member(self) -> Any: ...
    @property
    def member_kernel(self) -> Kernel: ...
    @property
    def steps(self) -> tuple[StepKernel, ...]: ...
    @property
    def width(self) -> int: ...
    def __init__(
        self, who: str, n_features: int, n_classes: int, steps: Sequence[StepKernel], most_kept: int
    ) -> None: ...
    def set_member(self, member: Any, kernel: Kernel) -> None: ...
