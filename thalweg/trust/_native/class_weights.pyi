from thalweg._types import Floats
from thalweg.learners.base._native.one_member import OneMemberKernel

MOST_FACTOR: float

class ClassWeightsKernel(OneMemberKernel):
    def __init__(
        self, who: str, n_features: int, n_classes: int, factors: Floats | None, decay: float
    ) -> None: ...
