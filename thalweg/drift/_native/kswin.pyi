from .base import DetectorKernel

class KSWINKernel(DetectorKernel):
    def __init__(self, window: int, recent: int, alpha: float, seed: int, is_given: bool) -> None: ...
