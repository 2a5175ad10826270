import numpy as np
from numpy.typing import NDArray

from thalweg._native.kernel import Kernel
from thalweg._types import Floats, Ints

class SparseKernel(Kernel):
    def learn_sparse(
        self, starts: Ints, columns: Ints, values: Floats, y: Ints, w: Floats, p: Floats,
        tested: NDArray[np.uint8] | None = None,
    ) -> None: ...
    def predict_sparse(self, starts: Ints, columns: Ints, values: Floats, p: Floats) -> None: ...
