"""Conversion of arguments into rows and label codes, with errors that name the place and the value."""

from collections.abc import Collection, Hashable, Iterable
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg._frames import check_no_dates, frame_names, unmasked
from thalweg._names import as_number
from thalweg._native.kernel import HEAVIEST
from thalweg._native.missing import clip, scan
from thalweg._parameters import is_whole
from thalweg._types import Floats, Ints, Mask, Numbers

MOST_ID = 2**63 - 1
MOST_ROWS = 1_000_000  # of a window or a chunk of an ensemble
Row: TypeAlias = ArrayLike | dict[Any, Any]


def as_rows(X: ArrayLike, n_features: int, who: str) -> Floats:
    """Return X as a C-ordered float64 array of shape (n_rows, n_features); None and empty text become NaN."""
    rows = as_numbers(X, who)
    if rows.shape[1] != n_features:
        raise ValueError(
            f"{who}: a row has {rows.shape[1]} features, but this learner began with {n_features}"
        )
    return rows


def n_inputs(X: Any) -> int:
    """Return the number of inputs of a row or of rows, which may turn out to be neither."""
    names = None if getattr(X, "ndim", 2) == 1 else frame_names(X)
    if names is not None:
        return len(names)
    shape = X.shape if hasattr(X, "shape") else np.asarray(X, dtype=object).shape
    return int(shape[-1]) if shape else 1


def as_numbers(X: ArrayLike, who: str) -> Floats:
    """Return X as a C-ordered float64 array of two dimensions; None and empty text become NaN."""
    if type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2:
        return np.ascontiguousarray(X)
    check_no_dates(X, who)
    X = unmasked(X)
    try:
        rows = np.ascontiguousarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        rows = _cell_by_cell(X, who)
    if rows.ndim != 2:
        raise ValueError(
            f"{who}: expected rows × inputs, a 2-dimensional array, got {rows.ndim} dimension(s). "
            "Reshape your data, or pass a single row to learn_one, predict_one or predict_proba_one."
        )
    return rows


def as_row(x: ArrayLike, n_features: int, who: str) -> Floats:
    """Return one row, a sequence of numbers, as an array of shape (1, n_features)."""
    if type(x) is np.ndarray and x.dtype == np.float64 and x.shape == (n_features,):
        return np.ascontiguousarray(x)[None]
    x = unmasked(x)
    try:
        row = np.array(x, dtype=np.float64)
    except (TypeError, ValueError):
        cells = x if isinstance(x, list | tuple) else np.asarray(x, dtype=object)
        if isinstance(cells, np.ndarray) and cells.ndim == 0:
            raise ValueError(
                f"{who}: a row is a dict of named inputs or a sequence of numbers, got {x!r}"
            ) from None
        row = np.array([as_number(cell, who, f"column {j}") for j, cell in enumerate(cells)])
    if row.shape not in ((n_features,), (1, n_features)):
        seen = f"{len(row)} features" if row.ndim == 1 else f"an array of shape {row.shape}"
        raise ValueError(f"{who}: expected one row of {n_features} features, got {seen}")
    return row.reshape(1, n_features)


def _cell_by_cell(X: Any, who: str) -> Floats:
    cells = np.asarray(X, dtype=object)
    if cells.ndim != 2:
        raise ValueError(f"{who}: expected rows × inputs, a 2-dimensional array, got {type(X).__name__}")
    rows = np.empty(cells.shape)
    for (i, j), cell in np.ndenumerate(cells):
        rows[i, j] = as_number(cell, who, f"row {i}, column {j}")
    return rows


def clipped_rows(X: Floats, names: Collection[Hashable], who: str) -> tuple[Floats, bool]:
    """Return X clipped to ±1e150, and whether a value is missing; raise ValueError if one is infinite."""
    has_missing, has_huge, i, j = scan(X)
    if i >= 0:
        name = f" ({list(names)[j]!r})" if len(names) > j else ""
        raise ValueError(
            f"{who}: row {i}, column {j}{name} is {X[i, j]}: infinity is not a value to learn from. "
            "Remove or clip it, or use NaN if it means a missing value."
        )
    if has_huge:
        X = X.copy()
        clip(X)
    return X, has_missing


def as_codes(codes: ArrayLike, n_rows: int, n_classes: int, who: str) -> Ints:
    """Return codes of labels as an array of integers below `n_classes`, one for each row."""
    given = np.asarray(codes)
    if given.shape != (n_rows,):
        raise ValueError(f"{who}: got {n_rows} rows but codes of shape {given.shape}")
    if n_rows and given.dtype.kind not in "iu":
        raise ValueError(f"{who}: codes must be integers, positions in classes_; got {given.dtype}")
    codes = np.ascontiguousarray(given, dtype=np.intp)
    if n_rows and codes.view(np.uintp).max() >= n_classes:  # negative codes are huge here
        i = int(np.argmax((codes < 0) | (codes >= n_classes)))
        raise ValueError(
            f"{who}: row {i} has the code {given[i]}, no position in classes_ (0 to {n_classes - 1}); "
            "-1 means a missing label: pass such rows to observe"
        )
    return codes


