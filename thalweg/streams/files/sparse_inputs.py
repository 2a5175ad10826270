"""The inputs of sparse rows, read without making them dense."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from thalweg._types import Floats, Ints
from thalweg.errors import Message
from thalweg.streams.columns.codes import MISSING, MISSING_TEXT, UNKNOWN, number
from thalweg.streams.columns.column import CATEGORY, Column, Problems
from thalweg.streams.files.sparse_table import IS_NUMBER, SparseTable, floats_of, texts_array

UNUSED, NUMBERS, CATEGORIES = 0, 1, 2


class SparseInputs:
    """Reads the columns `inputs` of sparse rows, in which cells that are left out have these `defaults`.

    A column whose default becomes 0 is read from the cells of the file alone; any other one is read in full.
    """

    def __init__(self, inputs: Sequence[Column], places: dict[str, int], defaults: Sequence[str]) -> None:
        ends = np.cumsum([column.n_inputs for column in inputs])
        self.n_features = int(ends[-1])
        self._inputs = list(inputs)
        self._kinds = np.full(len(defaults), UNUSED, dtype=np.int8)
        self._targets = np.zeros(len(defaults), dtype=np.int32)
        self._numbers: dict[int, int] = {}  # of an input, by its place in the file
        self._in_full: list[int] = []
        self._ends = ends
        for j, column in enumerate(inputs):
            place = places[column.name]
            self._numbers[place], self._targets[place] = j, ends[j] - column.n_inputs
            self._kinds[place] = _kind(column, defaults[place])
            if self._kinds[place] == UNUSED:
                self._in_full.append(j)

    def read(self, rows: SparseTable) -> tuple[Any, Problems]:
        """Return rows × inputs as a sparse matrix, and a list of (position, error message)."""
        kinds = self._kinds[rows.columns]
        values, wrong = self._values(rows, kinds)
        used = kinds != UNUSED
        starts = np.append(0, np.cumsum(used))[rows.starts]
        places = self._targets[rows.columns[used]]
        X = csr_array((values[used], places, starts), shape=(rows.num_rows, self.n_features))
        X.sort_indices()
        for j in self._in_full:
            column = self._inputs[j]
            part, bad = column.read(rows.column(column.name))
            part = csr_array(part if part.ndim == 2 else part[:, None])
            shape, first = (rows.num_rows, self.n_features), int(self._ends[j]) - column.n_inputs
            X = X + csr_array((part.data, part.indices + first, part.indptr), shape=shape)
            wrong += [(j, i, complaint) for i, complaint in bad]
        wrong.sort(key=lambda each: each[0])
        return X, [(i, Message(f", column {self._inputs[j].name!r}: ", why)) for j, i, why in wrong]

    def _values(self, rows: SparseTable, kinds: Any) -> tuple[Floats, list[tuple[int, int, str]]]:
        """Return the value of each cell, and (input, position, error message) of those that are wrong."""
        values = rows.numbers.copy()
        odd = np.flatnonzero((rows.kinds != IS_NUMBER) & (kinds == NUMBERS))
        texts = rows.texts(odd)
        values[odd] = floats_of(texts)
        numbers = kinds == NUMBERS
        values[numbers] = self._inputs[0].missing.without_numbers(values[numbers])
        is_bad = np.zeros(len(values), dtype=bool)
        is_missing = np.array([text in MISSING_TEXT for text in texts], dtype=bool)
        is_bad[odd] = ~np.isfinite(values[odd]) & ~is_missing
        cells = np.flatnonzero(kinds == CATEGORIES)
        values[cells] = self._codes(rows, cells)
        is_bad[cells] = values[cells] == UNKNOWN
        wrong = []
        bad = np.flatnonzero(is_bad)
        for cell, text in zip(bad.tolist(), rows.texts(bad), strict=True):
            j = self._numbers[int(rows.columns[cell])]
            found, problems = self._inputs[j].read(texts_array([text]).dictionary_encode())
            values[cell] = found[0]
            wrong += [(j, int(rows.rows[cell]), complaint) for _, complaint in problems]
        return values, wrong

    def _codes(self, rows: SparseTable, cells: Ints) -> Floats:
        """Return the codes of cells of categories, NaN if missing."""
        known: dict[tuple[int, str], float] = {}
        pairs = list(zip(rows.columns[cells].tolist(), rows.texts(cells), strict=True))
        for pair in set(pairs):
            place, text = pair
            column = self._inputs[self._numbers[place]]
            code = float(column.codes.of([text])[0]) if column.missing.kept([text]) else MISSING
            known[pair] = np.nan if code == MISSING else code
        return np.array([known[pair] for pair in pairs])


def _kind(column: Column, default: str) -> int:
    """Return how to read a column from the cells of the file; UNUSED if these are not enough."""
    if column.is_plain and number(default) == 0 and not column.is_boolean:
        return NUMBERS
    if column.kind == CATEGORY and column.reader is None and not column.codes.grows:
        return CATEGORIES if column.codes.of([default])[0] == 0 else UNUSED
    return UNUSED
