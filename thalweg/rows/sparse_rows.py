"""Sparse rows: the only place that makes them, and so the only one that checks them."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from thalweg._native.missing import clip, scan
from thalweg._parameters import is_whole
from thalweg._types import Floats, Ints, Mask

ADVICE = (
    "infinity is not a value to learn from. Remove or clip it, or use NaN if it stands for a missing value."
)


class InfiniteValue(ValueError):
    """A stored value is infinite: which one, and where."""

    def __init__(self, row: int, column: int, value: float) -> None:
        self.row, self.column, self.value = row, column, value
        super().__init__(f"row {row}, column {column} is {value}: {ADVICE}")


class SparseRows:
    """Rows of which only some values are stored: row i has those from starts[i] to starts[i + 1].

    Compiled code reads and writes at `columns` without checking them again. So they are checked here, and
    whoever has SparseRows may rely on it: they cannot be made in another way, and cannot be changed.

    Parameters
    ----------
    starts : ndarray of int
        Rise from 0 to the number of values. All three arrays are copied.
    columns : ndarray of int
        The inputs of the values, below `n_features`, in increasing order within a row.
    values : ndarray of float
        Finite, or NaN if missing; clipped to ±1e150.
    n_features : int
        Number of inputs.
    """

    __slots__ = ("columns", "n_features", "starts", "values")
    starts: Ints
    columns: Ints
    values: Floats
    n_features: int

    def __init__(self, starts: Ints, columns: Ints, values: Floats, n_features: int) -> None:
        if not is_whole(n_features) or n_features < 0:
            _refuse(f"the number of inputs is {n_features!r}")
        starts, columns = _whole_numbers(starts, "starts"), _whole_numbers(columns, "columns")
        if not isinstance(values, np.ndarray) or values.dtype.kind != "f" or values.ndim != 1:
            _refuse("the values are not an array of numbers")
        if len(columns) != len(values):
            _refuse(f"there are {len(columns)} columns and {len(values)} values")
        _check_starts(starts, len(values))
        _check_columns(columns, n_features)
        if not _rise_within_rows(starts, columns):
            _refuse("the columns of a row are not in increasing order")
        places = starts.astype(np.intp), columns.astype(np.intp)
        _fill(self, *places, _clipped(values.astype(np.float64), *places), int(n_features))

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"SparseRows cannot be changed, so {name} cannot be set: make new ones")

    def __reduce__(self) -> tuple[Any, ...]:
        whole = joined([self], self.n_features)
        return type(self), (whole.starts, whole.columns, whole.values, whole.n_features)

    @classmethod
    def of_dense(cls, X: Floats) -> Self:
        """Return the values of rows × inputs that are not 0."""
        rows, columns = map(np.ascontiguousarray, np.nonzero(X))
        starts = np.searchsorted(rows, np.arange(len(X) + 1)).astype(np.intp, copy=False)
        return _unchecked(starts, columns, _clipped(X[rows, columns], starts, columns), X.shape[1])

    @classmethod
    def of_matrix(cls, X: Any) -> Self:
        """Return the rows of a sparse matrix of SciPy, whose columns may be in any order and repeat."""
        X = X.tocsr()
        starts, columns, values = (_whole_numbers(X.indptr, "starts"), X.indices, X.data)
        n = int(starts[-1]) if len(starts) else -1
        if len(starts) != X.shape[0] + 1 or not 0 <= n <= min(len(columns), len(values)):
            _refuse("they name values that they do not have")
        columns = _whole_numbers(columns[:n], "columns")
        _check_starts(starts, n)
        _check_columns(columns, X.shape[1])
        if not _rise_within_rows(starts, columns):
            X = X.copy()  # SciPy may only see what was checked
            X.has_canonical_format = False
            X.sum_duplicates()
            starts, n = X.indptr, int(X.indptr[-1])
            columns, values = X.indices[:n], X.data
        # Copied, so that they cannot change while compiled code reads them.
        places = starts.astype(np.intp), columns.astype(np.intp)
        return _unchecked(*places, _clipped(values[:n].astype(np.float64), *places), X.shape[1])

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of inputs."""
        return len(self), self.n_features

    def __getitem__(self, part: slice | Mask | Ints) -> "SparseRows":
        if isinstance(part, slice) and part.step in (None, 1):
            first, stop, _step = part.indices(len(self))
            return _unchecked(
                self.starts[first : max(first, stop) + 1], self.columns, self.values, self.n_features
            )
        chosen = np.arange(len(self))[part]
        lengths = self.starts[chosen + 1] - self.starts[chosen]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        places = np.repeat(self.starts[chosen] - starts[:-1], lengths) + np.arange(starts[-1])
        return _unchecked(starts, self.columns[places], self.values[places], self.n_features)

    def each(self) -> Iterator["SparseRows"]:
        """Yield the rows one by one; each keeps only its own values in memory."""
        columns, values, n_features = self.columns, self.values, self.n_features
        first = int(self.starts[0])
        for stop in self.starts[1:].tolist():
            parts = columns[first:stop].copy(), values[first:stop].copy()
            yield _unchecked(_starts_of_one(stop - first), *parts, n_features)
            first = stop


