from thalweg.learners.base._native.sparse_kernel import SparseKernel

class MultinomialKernel(SparseKernel):
    def __init__(
        self, who: str, n_features: int, n_classes: int, alpha: float, decay: float, complement: bool,
        calibrate: bool,
    ) -> None: ...
