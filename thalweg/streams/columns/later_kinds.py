"""Columns whose kind the first rows cannot show: those of 0 and 1 only, and those without a value."""

import datetime
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from thalweg._types import Ints
from thalweg.errors import Advice, Message
from thalweg.streams.columns.codes import number, spelling
from thalweg.streams.columns.column import CATEGORY, FLAG, NUMBER, Column, as_text, distinct, shown, truth
from thalweg.streams.columns.decimals import Decimals
from thalweg.streams.columns.number_text import parsed

TIMES = (datetime.date, datetime.time, datetime.timedelta)  # a date is several inputs


class Kind(NamedTuple):
    """The kind of a column of one input, whether it has had no value yet, and its decimal point if told."""

    kind: str
    is_empty: bool = False
    decimal: str | None = None

    @classmethod
    def of(cls, column: Column) -> "Kind":
        """Return the kind of a column."""
        point = column.reader.point if isinstance(column.reader, Decimals) else None
        return cls(column.kind or NUMBER, column.is_empty, point)

    def set(self, column: Column) -> None:
        """Make a column one of this kind."""
        column.kind, column.is_empty = self.kind, self.is_empty
        column.reader = Decimals(self.decimal) if self.decimal else None


class KindChange(NamedTuple):
    """A column that became another kind at a row of a stream, and a warning; none where nothing is lost."""

    name: str
    kind: str
    row: int
    warning: str


def may_change(column: Column) -> bool:
    """Return whether later rows may change the kind of a column."""
    return (column.kind == FLAG and not column.is_boolean) or column.is_empty


class LaterKinds:
    """The columns of a stream whose kind its rows may change; `changes` has those that did, by position.

    A column of 0 and 1 is a number from the first other number on. A column without a value takes the kind of
    its first one: a number, or a category if it is a word. What a learner has begun with stays: of the
    former, other numbers are further categories; of the latter, the codes of categories are numbers.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._first = {j: Kind.of(column) for j, column in enumerate(columns) if may_change(column)}
        self._n_first = {j: columns[j].n_categories[0] for j in self._first}
        self.changes: dict[int, KindChange] = {}
        ends = np.cumsum([column.n_inputs for column in columns])
        self._places = {j: int(ends[j]) - 1 for j in self._first}
        self._flags: list[int] = []
        self.keep({})

    def n_categories(self, j: int) -> tuple[int, ...]:
        """Return how many categories each input of column j has; of one that changed, those at first."""
        return (self._n_first[j],) if j in self.changes else self._columns[j].n_categories

    def keep(self, changes: dict[int, KindChange]) -> None:
        """Undo all but some of the changes."""
        for j in self.changes.keys() - changes.keys():
            self._first[j].set(self._columns[j])
        self.changes = dict(changes)
        self._flags = [j for j in self._first if self._columns[j].kind == FLAG]

    def up_to(self, row: int) -> dict[int, KindChange]:
        """Return the changes that rows up to this one made."""
        return {j: change for j, change in self.changes.items() if change.row <= row}

    def filled(self, j: int, cells: Any, rows: Ints) -> Any:
        """Set the kind of column j, which was empty, if one of these cells has a value; return the cells.

        Those before it are missing: a mark such as - may be a category only after it.
        """
        column = self._columns[j]
        values, positions = distinct(column.missing.cleaned(cells, numeric=True))
        has_value = np.array([spelling(value) is not None for value in [*values, None]])[positions]
        if not has_value.any():
            return cells
        i = int(np.argmax(has_value))
        cell = values[positions[i]]
        if isinstance(cell, TIMES):
            return cells
        self._change(j, _kind_of(cell), int(rows[i]), cell)
        plain = cells.dictionary_decode() if pa.types.is_dictionary(cells.type) else cells
        return pc.if_else(pa.array(np.arange(len(plain)) >= i), plain, None).dictionary_encode()

    def widen(self, X: Any, rows: Ints) -> None:
        """Make columns of 0 and 1 numbers if these inputs have other numbers."""
        if not self._flags:
            return
        columns = {self._places[j]: j for j in self._flags}
        for place, i, value in _others(X, [*columns]):
            self._change(columns[place], Kind(NUMBER), int(rows[i]), value)
        self._flags = [j for j in self._flags if j not in self.changes]

    def _change(self, j: int, kind: Kind, row: int, cell: Any) -> None:
        column = self._columns[j]
        kind.set(column)
        warning = _warning(column, row, cell, self._first[j])
        self.changes[j] = KindChange(column.name, kind.kind, row, warning)


def _kind_of(cell: Any) -> Kind:
    """Return the kind of a column by its first value."""
    text = (as_text(cell) or "").strip()
    if truth(text) is not None or number(text) is not None:
        return Kind(NUMBER)
    found = [point for point in ".," if np.isfinite(parsed(pa.array([text]), point)).all()]
    return Kind(NUMBER, decimal="," if found == [","] else None) if found else Kind(CATEGORY)


def _others(X: Any, places: Sequence[int]) -> Iterator[tuple[int, int, float]]:
    """Yield (place, row, value) of the first other number than 0 and 1 in each of these inputs, if any."""
    if hasattr(X, "tocsr"):
        wanted = np.zeros(X.shape[1], dtype=bool)
        wanted[places] = True
        cells = np.flatnonzero(wanted[X.indices] & _is_other(X.data))
        rows = np.searchsorted(X.indptr, cells, side="right") - 1
        found, values = X.indices[cells], X.data[cells]
    else:
        part = X[:, places]
        rows, found = np.nonzero(_is_other(part))
        values, found = part[rows, found], np.asarray(places)[found]
    _, first = np.unique(found, return_index=True)
    yield from ((int(found[k]), int(rows[k]), float(values[k])) for k in first.tolist())


def _is_other(values: Any) -> Any:
    return (values != 0) & (values != 1) & ~np.isnan(values)


def _warning(column: Column, row: int, cell: Any, was: Kind) -> str:
    """Return what is to be said of a column that has just changed its kind; nothing if nothing is lost."""
    name, before = column.name, f"before data row {row:,}"
    if column.kind == CATEGORY:
        doubt = f"{name!r} has no value {before}, and {shown(cell)} there: a category from there on"
        return Message(doubt, "; if it is one, pass ", Advice("categorical", [name]))
    if was.kind == FLAG:
        doubt = f"{name!r} has 0 and 1 only {before}, and {cell:g} there: a number from there on"
        return Message(doubt, "; if it is one, pass ", Advice("numeric", [name]))
    return ""
