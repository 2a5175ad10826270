from typing import Any

from thalweg._native.kernel import Kernel

class TrainedMembers(Kernel):
    @property
    def members(self) -> list[Any]: ...
    def set_members(self, slots: list[int], learners: list[Any], kernels: list[Kernel]) -> None: ...
