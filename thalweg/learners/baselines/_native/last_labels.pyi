from .rewriting import RewritingKernel

class LastLabelsKernel(RewritingKernel):
    def __init__(
        self, who: str, n_features: int, n_classes: int, n_labels: int, n_values: int, most_kept: int
    ) -> None: ...
