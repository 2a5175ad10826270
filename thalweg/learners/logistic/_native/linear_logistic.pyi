from thalweg.learners.base._native.sparse_kernel import SparseKernel

class LinearKernel(SparseKernel):
    def __init__(
        self, who: str, n_features: int, n_classes: int, rate: float, decay: float, l2: float
    ) -> None: ...
