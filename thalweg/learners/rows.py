"""Turns what callers hand over into rows and label codes, with errors that say where and what."""

import numpy as np

from thalweg._kernels.missing import scan


def as_rows(X, who):
    """Return X as a C-ordered float64 array of rows × inputs; None and empty cells become NaN."""
    if isinstance(X, np.ndarray) and X.dtype == np.float64 and X.ndim == 2:
        return np.ascontiguousarray(X)
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


def _cell_by_cell(X, who):
    cells = np.asarray(X, dtype=object)
    if cells.ndim != 2:
        raise ValueError(f"{who}: expected rows × inputs, a 2-dimensional array, got {type(X).__name__}")
    rows = np.empty(cells.shape)
    for (i, j), cell in np.ndenumerate(cells):
        rows[i, j] = as_number(cell, who, f"row {i}, column {j}")
    return rows


def as_number(cell, who, where):
    """Return a cell as a float, NaN for a missing one."""
    try:
        return float(cell)
    except (TypeError, ValueError):
        if cell is None or (isinstance(cell, str) and not cell.strip()) or str(cell) == "<NA>":
            return np.nan
        raise ValueError(f"{who}: {where} is {cell!r}, not a number. Code text as numbers first.") from None


def check_rows(X, n_features, names, who):
    """Refuse rows of the wrong width or with infinite values; return whether any value is missing."""
    if X.shape[1] != n_features:
        raise ValueError(f"{who}: a row has {X.shape[1]} features, but this learner began with {n_features}")
    has_missing, i, j = scan(X)
    if i >= 0:
        name = f" ({list(names)[j]!r})" if len(names) > j else ""
        raise ValueError(
            f"{who}: row {i}, column {j}{name} is {X[i, j]}: infinity is not a value to learn from. "
            "Remove or clip it, or use NaN if it stands for a missing value."
        )
    return has_missing


class Labels:
    """The classes in order, and the codes (positions) of labels among them."""

    def __init__(self, classes):
        self.classes = _as_classes(classes)
        self.list = self.classes.tolist()
        self.code = {label: code for code, label in enumerate(self.list)}
        if len(self.code) < len(self.list):
            raise ValueError(f"classes must differ from each other, got {self.list}")
        kind = self.classes.dtype.kind
        self._is_range = kind in "iu" and self.list == list(range(len(self.list)))
        self._kinds = {"i": "iu", "u": "iu", "f": "iuf", "b": "b", "U": "U"}.get(kind, "")
        self._order = np.argsort(self.classes) if self._kinds else None

    def codes(self, y, who):
        """Return the code of each label."""
        given, y = y, np.asarray(y)
        if y.ndim != 1:
            raise ValueError(f"{who}: expected one label a row, a 1-dimensional array, got shape {y.shape}")
        if self._is_range and y.dtype.kind in "iu":
            codes = y.astype(np.intp, copy=False)
            known = (codes >= 0) & (codes < len(self.list))
        elif y.dtype.kind in self._kinds:
            places = np.searchsorted(self.classes, y, sorter=self._order)
            codes = self._order[np.minimum(places, len(self.list) - 1)]
            known = self.classes[codes] == y
        else:
            given = given.tolist() if hasattr(given, "tolist") else list(given)
            codes = np.array([self.code.get(label, -1) for label in given], dtype=np.intp)
            known = codes >= 0
        if not known.all():
            i = int(np.argmin(known))
            raise ValueError(f"{who}: row {i} has the label {self._shown(y[i])}, {self._hint()}")
        return codes

    def one(self, label, who):
        """Return the code of a single label."""
        code = self.code.get(label, -1)
        if code < 0:
            raise ValueError(f"{who}: got the label {self._shown(label)}, {self._hint()}")
        return code

    def _shown(self, label):
        return repr(label.item() if isinstance(label, np.generic) else label)

    def _hint(self):
        return f"which is not one of the classes {self.list}. Name every class when the learner begins."


def _as_classes(classes):
    values = classes.tolist() if isinstance(classes, np.ndarray) else list(classes)
    if not values:
        raise ValueError("classes must name at least one label")
    if any(value is None or value != value for value in values):
        raise ValueError(f"a class cannot be missing, got {values}")
    array = np.asarray(values)
    if array.ndim == 1 and array.dtype.kind in "iufbU" and len({type(value) for value in values}) == 1:
        return array
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
