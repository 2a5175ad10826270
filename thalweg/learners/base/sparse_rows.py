"""Sparse rows, converted from SciPy's sparse matrices."""

from collections.abc import Collection, Hashable, Sequence
from typing import Any, NoReturn

import numpy as np
from scipy.sparse import issparse

from thalweg._types import Floats, Ints, Mask
from thalweg.learners.base.arguments import clipped_rows
from thalweg.learners.base.contract import Contract


class SparseRows:
    """Rows of which only some values are stored: row i has those from starts[i] to starts[i + 1].

    `columns` are the inputs of the values, in increasing order within a row.
    """

    def __init__(self, starts: Ints, columns: Ints, values: Floats, n_features: int) -> None:
        self.starts, self.columns, self.values, self.n_features = starts, columns, values, n_features

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of inputs."""
        return len(self), self.n_features

    def __getitem__(self, part: slice | Mask | Ints) -> "SparseRows":
        if isinstance(part, slice):
            first, stop, _step = part.indices(len(self))
            return SparseRows(self.starts[first : stop + 1], self.columns, self.values, self.n_features)
        chosen = np.arange(len(self))[part]
        lengths = self.starts[chosen + 1] - self.starts[chosen]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        places = np.repeat(self.starts[chosen] - starts[:-1], lengths) + np.arange(starts[-1])
        return SparseRows(starts, self.columns[places], self.values[places], self.n_features)


def joined(parts: Sequence[SparseRows], n_features: int) -> SparseRows:
    """Return the rows of several parts, one after another."""
    used = [slice(int(part.starts[0]), int(part.starts[-1])) for part in parts]
    ends = np.cumsum([0, *(each.stop - each.start for each in used)])
    moved = zip(parts, ends, strict=False)
    starts = [part.starts[:-1] - part.starts[0] + end for part, end in moved]
    columns = [part.columns[each] for part, each in zip(parts, used, strict=True)]
    values = [part.values[each] for part, each in zip(parts, used, strict=True)]
    nothing = np.empty(0, dtype=np.intp)
    return SparseRows(
        np.concatenate([*starts, ends[-1:]]).astype(np.intp),
        np.concatenate([nothing, *columns]),
        np.concatenate([np.empty(0), *values]),
        n_features,
    )


def is_sparse(X: object) -> bool:
    """Return whether X is a sparse matrix of SciPy or SparseRows."""
    return issparse(X) or isinstance(X, SparseRows)


def checked_sparse_rows(X: Any, learner: Contract) -> SparseRows:
    """Return a sparse matrix of SciPy as SparseRows, with values clipped to ±1e150.

    Raises ValueError if the learner does not allow sparse rows, or the matrix has another width or is
    damaged.
    """
    who, n_features, names = learner._who, learner.n_features_in_, learner._names
    if not learner.takes_sparse:
        raise ValueError(f"{who}: sparse rows are not supported; use LinearLogistic, or pass X.toarray()")
    if isinstance(X, SparseRows):
        return X
    if X.ndim != 2 or X.shape[1] != n_features:
        seen = f"{X.shape[1]} features" if X.ndim == 2 else f"{X.ndim} dimension(s)"
        raise ValueError(f"{who}: sparse rows have {seen}, but this learner began with {n_features} features")
    X = X.tocsr()
    if not _is_whole(X):
        raise ValueError(f"{who}: the sparse rows are damaged: they name columns that they do not have")
    if not _is_ordered(X):
        X = X.copy()
        X.has_canonical_format = False
        X.sum_duplicates()
    values = np.ascontiguousarray(X.data, dtype=np.float64)
    try:
        values = clipped_rows(values.reshape(1, -1), (), who)[0][0]
    except ValueError:
        _refuse_infinite(X, values, names, who)
    # Copied, so that they cannot change while compiled code reads them.
    return SparseRows(X.indptr.astype(np.intp), X.indices.astype(np.intp), values, n_features)


def _is_whole(X: Any) -> bool:
    starts, columns = X.indptr, X.indices
    return (
        len(starts) == X.shape[0] + 1
        and starts[0] >= 0
        and bool((np.diff(starts) >= 0).all())
        and starts[-1] <= min(len(columns), len(X.data))
        and (not len(columns) or (columns.min() >= 0 and columns.max() < X.shape[1]))
    )


def _is_ordered(X: Any) -> bool:
    grows = np.diff(X.indices) > 0
    borders = X.indptr[1:-1] - 1
    grows[borders[(borders >= 0) & (borders < len(grows))]] = True
    return bool(grows.all())


def _refuse_infinite(X: Any, values: Floats, names: Collection[Hashable], who: str) -> NoReturn:
    place = int(np.argmax(np.isinf(values)))
    i, j = int(np.searchsorted(X.indptr, place, side="right")) - 1, int(X.indices[place])
    name = f" ({list(names)[j]!r})" if len(names) > j else ""
    raise ValueError(
        f"{who}: row {i}, column {j}{name} is {values[place]}: infinity is not a value to learn from. "
        "Remove or clip it, or use NaN if it stands for a missing value."
    ) from None
