from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._native.kernel import Kernel
from thalweg._native.waiting_index import WaitingIndex
from thalweg._types import Floats, Numbers, State

class LabelBudgetKernel:
    memory: Floats
    @property
    def n_rows(self) -> float: ...
    @property
    def n_asked(self) -> float: ...
    @property
    def due(self) -> float: ...
    def __init__(
        self, who: str, share: float, random_share: float, window: int, advance: float, seed: int,
        is_given: bool,
    ) -> None: ...
    def ask(
        self, p: Floats, asked: NDArray[np.uint8], chances: Floats, stops: bool = False
    ) -> int: ...
    def predict_and_ask(
        self, kernel: Kernel, X: Floats, p: Floats, n_classes: int, at_once: NDArray[np.uint8],
        observes: bool, waiting: WaitingIndex | None, ids: Numbers | None, asked: NDArray[np.uint8],
        chances: Floats,
    ) -> int: ...
    def state(self) -> State: ...
    def restore(self, state: dict[str, Any]) -> None: ...
