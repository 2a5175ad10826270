from thalweg._native.kernel import Kernel

class MajorityKernel(Kernel):
    def __init__(self, n_features: int, n_classes: int) -> None: ...

class LastKernel(Kernel):
    def __init__(self, n_features: int, n_classes: int) -> None: ...
