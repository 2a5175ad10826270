"""Rows by the names of their inputs: dicts, and the columns of a data frame."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thalweg._frames import as_array, check_names, check_no_dates, frame_columns, frame_names, frame_rows
from thalweg._names import Names
from thalweg._types import Floats, Ints, Numbers
from thalweg.learners.base.arguments import Labels, Row, as_row, as_rows, clipped_rows
from thalweg.learners.base.open_classes import OpenClasses


class DictRows(list[dict[Any, Any]]):
    """Rows that are dicts of named inputs."""


def dict_rows(X: Any, is_open: bool, who: str) -> DictRows | None:
    """Return `X` as DictRows if it is a sequence of dicts; None if it is something else.

    If names of inputs are open, the rows of a data frame are dicts too.
    """
    if isinstance(X, np.ndarray):
        if X.ndim != 1 or X.dtype != object or (len(X) and not isinstance(X[0], dict)):
            return None
    elif not isinstance(X, list | tuple):
        return _frame_dicts(X, who) if is_open and frame_names(X) is not None else None
    elif not X or not isinstance(X[0], dict):
        return None
    for i, row in enumerate(X):
        if not isinstance(row, dict):
            raise ValueError(f"{who}: row {i} is a {type(row).__name__}, the rows before it are dicts")
    return DictRows(X)


def named_row(x: Any) -> Any:
    """Return one row as a dict if it has names, such as a Series of pandas; else return it as it is."""
    if isinstance(x, dict | np.ndarray | list | tuple) or not hasattr(x, "keys"):
        return x
    names = list(x.keys())
    return {name: x[name] for name in names} if all(isinstance(name, str) for name in names) else x


def _frame_dicts(X: Any, who: str) -> DictRows:
    check_no_dates(X, who)
    names = frame_names(X) or []
    columns = [as_array(column).tolist() for column in frame_columns(X)]
    return DictRows(dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))


class NamedRows(OpenClasses):
    """The part of a learner that finds inputs by their names, and learns rows with new ones."""

    if TYPE_CHECKING:

        def _predict_row(self, x: Row) -> Floats: ...

        def _learn_block(
            self, X: Floats, has_missing: bool, codes: Ints, w: Floats, *, ids: Numbers | None = None
        ) -> Floats: ...

        def _learn_open(
            self,
            X: Floats,
            codes: Ints,
            w: Floats,
            labels: Labels,
            tested: NDArray[np.uint8] | None,
            p: Floats,
            ids: Numbers | None,
        ) -> Floats: ...

        def _is_first(self, code: int) -> bool: ...

        def _open_classes(self, n_before: int) -> None: ...

        def _take_first_row(self, code: int, X: Any, w: float) -> bool: ...

        def _learn_first_row(self, code: int) -> None: ...

        def _stop_waiting(self, X: Any, ids: Numbers | None) -> None: ...

    def _checked_dicts(self, dicts: DictRows) -> tuple[Floats, bool]:
        """Return dict rows that are not learned as an array, and whether a value is missing."""
        rows = [self._names.row(x, f"{self._who}: row {i}")[0] for i, x in enumerate(dicts)]
        X = np.concatenate(rows) if rows else np.empty((0, self.n_features_in_))
        return clipped_rows(X, self._names, self._who)

    def _checked_frame(self, X: Any, names: list[Any], learns: bool) -> tuple[Any, bool]:
        # A learner without names of inputs gets those of the first frame it learns.
        is_named = all(isinstance(name, str) for name in names)
        if is_named and len(self._names) == self.n_features_in_:
            check_names(names, list(self._names), self._who)
        rows = as_rows(frame_rows(X, self._who), self.n_features_in_, self._who)
        found = clipped_rows(rows, names, self._who)
        if is_named and learns and not self._names:
            self._names = Names(names, self.n_features_in_, self._who)
        return found

    def _row(self, x: Row, learns: bool = False) -> tuple[Floats, Names]:
        # One row, and the names of the inputs after it is learned.
        if not isinstance(x, dict):
            self._check_inputs()
            return as_row(x, self.n_features_in_, self._who), self._names
        if learns and not x:
            self._check_inputs()
        return self._names.row(x, self._who, learns)

    def _check_inputs(self) -> None:
        if not self._names.n_features:
            raise ValueError(
                f"{self._who}: there are no inputs yet; the first row to learn must be a dict that has some. "
                "For arrays, pass the number of inputs: begin(n_features)"
            )

    def _learn_dicts(
        self,
        dicts: DictRows,
        codes: Ints,
        w: Floats,
        labels: Labels,
        tested: NDArray[np.uint8] | None,
        p: Floats,
        ids: Numbers | None,
    ) -> Floats:
        """Learn dict rows as `learn_one` does; write the probabilities predicted before into `p`.

        Rows between those that bring new names or categories are learned as one block.
        """
        X, news = self._as_learned(dicts, w)
        start = 0
        for i, names in [*news, (len(dicts), self._names)]:
            part = slice(start, i)
            rows = np.ascontiguousarray(X[part, : self.n_features_in_])
            mask, given = None if tested is None else tested[part], None if ids is None else ids[part]
            self._learn_open(rows, codes[part], w[part], labels, mask, p[part], given)
            if i < len(dicts):
                one = slice(i, i + 1)
                given = None if ids is None else ids[one]
                self._learn_new(dicts[i], X[one], codes[one], w[one], names, labels, p[i], given)
            start = i + 1
        return p

    def _as_learned(self, dicts: DictRows, w: Floats) -> tuple[Floats, list[tuple[int, Names]]]:
        """Return the rows as they are learned, and each row that changes the names, with the changed ones."""
        names, news, rows = self._names, [], []
        for i, x in enumerate(dicts):
            who, learns = f"{self._who}: row {i}", bool(w[i] > 0)
            if learns and not x and not names.n_features:
                self._check_inputs()
            row, after = names.row(x, who, learns)
            rows.append(row)
            if after is not names:
                news.append((i, after))
                names = after
        X = np.full((len(dicts), names.n_places), np.nan)
        for i, row in enumerate(rows):
            X[i, : row.shape[1]] = row[0]
        return clipped_rows(X, names, self._who)[0], news

    def _learn_new(
        self,
        x: dict[Any, Any],
        row: Floats,
        code: Ints,
        w: Floats,
        names: Names,
        labels: Labels,
        p: Floats,
        ids: Numbers | None,
    ) -> None:
        # Predict a row, then learn it with its new names or categories.
        known = len(self.classes_)
        p[:known], p[known:] = self._predict_row(x), 0.0
        labels = self._labels if code[0] < known else labels.first(int(code[0]) + 1)
        row = np.ascontiguousarray(row[:, : names.n_places])
        self._learn_row(row, bool(np.isnan(row).any()), code, w, names, labels, ids)

    def _learn_row(
        self,
        X: Floats,
        has_missing: bool,
        code: Ints,
        w: Floats,
        names: Names,
        labels: Labels,
        ids: Numbers | None,
    ) -> None:
        # Learn a row that may bring new names or labels, or the first of its class.
        k, n_classes = int(code[0]), len(self._labels.list)
        is_first = bool(w[0] > 0) and self._is_first(k)
        if w[0] > 0 and not is_first:
            self._learn_first_row(k)
        if not is_first and labels is self._labels and names is self._names:
            self._learn_block(X, has_missing, code, w, ids=ids)
            return
        before, first = vars(self).copy(), self._n_learned
        try:
            self._all_or_nothing(self._make_room, names, labels)
            self._open_classes(n_classes)
            is_kept = is_first and self._take_first_row(k, X, float(w[0]))
            self._learn_block(X, has_missing, code, np.zeros(1) if is_kept else w, ids=ids)
        except BaseException:
            if first is not None and self._n_learned == first:
                self.__dict__ = before
            raise
        if is_kept:
            self._stop_waiting(X, ids)
