"""A stream of rows that are in memory."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg._frames import as_array, frame_columns, frame_names, unmasked
from thalweg._parameters import check_no_text
from thalweg._types import Block, Floats, Ints
from thalweg.streams.base import CHUNK, Stream, recut
from thalweg.streams.schema import plain_values, schema

if TYPE_CHECKING:  # importing it takes pyarrow
    from thalweg.streams.columns.dates import Dates


def from_arrays(
    X: Any,
    y: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    categorical: Sequence[int | str] = (),
    classes: ArrayLike | None = None,
    drifts: ArrayLike = (),
) -> "Arrays":
    """Return a stream of the rows of arrays, lists, or a data frame of pandas, polars or Arrow.

    A numeric array is not copied: blocks are converted to float64 when they are read. Missing values (NaN,
    None, NA) stay missing; a missing label is coded -1.

    Parameters
    ----------
    X : array-like or data frame of shape (n_rows, n_features)
        The rows in order. Text and categorical columns of a frame are categorical inputs; dates become inputs
        as those of files do: elapsed days, and the time of day, weekday and month as cycles. Of a sparse
        matrix of SciPy only blocks become dense, and none does in `prequential` with a learner that takes
        sparse rows, such as LinearLogistic.
    y : array-like of shape (n_rows,)
        Their labels, of any type.
    names : sequence of str, optional
        Names of the inputs; by default the columns of a DataFrame, else x0, x1, ….
    categorical : sequence of int or str
        Positions or names of inputs whose values are categories; these are coded 0, 1, 2, … in sorted order.
    classes : sequence, optional
        All labels in the order of their codes; by default those in `y`, sorted.
    drifts : sequence of int
        Rows at which the concept is known to change.

    Examples
    --------
    >>> from thalweg.streams import from_arrays
    >>> stream = from_arrays([[1.5, "red"], [None, "blue"]], ["no", "yes"], categorical=[1])
    >>> next(stream.coded_blocks())[0].tolist()
    [[1.5, 1.0], [nan, 0.0]]
    """
    check_no_text("from_arrays", names=names, categorical=categorical, classes=classes)
    return Arrays(X, y, names, categorical, classes, drifts)


class Arrays(Stream):
    """What `from_arrays` returns: a stream of rows in memory."""

    n_rows: int
    categories: dict[str, NDArray[Any]] = {}

    def __init__(
        self, X: Any, y: ArrayLike, names: Sequence[str] | None, categorical: Sequence[int | str],
        classes: ArrayLike | None, drifts: ArrayLike,
    ) -> None:
        given = frame_names(X)
        if given is None:
            X = _matrix(X)
        self.n_rows, n_columns = X.shape
        if names is None:
            names = [f"x{j}" for j in range(n_columns)] if given is None else given
        columns = tuple(map(str, names))
        if len(columns) != n_columns:
            raise ValueError(f"from_arrays: {len(columns)} names for {n_columns} inputs")
        if len(set(columns)) < n_columns:
            raise ValueError(f"from_arrays: inputs need different names, got {', '.join(columns)}")
        chosen = _positions(categorical, columns)
        self.categories = {}
        self._dates: dict[str, Dates] = {}
        self._columns = columns
        if hasattr(X, "tocsr") and (chosen or X.dtype.kind not in "fiub"):
            raise ValueError("from_arrays: a sparse matrix holds numbers; pass categories in an array")
        if given is not None or chosen or X.dtype.kind not in "fiub":
            X = self._coded(X, chosen)
        self._X = X
        self.is_sparse = hasattr(X, "tocsr")
        self._names = tuple(name for column in columns for name in self._inputs_of(column))
        self.n_features = len(self._names)
        self._check_finite()
        self._codes, self.classes = _code_labels(y, classes)
        if len(self._codes) != self.n_rows:
            raise ValueError(f"from_arrays: {self.n_rows} rows, but {len(self._codes)} labels")
        self.drifts = np.asarray(drifts, dtype=np.intp)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return self._names

    @property
    def n_categories(self) -> Ints:
        """Categories of each input, 0 where it is numeric."""
        return np.array([len(self.categories.get(name, ())) for name in self._names], dtype=np.intp)

    def coded_blocks(self, size: int = 1000) -> Iterator[Block]:
        """Yield (X, codes) in blocks of `size` rows."""
        starts = range(0, len(self._codes), max(size, 1))
        return recut(((self._block(slice(a, a + size)), self._codes[a : a + size]) for a in starts), size)

    def sparse_blocks(self, size: int = 1000) -> Iterator[tuple[Any, Ints]]:
        """Yield (X, codes) in blocks of `size` rows, X as a sparse matrix; only if `is_sparse`."""
        for start in range(0, self.n_rows, size):
            yield self._X[start : start + size], self._codes[start : start + size]

    def _block(self, rows: slice) -> Floats:
        if self.is_sparse:
            return np.asarray(self._X[rows].toarray(), dtype=np.float64)
        return np.require(self._X[rows], dtype=np.float64, requirements=["C", "W"])

    def schema(self) -> dict[str, Any]:
        """Return the inputs and classes as plain data; see `Stream.schema`."""
        columns: list[dict[str, Any]] = []
        for name in self._columns:
            kind: dict[str, Any] = {"kind": "number"}
            if name in self._dates:
                kind = {"kind": "date", **self._dates[name].to_plain()}
            elif name in self.categories:
                kind = {"kind": "category", "values": plain_values(self.categories[name]), "grows": True}
            columns.append({"name": name, **kind})
        return schema(columns, self.classes, more_classes=False)

    def _inputs_of(self, column: str) -> tuple[str, ...]:
        dates = self._dates.get(column)
        return (column,) if dates is None else tuple(f"{column}.{part}" for part in dates.inputs)

    def _coded(self, X: Any, chosen: set[int]) -> Floats:
        """Return a float64 copy of `X` whose categories are coded and whose dates are inputs."""
        parts: list[Floats] = []
        is_frame = frame_names(X) is not None
        columns = frame_columns(X) if is_frame else X.T
        for j, (name, column) in enumerate(zip(self._columns, columns, strict=True)):
            array = as_array(column)
            if j in chosen or (is_frame and _is_text(column, array)):
                codes, self.categories[name] = _code(column if _has_categories(column) else array)
                parts.append(np.where(codes < 0, np.nan, codes))
            elif array.dtype.kind == "M":
                self._dates[name], found = _dates_of(column)
                parts.append(found)
            else:
                parts.append(_numbers(array, name))
        return np.column_stack(parts) if parts else np.empty((self.n_rows, 0))

    def _check_finite(self) -> None:
        if self.is_sparse:
            if np.isinf(self._X.data).any():
                raise ValueError("from_arrays: the sparse matrix has an infinite value")
            return
        for start in range(0, self.n_rows, CHUNK):
            infinite = np.isinf(self._X[start : start + CHUNK])
            if infinite.any():
                row, j = np.argwhere(infinite)[0]
                raise ValueError(f"from_arrays: row {start + row}, input {self._names[j]}: infinite value")


def _matrix(X: Any) -> Any:
    if not hasattr(X, "tocsr"):
        X = unmasked(X) if isinstance(X, np.ndarray) else _from_list(X)
    if X.ndim != 2:
        raise ValueError(f"from_arrays: X needs two dimensions, got shape {X.shape}")
    return X.tocsr() if hasattr(X, "tocsr") else X


def _from_list(rows: Any) -> NDArray[Any]:
    """Return an array of numbers, or of objects if a value is not a number; never convert numbers to text."""
    X = np.asarray(rows, dtype=object)
    try:
        return X.astype(float)
    except (TypeError, ValueError):
        return X


def _positions(inputs: Sequence[int | str], names: tuple[str, ...]) -> set[int]:
    positions = set()
    for which in inputs:
        if isinstance(which, str) and which in names:
            positions.add(names.index(which))
        elif not isinstance(which, str) and 0 <= which < len(names):
            positions.add(int(which))
        else:
            known = ", ".join(names)
            raise ValueError(f"from_arrays: there is no input {which!r}; inputs are {known}")
    return positions


def _has_categories(column: Any) -> bool:
    return hasattr(column, "iloc") and hasattr(column, "cat")  # a categorical column of pandas


def _is_text(column: Any, array: NDArray[Any]) -> bool:
    if _has_categories(column) or array.dtype.kind in "SU":
        return True
    return array.dtype.kind == "O" and any(isinstance(value, str) for value in array)


def _dates_of(column: Any) -> tuple["Dates", Floats]:
    """Return how the dates of a column become inputs, and these inputs."""
    import pyarrow as pa

    from thalweg.streams.columns.date_parts import PARTS
    from thalweg.streams.columns.dates import find_dates

    array = column.to_arrow() if hasattr(column, "to_arrow") else column
    array = array.combine_chunks() if hasattr(array, "combine_chunks") else pa.array(array)
    dates = find_dates([array], PARTS, told=False)
    assert dates is not None  # an array of dates has nothing else
    return dates, dates.read(array)[0]


def _numbers(column: NDArray[Any], name: str) -> Floats:
    """Return a column as floats, NaN where missing; raise ValueError if a value is not a number."""
    if column.dtype.kind == "m":
        raise ValueError(f"from_arrays: input {name} has spans of time; make them numbers, such as hours")
    try:
        return np.asarray(column, dtype=float)
    except (TypeError, ValueError):
        pass
    numbers = np.empty(len(column))
    for row, value in enumerate(column):
        try:
            numbers[row] = np.nan if _missing(value) else value
        except (TypeError, ValueError):
            raise ValueError(
                f"from_arrays: row {row}, input {name}: {value!r} is not a number; "
                f"name the input in `categorical` if its values are categories"
            ) from None
    return numbers


def _missing(value: Any) -> bool:
    # NaN and NaT differ from themselves; comparing pandas' NA gives no bool.
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:
        return True


def _code(values: Any) -> tuple[Ints, NDArray[Any]]:
    """Return the codes of `values` (-1 if missing) and the values in the order of their codes."""
    if _has_categories(values):
        return values.cat.codes.to_numpy(), values.cat.categories.to_numpy()
    values = np.asarray(values)
    if values.dtype.kind == "f":
        missing = np.isnan(values)
    elif values.dtype.kind == "O":
        missing = np.fromiter(map(_missing, values), dtype=bool, count=len(values))
    else:
        missing = np.zeros(len(values), dtype=bool)
    present = values[~missing] if missing.any() else values
    codes = np.full(len(values), -1, dtype=np.intp)
    try:
        known, codes[~missing] = np.unique(present, return_inverse=True)
    except TypeError:  # objects of several types cannot be sorted: keep the order of appearance
        place: dict[Any, int] = {}
        codes[~missing] = [place.setdefault(value, len(place)) for value in present]
        known = np.array(list(place), dtype=object)
    if known.dtype.kind == "O" and len({type(label) for label in known}) == 1:
        known = np.array(known.tolist())
    return codes, known


def _code_labels(y: Any, classes: ArrayLike | None) -> tuple[Ints, NDArray[Any]]:
    if isinstance(y, np.ma.MaskedArray):
        missing, y = np.ma.getmaskarray(y), np.array(y.data, dtype=object)
        y[missing] = None
    is_array = isinstance(y, np.ndarray) or hasattr(y, "iloc")
    values = y if is_array else as_array(y) if hasattr(y, "cast") else np.asarray(y, dtype=object)
    if values.ndim != 1:
        raise ValueError(f"from_arrays: y needs one dimension, got shape {values.shape}")
    codes, known = _code(values)
    if classes is None:
        return codes.astype(np.intp, copy=False), known
    classes = np.asarray(classes)
    place = {label: code for code, label in enumerate(classes.tolist())}
    unknown = [label for label in known.tolist() if label not in place]
    if unknown:
        raise ValueError(f"from_arrays: label {unknown[0]!r} is not among the classes {classes.tolist()}")
    recoded = np.array([place[label] for label in known.tolist()] + [-1], dtype=np.intp)
    return recoded[codes], classes
