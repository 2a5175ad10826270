"""Turns what callers hand over into rows and label codes, with errors that say where and what."""

import numpy as np

from thalweg._kernels.missing import clip, scan

HEAVIEST = 1e100  # weights above would make sums overflow


def as_rows(X, n_features, who):
    """Return X as a C-ordered float64 array of rows × inputs; None and empty cells become NaN."""
    rows = as_numbers(X, who)
    if rows.shape[1] != n_features:
        raise ValueError(
            f"{who}: a row has {rows.shape[1]} features, but this learner began with {n_features}"
        )
    return rows


def as_numbers(X, who):
    """Return X as a C-ordered float64 array of two dimensions; None and empty cells become NaN."""
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


def as_row(x, n_features, who):
    """Return one row, given as a sequence of numbers, as an array of 1 × inputs."""
    if type(x) is np.ndarray and x.dtype == np.float64 and x.shape == (n_features,):
        return np.ascontiguousarray(x).reshape(1, n_features)
    try:
        row = np.array(x, dtype=np.float64)
    except (TypeError, ValueError):
        cells = x if isinstance(x, list | tuple | np.ndarray) else [x]
        row = np.array([as_number(cell, who, f"column {j}") for j, cell in enumerate(cells)])
    if row.shape not in ((n_features,), (1, n_features)):
        seen = f"{len(row)} features" if row.ndim == 1 else f"an array of shape {row.shape}"
        raise ValueError(f"{who}: expected one row of {n_features} features, got {seen}")
    return row.reshape(1, n_features)


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


def usual_rows(X, names, who):
    """Return X with values beyond ±1e150 cut to that, and whether any is missing; refuse infinite ones."""
    has_missing, has_huge, i, j = scan(X)
    if i >= 0:
        name = f" ({list(names)[j]!r})" if len(names) > j else ""
        raise ValueError(
            f"{who}: row {i}, column {j}{name} is {X[i, j]}: infinity is not a value to learn from. "
            "Remove or clip it, or use NaN if it stands for a missing value."
        )
    if has_huge:
        X = X.copy()
        clip(X)
    return X, has_missing


def as_codes(codes, n_rows, n_classes, who):
    """Return codes of labels, one for each row, as an array of positions below `n_classes`."""
    given = np.asarray(codes)
    if given.shape != (n_rows,):
        raise ValueError(f"{who}: got {n_rows} rows but codes of shape {given.shape}")
    if n_rows and given.dtype.kind not in "iu":
        raise ValueError(f"{who}: codes must be integers, positions in classes_; got {given.dtype}")
    codes = np.ascontiguousarray(given, dtype=np.intp)
    if n_rows and codes.view(np.uintp).max() >= n_classes:  # negative ones are huge here
        i = int(np.argmax((codes < 0) | (codes >= n_classes)))
        raise ValueError(
            f"{who}: row {i} has the code {given[i]}, no position in classes_ (0 to {n_classes - 1}); "
            "-1 stands for a missing label: pass such rows to observe"
        )
    return codes


def as_weights(sample_weight, n_rows, who):
    """Return sample weights as a float64 array, one weight from 0 to 1e100 for each row; 1 if None."""
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


def as_mask(mask, n_rows, who):
    """Return a mask of the rows as an array of bytes, 1 where it is true."""
    mask = np.ascontiguousarray(mask, dtype=bool)
    if mask.shape != (n_rows,):
        raise ValueError(f"{who}: got {n_rows} rows but a mask of shape {mask.shape}")
    return mask.view(np.uint8)


def as_output(p, shape, who):
    """Return the array to write probabilities into: `p` if it is given and fits, else a new one."""
    if p is None:
        return np.empty(shape)
    if not (isinstance(p, np.ndarray) and p.shape == shape and p.dtype == np.float64 and p.flags.carray):
        raise ValueError(f"{who}: p must be a writable C-ordered float64 array of shape {shape}")
    return p


def as_category_counts(n_categories, n_features, who):
    """Return the number of categories of each input, 0 where it is numeric."""
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


