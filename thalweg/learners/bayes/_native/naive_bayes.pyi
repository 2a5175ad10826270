from thalweg._native.kernel import Kernel
from thalweg._types import Ints

class NaiveBayesKernel(Kernel):
    def __init__(self, n_features: int, n_classes: int, n_categories: Ints) -> None: ...
