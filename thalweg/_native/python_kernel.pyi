from typing import Any

from .kernel import Kernel

class PythonKernel(Kernel):
    def __init__(self, learner: Any, n_features: int, n_classes: int) -> None: ...
