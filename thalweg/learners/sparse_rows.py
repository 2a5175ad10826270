"""Rows that are 0 but for some inputs, as SciPy's sparse matrices hold them."""

import numpy as np
from scipy.sparse import issparse

from thalweg.learners.rows import usual_rows


class SparseRows:
    """Rows of which only some values are kept: row i has those from starts[i] to starts[i + 1].

    `columns` are their inputs, in growing order within a row.
    """

    def __init__(self, starts, columns, values, n_features):
        self.starts, self.columns, self.values, self.n_features = starts, columns, values, n_features

    def __len__(self):
        return len(self.starts) - 1

    def __getitem__(self, part):
        first, stop, _step = part.indices(len(self))
        return SparseRows(self.starts[first : stop + 1], self.columns, self.values, self.n_features)


def is_sparse(X):
    """Whether these are sparse rows, of SciPy or checked."""
    return issparse(X) or isinstance(X, SparseRows)


def checked_sparse_rows(X, learner):
    """Return a sparse matrix of SciPy as SparseRows; values beyond ±1e150 are cut to that.

    Raises ValueError unless the learner takes such rows, of this width, and their numbers are sound.
    """
    who, n_features, names = learner._who, learner.n_features_in_, learner._names
    if not learner.takes_sparse:
        raise ValueError(f"{who}: takes no sparse rows, as LinearLogistic does; X.toarray() makes them dense")
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
        values = usual_rows(values.reshape(1, -1), (), who)[0][0]
    except ValueError:
        _refuse_infinite(X, values, names, who)
    # Copied, so that nobody changes them while compiled code follows them.
    return SparseRows(X.indptr.astype(np.intp), X.indices.astype(np.intp), values, n_features)


def _is_whole(X):
    starts, columns = X.indptr, X.indices
    return (
        len(starts) == X.shape[0] + 1
        and starts[0] >= 0
        and bool((np.diff(starts) >= 0).all())
        and starts[-1] <= min(len(columns), len(X.data))
        and (not len(columns) or (columns.min() >= 0 and columns.max() < X.shape[1]))
    )


def _is_ordered(X):
    grows = np.diff(X.indices) > 0
    borders = X.indptr[1:-1] - 1
    grows[borders[(borders >= 0) & (borders < len(grows))]] = True
    return bool(grows.all())


def _refuse_infinite(X, values, names, who):
    place = int(np.argmax(np.isinf(values)))
    i, j = int(np.searchsorted(X.indptr, place, side="right")) - 1, int(X.indices[place])
    name = f" ({list(names)[j]!r})" if len(names) > j else ""
    raise ValueError(
        f"{who}: row {i}, column {j}{name} is {values[place]}: infinity is not a value to learn from. "
        "Remove or clip it, or use NaN if it stands for a missing value."
    ) from None
