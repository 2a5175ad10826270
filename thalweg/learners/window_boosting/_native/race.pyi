from thalweg._native.kernel import Kernel

from .iboost import IBoostKernel

class RaceKernel(Kernel):
    @property
    def runners(self) -> list[IBoostKernel]: ...
    @property
    def leader(self) -> int: ...
    def __init__(self, who: str, runners: list[IBoostKernel]) -> None: ...
