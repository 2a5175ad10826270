from typing import Any

from thalweg._native.kernel import Kernel
from thalweg.learners.base._native.member_pool import MemberPool

class TrainedMembers(MemberPool):
    def first_members(self) -> list[Any]: ...
    def set_members(self, slots: list[int], learners: list[Any], kernels: list[Kernel]) -> None: ...