def as_weights(sample_weight: ArrayLike | None, n_rows: int, who: str) -> Floats:
    """Return weights between 0 and 1e100 as a float64 array, one for each row; all 1 if None."""
    if sample_weight is None:
        return np.ones(n_rows)
    w = np.ascontiguousarray(sample_weight, dtype=np.float64)
    if w.shape != (n_rows,):
        raise ValueError(f"{who}: got {n_rows} rows but weights of shape {w.shape}")
    good = (w >= 0) & (w <= HEAVIEST)
    if not good.all():
        i = int(np.argmin(good))
        raise ValueError(f"{who}: row {i} has the weight {w[i]}; a weight lies between 0 and {HEAVIEST:g}")
    return w


def as_mask(mask: ArrayLike, n_rows: int, who: str) -> NDArray[np.uint8]:
    """Return a mask of the rows as an array of bytes, 1 where it is True."""
    mask = np.ascontiguousarray(mask, dtype=bool)
    if mask.shape != (n_rows,):
        raise ValueError(f"{who}: got {n_rows} rows but a mask of shape {mask.shape}")
    return mask.view(np.uint8)


def as_ids(ids: ArrayLike | None, n_rows: int, who: str) -> Numbers | None:
    """Return the ids of rows as an array of int64, one for each row; None if there are none."""
    if ids is None:
        return None
    given = np.asarray(ids)
    if given.dtype == np.int64 and given.shape == (n_rows,) and given.flags.c_contiguous:
        return given
    if given.shape != (n_rows,):
        raise ValueError(f"{who}: got {n_rows} rows but ids of shape {given.shape}")
    if given.dtype.kind in "iu" and (given.dtype.kind == "i" or not n_rows or given.max() <= MOST_ID):
        return np.ascontiguousarray(given, dtype=np.int64)
    each = ids if isinstance(ids, list | tuple) else given  # an array may have made floats or text of them
    return np.array([as_id(one, f"{who}: row {i}") for i, one in enumerate(each)], dtype=np.int64)


def as_id(given: Any, who: str) -> int:
    """Return the id of one row as an int; raise ValueError unless it fits in a signed 64-bit integer."""
    if not is_whole(given) or not -MOST_ID - 1 <= given <= MOST_ID:
        shown = given.item() if isinstance(given, np.generic) else given
        raise ValueError(f"{who}: an id is a whole number from -2**63 to 2**63 - 1, got {shown!r}")
    return int(given)


def as_output(p: Floats | None, shape: tuple[int, int], who: str) -> Floats:
    """Return the array to write probabilities into: `p`, or a new one if it is None."""
    if p is None:
        return np.empty(shape)
    if not (isinstance(p, np.ndarray) and p.shape == shape and p.dtype == np.float64 and p.flags.carray):
        raise ValueError(f"{who}: p must be a writable C-ordered float64 array of shape {shape}")
    return p


def as_category_counts(n_categories: ArrayLike | None, n_features: int, who: str) -> Ints:
    """Return the number of categories of each input, 0 if it is numeric."""
    if n_categories is None:
        return np.zeros(n_features, dtype=np.intp)
    counts = np.array(n_categories)
    if counts.shape != (n_features,) or counts.dtype.kind not in "iu":
        raise ValueError(
            f"{who}: n_categories must be {n_features} integers, one for each input, got {n_categories!r}"
        )
    if (counts < 0).any():
        raise ValueError(f"{who}: n_categories must not be negative, got {n_categories!r}")
    return counts.astype(np.intp)


