from thalweg._types import Ints

from .rewriting import RewritingKernel

class CategoryEffectsKernel(RewritingKernel):
    def __init__(
        self,
        who: str,
        n_features: int,
        n_classes: int,
        encoded: Ints,
        n_categories: list[int],
        most: int,
        prior: float,
        decay: float,
        most_kept: int,
    ) -> None: ...
