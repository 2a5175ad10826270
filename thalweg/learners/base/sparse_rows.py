"""Sparse rows for a learner: whether it takes them, and of which width."""

from typing import Any

from thalweg.learners.base.contract import Contract
from thalweg.rows.sparse_rows import ADVICE, InfiniteValue, SparseRows


def checked_sparse_rows(X: Any, learner: Contract) -> SparseRows:
    """Return SparseRows, or a sparse matrix of SciPy, as SparseRows.

    Raises ValueError if the learner does not allow sparse rows, or they have another width or are damaged.
    """
    who, n_features, names = learner._who, learner.n_features_in_, learner._names
    if not learner.takes_sparse:
        raise ValueError(f"{who}: sparse rows are not supported; use LinearLogistic, or pass X.toarray()")
    if len(X.shape) != 2 or X.shape[1] != n_features:
        seen = f"{X.shape[1]} features" if len(X.shape) == 2 else f"{len(X.shape)} dimension(s)"
        raise ValueError(f"{who}: sparse rows have {seen}, but this learner began with {n_features} features")
    if isinstance(X, SparseRows):
        return X
    try:
        return SparseRows.of_matrix(X)
    except InfiniteValue as error:
        j = error.column
        name = f" ({list(names)[j]!r})" if len(names) > j else ""
        place = f"row {error.row}, column {j}{name}"
        raise ValueError(f"{who}: {place} is {error.value}: {ADVICE}") from None
    except ValueError as error:
        raise ValueError(f"{who}: {error}") from None
