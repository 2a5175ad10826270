"""A stream of rows that are in memory."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg._types import Block, Floats, Ints
from thalweg.streams.base import CHUNK, Stream, recut


def from_arrays(
    X: Any,
    y: ArrayLike,
    names: Sequence[str] | None = None,
    categorical: Sequence[int | str] = (),
    classes: ArrayLike | None = None,
    drifts: ArrayLike = (),
) -> "Arrays":
    """Return a stream of the rows of arrays, lists or a pandas DataFrame.

    A numeric array is not copied: blocks are converted to float64 when they are read. Missing values (NaN,
    None, NA) stay missing; a missing label is coded -1.

    Parameters
    ----------
    X : array-like or pandas.DataFrame of shape (n_rows, n_features)
        The rows in order. Text and pandas' categorical columns of a DataFrame are categorical inputs.
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
    return Arrays(X, y, names, categorical, classes, drifts)


class Arrays(Stream):
    """What `from_arrays` returns: a stream of rows in memory.

    Attributes
    ----------
    categories : dict
        For each categorical input its values in the order of their codes.
    """

    n_rows: int

    def __init__(
        self,
        X: Any,
        y: ArrayLike,
        names: Sequence[str] | None = None,
        categorical: Sequence[int | str] = (),
        classes: ArrayLike | None = None,
        drifts: ArrayLike = (),
    ) -> None:
        columns = getattr(X, "columns", None)
        if columns is None:
            X = _matrix(X)
        self.n_rows, self.n_features = X.shape
        if names is None:
            names = [f"x{j}" for j in range(self.n_features)] if columns is None else columns
        self._names = tuple(map(str, names))
        if len(self._names) != self.n_features:
            raise ValueError(f"from_arrays: {len(self._names)} names for {self.n_features} inputs")
        if len(set(self._names)) < self.n_features:
            raise ValueError(f"from_arrays: inputs need different names, got {', '.join(self._names)}")
        chosen = self._positions(categorical)
        self.categories: dict[str, NDArray[Any]] = {}
        if columns is not None or chosen or X.dtype.kind not in "fiub":
            X = self._coded(X, chosen)
        self._X = X
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

    def _block(self, rows: slice) -> Floats:
        return np.require(self._X[rows], dtype=np.float64, requirements=["C", "W"])

    def _positions(self, inputs: Sequence[int | str]) -> set[int]:
        positions = set()
        for which in inputs:
            if isinstance(which, str) and which in self._names:
                positions.add(self._names.index(which))
            elif not isinstance(which, str) and 0 <= which < self.n_features:
                positions.add(int(which))
            else:
                known = ", ".join(self._names)
                raise ValueError(f"from_arrays: there is no input {which!r}; inputs are {known}")
        return positions

    def _coded(self, X: Any, chosen: set[int]) -> Floats:
        """Return a float64 copy of `X` whose categorical columns are coded."""
        coded = np.empty((self.n_rows, self.n_features))
        for j, name in enumerate(self._names):
            column = X.iloc[:, j] if hasattr(X, "iloc") else X[:, j]
            if j in chosen or (hasattr(X, "iloc") and _is_text(column)):
                codes, self.categories[name] = _code(column)
                coded[:, j] = np.where(codes < 0, np.nan, codes)
            else:
                coded[:, j] = _numbers(column, name)
        return coded

    def _check_finite(self) -> None:
        for start in range(0, self.n_rows, CHUNK):
            infinite = np.isinf(self._X[start : start + CHUNK])
            if infinite.any():
                row, j = np.argwhere(infinite)[0]
                raise ValueError(f"from_arrays: row {start + row}, input {self._names[j]}: infinite value")


def _matrix(X: Any) -> NDArray[Any]:
    X = X if isinstance(X, np.ndarray) else _from_list(X)
    if X.ndim != 2:
        raise ValueError(f"from_arrays: X needs two dimensions, got shape {X.shape}")
    return X


def _from_list(rows: Any) -> NDArray[Any]:
    """Return an array of numbers, or of objects if a value is not a number; never convert numbers to text."""
    X = np.asarray(rows, dtype=object)
    try:
        return X.astype(float)
    except (TypeError, ValueError):
        return X


def _is_text(column: Any) -> bool:
    return hasattr(column, "cat") or (
        column.dtype.kind in "OSU" and any(isinstance(value, str) for value in column)
    )


def _numbers(column: Any, name: str) -> Floats:
    """Return a column as floats, NaN where missing; raise ValueError if a value is not a number."""
    if hasattr(column, "to_numpy"):
        is_number = column.dtype.kind in "fiub"
        column = column.to_numpy(float, na_value=np.nan) if is_number else column.to_numpy(object)
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
    if hasattr(values, "cat"):
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
    values = y if hasattr(y, "cat") or hasattr(y, "dtype") else np.asarray(y, dtype=object)
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
