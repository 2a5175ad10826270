from collections.abc import Sequence
from typing import Any

from thalweg._native.kernel import Kernel

MOST_MEMBERS: int

class LogisticKernel(Kernel):
    time: int

    def __init__(
        self, who: str, n_features: int, n_classes: int, kind: str, least: Sequence[float], bandwidth: float,
        rate: float, converged: float, probit: bool, standardise: bool, guard: float, prior: float,
        discount: float, indicators: Any, time: int | None = None,
    ) -> None: ...
