from collections.abc import Callable
from typing import Any

from thalweg._native.kernel import Kernel
from thalweg._types import Ints
from thalweg.drift._native.base import DetectorKernel
from thalweg.learners.base._native.member_pool import MemberPool

class DriftResetKernel(MemberPool):
    @property
    def detector(self) -> Any: ...
    def __init__(self, who: str, n_features: int, n_classes: int, build: Callable[..., Any]) -> None: ...
    def set_parts(
        self, members: list[Any], kernels: list[Kernel], detector: Any, watch: DetectorKernel
    ) -> None: ...
    def drifts(self) -> Ints: ...
