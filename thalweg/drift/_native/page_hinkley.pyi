from .base import DetectorKernel

class PageHinkleyKernel(DetectorKernel):
    def __init__(
        self, tolerance: float, threshold: float, decay: float, min_values: int, from_lowest: bool
    ) -> None: ...
