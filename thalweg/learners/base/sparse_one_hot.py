"""Native learners that take sparse rows, with categories as inputs of their own."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._native.kernel import learn_counted
from thalweg._types import Floats, Ints
from thalweg.learners.base._native.one_hot import widened_sparse
from thalweg.learners.base._native.sparse_kernel import SparseKernel
from thalweg.learners.base.one_hot import NativeOneHot
from thalweg.learners.base.sparse_rows import SparseRows


class SparseOneHot(NativeOneHot):
    """A native learner that takes sparse rows too: what they do not store is 0, or the first category."""

    _kernel: SparseKernel
    takes_missing = True
    takes_sparse = True
    most_places = 1 << 20

    def _learn(self, X: Any, y: Ints, w: Floats, p: Floats) -> None:
        if isinstance(X, SparseRows):
            learn_counted(self, len(y), self._kernel.learn_sparse, *self._widened_sparse(X), y, w, p)
        else:
            super()._learn(X, y, w, p)

    def _learn_tested(self, X: Any, y: Ints, w: Floats, p: Floats, tested: NDArray[np.uint8]) -> None:
        if isinstance(X, SparseRows):
            learn_counted(self, len(y), self._kernel.learn_sparse, *self._widened_sparse(X), y, w, p, tested)
        else:
            super()._learn_tested(X, y, w, p, tested)

    def _predict(self, X: Any, p: Floats) -> None:
        if isinstance(X, SparseRows):
            self._kernel.predict_sparse(*self._widened_sparse(X), p)
        else:
            super()._predict(X, p)

    def _widened_sparse(self, X: SparseRows) -> tuple[Ints, Ints, Floats]:
        rows = X.starts, X.columns, X.values
        return rows if self._own is None else widened_sparse(*rows, self._own)
