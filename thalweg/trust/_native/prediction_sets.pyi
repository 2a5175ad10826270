from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._native.layout import Layout
from thalweg._types import Floats
from thalweg.learners.base._native.one_member import OneMemberKernel

FIELDS: Layout
FARTHEST: float

class PredictionSetsKernel(OneMemberKernel):
    record: Any
    def __init__(
        self, who: str, n_features: int, n_classes: int, coverage: float, window: int, most_kept: int
    ) -> None: ...
    def thresholds(self, p: Floats, found: Floats) -> None: ...
    def sets(self, p: Floats, mask: NDArray[np.uint8]) -> None: ...
