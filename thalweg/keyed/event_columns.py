"""Events as a table of Arrow: which columns are what, and how they become rows that a bank learns.

The coding is frozen: what a cell becomes depends on nothing but the cell. A category that was not there when
the columns were found gets the code after the last one, whichever it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from thalweg._types import Floats, Ints, Mask
from thalweg.errors import StreamError, first_of
from thalweg.keyed.key_texts import as_texts, key_texts
from thalweg.keyed.orders import as_ordered, orders_of
from thalweg.streams.columns.class_codes import ClassCodes
from thalweg.streams.columns.codes import MISSING, UNKNOWN, length_problem
from thalweg.streams.columns.column import CATEGORY, TEXT, Column, coded, distinct, shown, side_by_side
from thalweg.streams.columns.later_cells import read_later
from thalweg.streams.files.arrow_files import _array
from thalweg.streams.files.coding import Coding

PROBLEM = "_problem"  # a column of texts: why an event cannot be read, null if it can


class Events(NamedTuple):
    """A batch of events: for each its key, order, row, label (-1 if missing), weight and id (None if none).

    `problems` says of some events, by their position, why they cannot be used. `is_blank` are those without
    any input.
    """

    keys: Any
    orders: Ints
    X: Floats
    codes: Ints
    weights: Floats
    ids: list[str | None] | None
    is_blank: Mask
    problems: dict[int, str]
    cells: dict[str, Any]


@dataclass(frozen=True)
class Roles:
    """The names of the columns that are no inputs."""

    key: tuple[str, ...]
    order: str
    order_kind: str
    id: str | None = None
    weight: str | None = None
    keep: tuple[str, ...] = ()


class EventColumns:
    """Reads tables of events into rows, labels and orders, cell by cell."""

    def __init__(self, coding: Coding, roles: Roles) -> None:
        self.coding, self.roles = coding, roles
        self.target = coding.target
        self.classes = coding.classes
        self._columns = [_frozen(column) for column in coding.columns]
        self._grows = [column.codes.grows for column in coding.columns]
        self._labels = ClassCodes(coding.classes.tolist(), match=coding.labels.match)
        self.n_categories = np.array([n for each in self._columns for n in each.n_categories], dtype=np.intp)
        self.names = [name for column in self._columns for name in column.inputs]
        self._is_text = np.array([each.kind == TEXT for each in self._columns for _ in range(each.n_inputs)])

    @property
    def inputs(self) -> list[str]:
        """Names of the columns that are inputs."""
        return [column.name for column in self._columns]

    @property
    def used(self) -> set[str]:
        """Names of all columns that are read."""
        roles = self.roles
        own = {*roles.key, roles.order, roles.id, roles.weight, *roles.keep, self.target}
        return {name for name in (*own, *self.inputs) if name is not None}

    @property
    def numeric(self) -> set[str]:
        """Names of the columns that can be read from a text file as numbers at once."""
        return {column.name for column in self._columns if column.is_plain}

    def read(self, table: Any) -> Events:
        """Return a table as events; raise StreamError if it lacks a column that is needed."""
        roles, n = self.roles, table.num_rows
        self._check(table.column_names)
        problems: dict[int, str] = {}
        orders, has_order = orders_of(table.column(roles.order), roles.order_kind)
        X = self.rows(table, problems)
        codes = self._codes(table, problems)
        weights = self._weights(table, problems)
        for i in np.flatnonzero(~has_order).tolist():
            problems[i] = f"column {roles.order!r}: no order ({roles.order_kind})"
        if PROBLEM in table.column_names:
            told = table.column(PROBLEM).to_pylist()
            problems |= {i: problem for i, problem in enumerate(told) if problem is not None}
        ids = None
        if roles.id is not None and roles.id in table.column_names:
            ids = as_texts(_cells(table, roles.id, problems)).to_pylist()
        is_blank = np.zeros(n, bool) if ids is None else self._blank(X)
        cells = {name: table.column(name) for name in (*roles.key, *roles.keep)}
        cells[roles.order] = as_ordered(table.column(roles.order), roles.order_kind)
        keys = key_texts([table.column(name) for name in roles.key])
        return Events(keys, orders, X, codes, weights, ids, is_blank, problems, cells)

    def _check(self, names: Sequence[str]) -> None:
        needed = (*self.roles.key, self.roles.order, *self.roles.keep)
        missing = [name for name in needed if name not in names]
        if not missing and not set(self.inputs) & set(names):
            missing = [] if {self.roles.id, self.target} <= set(names) else self.inputs
        if missing:
            there = first_of([*map(repr, names)], 10)
            raise StreamError(f"Operator: the events have no column {missing[0]!r}, but {there}")

    def rows(self, table: Any, problems: dict[int, str]) -> Floats:
        """Return the inputs of a table, missing for columns that are not there; add to the problems."""
        n, parts = table.num_rows, []
        for column, grows in zip(self._columns, self._grows, strict=True):
            if column.name in table.column_names:
                cells = _array(_cells(table, column.name, problems), column.is_plain)
                if column.kind == CATEGORY:
                    values, wrong = _categories(column, cells, grows)
                else:
                    values, wrong = read_later(column, cells)
            else:
                shape = n if column.n_inputs == 1 else (n, column.n_inputs)
                values, wrong = np.full(shape, 0.0 if column.kind == TEXT else np.nan), []
            parts.append(values)
            problems |= {i: f"column {column.name!r}: {why}" for i, why in reversed(wrong)}
        X = side_by_side(parts, (n, len(self.names)))
        X = X.toarray() if hasattr(X, "toarray") else X
        return np.ascontiguousarray(X, dtype=np.float64)

    def _blank(self, X: Floats) -> Mask:
        empty = np.where(self._is_text, X == 0, np.isnan(X))
        return np.asarray(empty.all(axis=1))

    def _codes(self, table: Any, problems: dict[int, str]) -> Ints:
        if self.target is None or self.target not in table.column_names:
            return np.full(table.num_rows, MISSING, dtype=np.intp)
        cells = _array(_cells(table, self.target, problems), False)
        cells = self.coding.missing.cleaned(cells, numeric=False)
        known = first_of([*map(str, self._labels.values)], 5)
        codes, wrong = coded(cells, self._labels, f"is not one of the labels {known}")
        problems |= {i: f"column {self.target!r}: {why}" for i, why in wrong}
        return np.ascontiguousarray(codes, dtype=np.intp)

    def _weights(self, table: Any, problems: dict[int, str]) -> Floats:
        name = self.roles.weight
        if name is None or name not in table.column_names:
            return np.ones(table.num_rows)
        cells = _array(_cells(table, name, problems), True)
        values, wrong = read_later(Column(name, "number"), cells)
        values = np.where(np.isnan(values), 1.0, values)
        wrong += [(i, f"{values[i]:g} is no weight") for i in np.flatnonzero(values < 0).tolist()]
        problems |= {i: f"column {name!r}: {why}" for i, why in wrong}
        return np.where(values > 0, values, 0.0)


def _cells(table: Any, name: str, problems: dict[int, str]) -> Any:
    """Return a column as one array; lists and the like are missing, and problems."""
    cells = table.column(name)
    cells = cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
    if not pa.types.is_nested(cells.type):
        return cells
    why = f"column {name!r}: a {cells.type} is not one value"
    problems |= dict.fromkeys(np.flatnonzero(cells.is_valid().to_numpy(zero_copy_only=False)).tolist(), why)
    return pa.nulls(len(cells), pa.string())


def _frozen(column: Column) -> Column:
    codes = column.codes.copy()
    codes.grows = False
    return replace(column, codes=codes)


def _categories(column: Column, cells: Any, grows: bool) -> tuple[Floats, list[tuple[int, str]]]:
    """Return the codes of categories; new ones are the one after the last, if there may be new ones."""
    if not grows:
        return column.read(cells)
    values, positions = distinct(column.missing.cleaned(cells, False))
    codes = np.append(column.codes.of(values), MISSING)
    new = np.flatnonzero(codes == UNKNOWN).tolist()
    too_long = {place: why for place in new if (why := length_problem(values[place])) is not None}
    codes[new] = len(column.codes)
    problems = [
        (i, f"{shown(values[place])} {too_long[place]}")
        for i, place in enumerate(positions.tolist() if too_long else ())
        if place in too_long
    ]
    return np.where(codes < 0, np.nan, codes)[positions], problems
