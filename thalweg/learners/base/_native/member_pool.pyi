from typing import Any

from thalweg._native.kernel import Kernel

class MemberPool(Kernel):
    resettable: list[bool]
    @property
    def n_templates(self) -> int: ...
    @property
    def members(self) -> list[Any]: ...