class Names(dict):
    """The names of inputs and their positions; those not given are learned from dict rows.

    `n_features` is None if there may be any number of inputs: each new name is then one more of them.
    """

    def __init__(self, names, n_features, who):
        names = [] if names is None else list(names)
        super().__init__((name, j) for j, name in enumerate(names))
        self.is_open = n_features is None
        self.n_features = len(names) if self.is_open else n_features
        if len(names) > self.n_features:
            raise ValueError(f"{who}: got {len(names)} names for {self.n_features} inputs")
        if len(self) < len(names):
            raise ValueError(f"{who}: names of inputs must differ from each other, got {names}")

    @property
    def n_places(self):
        """Numbers a row has for the learner: the first input to come has a place from the start."""
        return max(self.n_features, 1)

    def row(self, x, who, learns=False):
        """Return a dict row as an array of 1 × inputs, and the names once it is learned.

        An absent name is a missing value. While inputs are unnamed, a new name stands for the next of them.
        If any number of inputs may come, a new name is ignored unless the row is learned.
        """
        names = self if x.keys() <= self.keys() else self._extended(x, who, learns)
        row = np.full((1, names.n_places), np.nan)
        for name, value in x.items():
            if name in names:
                row[0, names[name]] = as_number(value, who, name)
        return row, names

    def _extended(self, x, who, learns):
        if self.is_open and not learns:
            return self
        names = [*self, *(name for name in x if name not in self)]
        if not self.is_open and len(names) > self.n_features:
            known = list(self) or names[: self.n_features]
            raise ValueError(f"{who}: unknown input {names[self.n_features]!r}; the inputs are {known}")
        return Names(names, None if self.is_open else self.n_features, who)

    def of_width(self, n_features, who):
        """Return these names for a number of inputs that has grown."""
        return Names(self, n_features, who)


class Labels:
    """The classes in order, and the codes (positions) of labels among them; if open, more may come."""

    def __init__(self, classes, is_open=False):
        self.is_open = is_open
        self.classes = _as_classes(classes, may_be_empty=is_open)
        self.list = self.classes.tolist()
        self.code = {label: code for code, label in enumerate(self.list)}
        if len(self.code) < len(self.list):
            raise ValueError(f"classes must differ from each other, got {self.list}")
        kind = self.classes.dtype.kind
        self._is_range = kind in "iu" and self.list == list(range(len(self.list)))
        self._kinds = {"i": "iu", "u": "iu", "f": "iuf", "b": "b", "U": "U"}.get(kind, "")
        self._order = np.argsort(self.classes) if self._kinds else None

    def codes(self, y, who):
        """Return the code of each label; an unknown one is an error."""
        codes, known = self._find(y, who)
        if not known.all():
            i = int(np.argmin(known))
            raise ValueError(f"{who}: row {i} has the label {self._shown(np.asarray(y)[i])}, {self._hint()}")
        return codes

    def extended(self, y, who):
        """Return labels with those of `y` that are new added in order, and the code of each of `y`."""
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

    def continued(self, classes, who):
        """Return labels for all of `classes`, which begin with these: these themselves if that is all."""
        if len(classes) == len(self.list):
            return self
        if not self.is_open or len(classes) < len(self.list):
            raise ValueError(f"{who}: got {len(classes)} classes, but there are {self.list}")
        return Labels(classes, is_open=True)

    def _find(self, y, who):
        # The code of each label, and whether it is known: its code means something only then.
        given, y = y, np.asarray(y)
        if y.ndim != 1:
            raise ValueError(f"{who}: expected one label a row, a 1-dimensional array, got shape {y.shape}")
        if self._is_range and y.dtype.kind in "iu":
            codes = y.astype(np.intp, copy=False)
            return codes, (codes >= 0) & (codes < len(self.list))
        if self.list and y.dtype.kind in self._kinds:
            places = np.searchsorted(self.classes, y, sorter=self._order)
            codes = self._order[np.minimum(places, len(self.list) - 1)]
            return codes, self.classes[codes] == y
        codes = np.array([self.code.get(label, -1) for label in _as_list(given)], dtype=np.intp)
        return codes, codes >= 0

    def first(self, n):
        """Return the first n of these labels."""
        return self if n == len(self.list) else Labels(self.list[:n], is_open=self.is_open)

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


def _as_list(labels):
    return labels.tolist() if hasattr(labels, "tolist") else list(labels)


def _as_classes(classes, may_be_empty=False):
    values = classes.tolist() if isinstance(classes, np.ndarray) else list(classes)
    if not values and not may_be_empty:
        raise ValueError("classes must name at least one label")
    if any(value is None or value != value for value in values):
        raise ValueError(f"a class cannot be missing, got {values}")
    array = np.asarray(values)
    if array.ndim == 1 and array.dtype.kind in "iufbU" and len({type(value) for value in values}) == 1:
        return array
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
