from collections.abc import Callable, Sequence
from typing import Any

from thalweg.learners.ensembles._native.threaded import ThreadedKernel

class StackingKernel(ThreadedKernel):
    def __init__(
        self, who: str, n_features: int, n_classes: int, is_trivial: Sequence[bool], is_chain: Sequence[bool],
        is_free: Sequence[bool], decays: Sequence[float], noises: Sequence[float], switching: float,
        most_kept: int, n_jobs: int, build: Callable[..., Any],
    ) -> None: ...