class Labels:
    """The classes in order, and the codes (positions) of labels among them; if open, more may come."""

    def __init__(self, classes: ArrayLike, is_open: bool = False) -> None:
        self.is_open = is_open
        self.classes = _as_classes(classes, may_be_empty=is_open)
        self.list = self.classes.tolist()
        if len(self.code) < len(self.list):
            raise ValueError(f"classes must differ from each other, got {self.list}")

    # What follows from the classes is found when it is needed: of most classes of a block it never is.

    @cached_property
    def code(self) -> dict[Any, int]:
        """The codes by label."""
        return dict(zip(self.list, range(len(self.list)), strict=True))

    @cached_property
    def _is_range(self) -> bool:
        return self.classes.dtype.kind in "iu" and self.list == list(range(len(self.list)))

    @property
    def _kinds(self) -> str:
        return {"i": "iu", "u": "iu", "f": "iuf", "b": "b", "U": "U"}.get(self.classes.dtype.kind, "")

    @cached_property
    def _order(self) -> Ints | None:
        return np.argsort(self.classes) if self._kinds else None

    @cached_property
    def _widths(self) -> Ints:
        """The characters that the longest of the first labels has, for each number of labels."""
        return np.maximum.accumulate([max(len(label), 1) for label in self.list])

    def codes(self, y: ArrayLike, who: str) -> Ints:
        """Return the code of each label; raise ValueError if one is unknown."""
        codes, known = self._find(y, who)
        if not known.all():
            i = int(np.argmin(known))
            raise ValueError(f"{who}: row {i} has the label {self._shown(np.asarray(y)[i])}, {self._hint()}")
        return codes

    def extended(self, y: ArrayLike, who: str) -> tuple["Labels", Ints]:
        """Return Labels with the new ones in `y` added in order, and the code of each label in `y`."""
        codes, known = self._find(y, who)
        if known.all():
            return self, codes
        codes, more, given = codes.copy(), dict(self.code), _as_list(y)
        for i in np.flatnonzero(~known).tolist():
            label = given[i]
            if label is None or label != label:
                raise ValueError(f"{who}: row {i} has the label {label!r}: a class cannot be missing")
            codes[i] = more.setdefault(label, len(more))
        return Labels(list(more), is_open=True), codes

    def continued(self, classes: Any, who: str) -> "Labels":
        """Return Labels for all of `classes`, which start with these; self if there are no more."""
        if len(classes) == len(self.list):
            return self
        if len(classes) < len(self.list):
            raise ValueError(f"{who}: got {len(classes)} classes, but there are {self.list}")
        if not self.is_open:
            new = ", ".join(map(repr, list(classes)[len(self.list) :][:5]))
            raise ValueError(f"{who}: the label {new} is new, and its classes are fixed: {self.list}")
        return Labels(classes, is_open=True)

    def _find(self, y: ArrayLike, who: str) -> tuple[Ints, Mask]:
        # The code of each label, and whether it is known; if not, its code is meaningless.
        labels = np.asarray(y)
        if labels.ndim != 1:
            raise ValueError(f"{who}: expected one label per row, in one dimension, got shape {labels.shape}")
        if self._is_range and labels.dtype.kind in "iu":
            codes: Ints = labels.astype(np.intp, copy=False)
            return codes, (codes >= 0) & (codes < len(self.list))
        if self.list and self._order is not None and labels.dtype.kind in self._kinds:
            places = np.searchsorted(self.classes, labels, sorter=self._order)
            codes = self._order[np.minimum(places, len(self.list) - 1)]
            return codes, self.classes[codes] == labels
        codes = np.array([self.code.get(label, -1) for label in _as_list(y)], dtype=np.intp)
        return codes, codes >= 0

    def first(self, n: int) -> "Labels":
        """Return Labels for the first n classes."""
        if n == len(self.list):
            return self
        found = object.__new__(Labels)
        found.is_open, found.list = self.is_open, self.list[:n]
        if n and self.classes.dtype.kind == "U":
            found.classes = self.classes[:n].astype(f"U{self._widths[n - 1]}")
        else:
            found.classes = _plain_array(found.list)
        return found

    def one(self, label: Any, who: str) -> int:
        """Return the code of one label; raise ValueError if it is unknown."""
        code = self.code.get(label, -1)
        if code < 0:
            raise ValueError(f"{who}: got the label {self._shown(label)}, {self._hint()}")
        return code

    def _shown(self, label: Any) -> str:
        return repr(label.item() if isinstance(label, np.generic) else label)

    def _hint(self) -> str:
        return f"which is not one of the classes {self.list}. Pass all classes to begin()."


def _as_list(labels: Any) -> list[Any]:
    return [_plain(label) for label in (labels.tolist() if hasattr(labels, "tolist") else labels)]


def _plain(label: Any) -> Any:
    """Return a label that is a scalar of NumPy as a plain Python value."""
    return label.item() if isinstance(label, np.bool_ | np.number | np.str_) else label


def _as_classes(classes: Any, may_be_empty: bool = False) -> NDArray[Any]:
    if not isinstance(classes, Iterable) or isinstance(classes, str | bytes):
        raise ValueError(f"classes must be a list of labels, got {classes!r}")
    if isinstance(classes, np.ndarray) and classes.ndim == 1 and len(classes) and classes.dtype.kind in "iuU":
        return np.asarray(classes.tolist())  # none is missing, and all have one type
    values = _as_list(classes)
    if not values and not may_be_empty:
        raise ValueError("classes must have at least one label")
    if any(value is None or value != value for value in values):
        raise ValueError(f"a class cannot be missing, got {values}")
    if any(isinstance(value, complex) for value in values):
        raise ValueError(f"a class cannot be a complex number, got {values}")
    return _plain_array(values)


def _plain_array(values: list[Any]) -> NDArray[Any]:
    """Return plain labels as an array: of objects if they are of several types."""
    array = np.asarray(values)
    is_plain = array.ndim == 1 and array.dtype.kind in "iufbU" and len({*map(type, values)}) == 1
    is_plain = is_plain and not (array.dtype.kind == "f" and type(values[0]) is int)  # beyond all integers
    # NumPy drops a NUL at the end of a text.
    if is_plain and not (array.dtype.kind == "U" and any(value.endswith("\0") for value in values)):
        return array
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