def joined(parts: Sequence[SparseRows], n_features: int) -> SparseRows:
    """Return the rows of several parts, one after another, none of which has more than `n_features`."""
    if any(part.n_features > n_features for part in parts):
        most = max(part.n_features for part in parts)
        raise ValueError(f"sparse rows of {most} inputs are none of {n_features} inputs")
    if not parts:
        return _unchecked(np.zeros(1, dtype=np.intp), np.empty(0, dtype=np.intp), np.empty(0), n_features)
    if len(parts) == 1:
        return _compact(parts[0], n_features)
    bounds, columns, values = [part.starts for part in parts], [], []
    for part in parts:
        used = slice(part.starts.item(0), part.starts.item(-1))
        columns.append(part.columns[used])
        values.append(part.values[used])
    lengths = np.diff(np.concatenate(bounds))
    borders = np.cumsum([len(each) for each in bounds[:-1]], dtype=np.intp) - 1  # between two parts
    lengths = np.delete(lengths, borders)
    starts = np.zeros(len(lengths) + 1, dtype=np.intp)
    np.cumsum(lengths, out=starts[1:])
    return _unchecked(starts, np.concatenate(columns), np.concatenate(values), n_features)


def _compact(part: SparseRows, n_features: int) -> SparseRows:
    """Return rows that keep no others in memory."""
    first, stop = part.starts.item(0), part.starts.item(-1)
    starts = part.starts - first if first else part.starts
    return _unchecked(starts, part.columns[first:stop].copy(), part.values[first:stop].copy(), n_features)


def is_sparse(X: object) -> bool:
    """Return whether X is a sparse matrix of SciPy or SparseRows."""
    return issparse(X) or isinstance(X, SparseRows)


def _unchecked(starts: Ints, columns: Ints, values: Floats, n_features: int) -> Any:
    # The only way around the constructor, for this module alone: what comes here was cut out of checked rows,
    # or was computed so that it must fit. `starts` of a part need not begin at 0, nor end at the last value.
    return _fill(object.__new__(SparseRows), starts, columns, values, n_features)


def _fill(rows: SparseRows, starts: Ints, columns: Ints, values: Floats, n_features: int) -> SparseRows:
    starts.setflags(write=False)
    columns.setflags(write=False)
    values.setflags(write=False)
    put = object.__setattr__
    put(rows, "starts", starts)
    put(rows, "columns", columns)
    put(rows, "values", values)
    put(rows, "n_features", n_features)
    return rows


@lru_cache(maxsize=256)
def _starts_of_one(n_values: int) -> Ints:
    """Return the starts of one row; rows share them, as they cannot be changed."""
    return np.array([0, n_values], dtype=np.intp)


def _refuse(why: str) -> NoReturn:
    raise ValueError(f"the sparse rows are damaged: {why}")


def _whole_numbers(array: Any, name: str) -> NDArray[Any]:
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "iu" or array.ndim != 1:
        _refuse(f"the {name} are not an array of whole numbers")
    return np.ascontiguousarray(array)


def _check_starts(starts: NDArray[Any], n_values: int) -> None:
    if not len(starts) or starts[0] != 0 or starts[-1] != n_values or (starts[1:] < starts[:-1]).any():
        _refuse(f"the starts of rows do not rise from 0 to the number of values, which is {n_values}")


def _check_columns(columns: NDArray[Any], n_features: int) -> None:
    if len(columns) and (columns.min() < 0 or columns.max() >= n_features):
        seen = f"from {columns.min()} to {columns.max()}"
        _refuse(f"they name the columns {seen} and have those below {n_features}")


def _rise_within_rows(starts: NDArray[Any], columns: NDArray[Any]) -> bool:
    rises = columns[1:] > columns[:-1]
    borders = starts[1:-1]
    rises[borders[(borders > 0) & (borders < len(columns))] - 1] = True  # from the last of a row to the next
    return bool(rises.all())


def _clipped(values: Floats, starts: NDArray[Any], columns: NDArray[Any]) -> Floats:
    _has_missing, has_huge, _, place = scan(values.reshape(1, -1))
    if place >= 0:
        row = int(np.searchsorted(starts, place, side="right")) - 1
        raise InfiniteValue(row, int(columns[place]), float(values[place]))
    if has_huge:
        values = values.copy()
        clip(values.reshape(1, -1))
    return values
