from typing import Any

from thalweg.learners.ensembles._native.base import EnsembleKernel

class ChunkEnsembleKernel(EnsembleKernel):
    def prepare(self) -> list[Any]: ...
