from .base import DetectorKernel

class HDDMAKernel(DetectorKernel):
    def __init__(self, delta: float, warning_delta: float, two_sided: bool) -> None: ...

class HDDMWKernel(DetectorKernel):
    def __init__(self, delta: float, warning_delta: float, rate: float, two_sided: bool) -> None: ...
