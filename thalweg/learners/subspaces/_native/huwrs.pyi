from collections.abc import Callable, Sequence
from typing import Any

from thalweg._types import Ints, State
from thalweg.learners.batch_trees._native.subspace_trees import SubspaceTrees
from thalweg.learners.ensembles._native.base import EnsembleKernel

class HUWRSKernel(EnsembleKernel):
    @property
    def n_updates(self) -> int: ...
    def __init__(
        self, who: str, n_features: int, n_classes: int, subspaces: Sequence[Ints], n_bins: Sequence[int],
        n_categories: Ints, settings: tuple[Any, ...], n_templates: int, build: Callable[..., Any],
        trees: SubspaceTrees | None,
    ) -> None: ...
    def plant(self, states: list[State] | None = None) -> None: ...
    def pack(self) -> None: ...
