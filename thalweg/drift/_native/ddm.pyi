from .base import DetectorKernel

class DDMKernel(DetectorKernel):
    def __init__(self, warning_level: float, alarm_level: float, min_values: int) -> None: ...

class EDDMKernel(DetectorKernel):
    def __init__(self, warning_level: float, alarm_level: float, min_errors: int) -> None: ...
