"""Native learners that take sparse rows, with categories as inputs of their own."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._native.kernel import call_counted
from thalweg._types import Floats, Ints
from thalweg.learners.base._native.one_hot import widened_sparse, width_of
from thalweg.learners.base._native.sparse_kernel import SparseKernel
from thalweg.learners.base.one_hot import NativeOneHot
from thalweg.rows.sparse_rows import SparseRows

MANY_PLACES = 4  # for each input: rows with more of them, of categories, are learned as sparse ones


class SparseOneHot(NativeOneHot):
    """A native learner that takes sparse rows too: what they do not store is 0, or the first category."""

    _kernel: SparseKernel
    takes_missing = True
    takes_sparse = True
    most_places = 1 << 20

    def _learn(self, X: Any, y: Ints, w: Floats, p: Floats) -> None:
        if (rows := self._as_sparse(X)) is not None:
            call_counted(self, "_n_learned", len(y), self._kernel.learn_sparse, *rows, y, w, p)
        else:
            super()._learn(X, y, w, p)

    def _learn_tested(self, X: Any, y: Ints, w: Floats, p: Floats, tested: NDArray[np.uint8]) -> None:
        if (rows := self._as_sparse(X)) is not None:
            call_counted(self, "_n_learned", len(y), self._kernel.learn_sparse, *rows, y, w, p, tested)
        else:
            super()._learn_tested(X, y, w, p, tested)

    def _predict(self, X: Any, p: Floats) -> None:
        if (rows := self._as_sparse(X)) is not None:
            self._kernel.predict_sparse(*rows, p)
        else:
            super()._predict(X, p)

    def _as_sparse(self, X: Any) -> tuple[Ints, Ints, Floats] | None:
        """Return starts, columns and values of widened rows: of sparse ones, and where most places are 0."""
        if isinstance(X, SparseRows):
            rows = X.starts, X.columns, X.values
        elif self._own is not None and width_of(self._own) > MANY_PLACES * X.shape[1]:
            n, d = X.shape
            columns = np.tile(np.arange(d, dtype=np.intp), n)
            rows = np.arange(0, (n + 1) * d, d, dtype=np.intp), columns, X.ravel()
        else:
            return None
        return rows if self._own is None else widened_sparse(*rows, self._own)
