"""Sparse rows of a text file: some cells, and a default for all others."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from thalweg._types import Floats, Ints
from thalweg.streams.columns.codes import MISSING_TEXT, number
from thalweg.streams.columns.column import Problems, shown
from thalweg.streams.files._native.sparse_cells import NOT_SPARSE, UNCLOSED, sparse_cells
from thalweg.streams.files.quotes import UNCLOSED as UNCLOSED_TEXT
from thalweg.streams.files.quotes import VALUE

IS_TEXT, IS_NUMBER, IS_QUOTED = 0, 1, 2
ESCAPED = re.compile(r"\\(.)", re.S)


class SparseTable:
    """Rows of which the file has some cells only; it has the methods of a record batch that are used.

    `names` are the columns to read, `places` the number of each column of the file, and `defaults` the values
    of cells that the file leaves out. Of each cell there is its row, column and number (NaN if missing), its
    bytes in `text`, and whether it is a number, a text or a text in quotes.
    """

    def __init__(self, text: bytes, names: Sequence[str], places: dict[str, int], defaults: Sequence[str],
                 starts: Ints, cells: tuple[Any, ...]) -> None:
        self.text, self.names, self.places, self.defaults = text, names, places, defaults
        self.starts = starts
        self.columns, self.numbers, self.kinds, self.spans = cells
        self.num_rows = len(starts) - 1

    @property
    def nbytes(self) -> int:
        """How much memory it has."""
        return len(self.text) + sum(each.nbytes for each in (self.columns, self.numbers, self.spans))

    @cached_property
    def rows(self) -> Ints:
        """The row of each cell."""
        return np.repeat(np.arange(self.num_rows), np.diff(self.starts))

    def slice(self, start: int, length: int) -> "SparseTable":
        """Return some of the rows."""
        starts = self.starts[start : start + length + 1]
        part = slice(int(starts[0]), int(starts[-1]))
        cells = self.columns[part], self.numbers[part], self.kinds[part], self.spans[part]
        return SparseTable(self.text, self.names, self.places, self.defaults, starts - starts[0], cells)

    def take(self, rows: Any) -> "SparseTable":
        """Return the rows at these places."""
        rows = np.asarray(rows)
        lengths = np.diff(self.starts)[rows]
        starts = np.append(0, np.cumsum(lengths))
        part = np.repeat(self.starts[rows] - starts[:-1], lengths) + np.arange(starts[-1])
        cells = self.columns[part], self.numbers[part], self.kinds[part], self.spans[part]
        return SparseTable(self.text, self.names, self.places, self.defaults, starts, cells)

    def texts(self, cells: Ints) -> list[str]:
        """Return the text of some cells."""
        text, quoted = self.text, (self.kinds[cells] == IS_QUOTED).tolist()
        found = [text[first:last].decode() for first, last in self.spans[cells].tolist()]
        if not any(quoted) or b"\\" not in text:
            return found
        return [ESCAPED.sub(r"\1", each) if q else each for each, q in zip(found, quoted, strict=True)]

    def column(self, key: str | int) -> Any:
        """Return a column in full, as text; `key` is its name or its place in `names`."""
        place = self.places[self.names[key] if isinstance(key, int) else key]
        cells = np.flatnonzero(self.columns == place)
        positions = np.zeros(self.num_rows, dtype=np.intp)
        positions[self.rows[cells]] = np.arange(1, len(cells) + 1)
        texts = texts_array([self.defaults[place], *self.texts(cells)])
        return texts.take(pa.array(positions)).dictionary_encode()

    def no_numbers(self) -> set[int]:
        """Return the columns of the file with a text that is neither a number nor missing."""
        odd = np.flatnonzero(self.kinds != IS_NUMBER)
        texts = zip(self.columns[odd].tolist(), self.texts(odd), strict=True)
        return {column for column, text in texts if number(text) is None and text not in MISSING_TEXT}

    def words(self, numbers: Sequence[float]) -> Counter[tuple[str, str]]:
        """Count the (column, text) of cells that are no numbers, or one of `numbers`."""
        odd = (self.kinds != IS_NUMBER) | np.isnan(self.numbers) | np.isin(self.numbers, numbers)
        cells, names = np.flatnonzero(odd), {place: name for name, place in self.places.items()}
        columns = [names[place] for place in self.columns[cells].tolist()]
        return Counter(zip(columns, map(str.strip, self.texts(cells)), strict=True))

    def n_cells(self) -> Ints:
        """Return in how many rows the file has a cell of each column."""
        return np.bincount(self.columns, minlength=len(self.defaults))


def known_numbers(head: Sequence[Any]) -> set[str]:
    """Return the names of columns that have only numbers in first rows, if these are sparse; else none."""
    if not all(isinstance(rows, SparseTable) for rows in head):
        return set()
    others = set().union(*(rows.no_numbers() for rows in head))
    places, defaults = head[0].places, head[0].defaults
    return {name for name, j in places.items() if j not in others and number(defaults[j]) is not None}


def may_be_same(head: Sequence[Any], names: Sequence[str], label: str) -> list[str]:
    """Return the columns of these names that may tell the label in first rows, if these are sparse; else all.

    Rows without a cell of such a column have one label, so most rows have a cell of it.
    """
    if not all(isinstance(rows, SparseTable) for rows in head):
        return list(names)
    labels = pa.concat_arrays([rows.column(label).cast(pa.string()) for rows in head]).drop_null()
    counts = labels.value_counts().field("counts").to_numpy() if len(labels) else np.zeros(1)
    n_cells = np.sum([rows.n_cells() for rows in head], axis=0)
    places = head[0].places
    return [name for name in names if n_cells[places[name]] >= counts.sum() - counts.max()]


def texts_array(texts: list[str]) -> Any:
    """Return texts as an Arrow array, null if missing."""
    return pa.array([None if text in MISSING_TEXT else text for text in texts], pa.string())


def parsed(piece: bytes, names: Sequence[str], places: dict[str, int],
           defaults: Sequence[str]) -> tuple[SparseTable, Problems]:
    """Return the rows of a piece of text, and (number, message) of those that cannot be read."""
    starts, *cells, in_order, bad = sparse_cells(piece, len(defaults))
    if any(why == NOT_SPARSE for _, why, _, _ in bad):
        piece = _all_sparse(piece, bad, len(defaults))
        starts, *cells, in_order, bad = sparse_cells(piece, len(defaults))
    if not in_order:
        starts, cells = _in_order(starts, cells)
    problems = [(n, _complaint(piece[i:j], why, len(defaults))) for n, why, i, j in bad]
    return SparseTable(piece, names, places, defaults, starts, tuple(cells)), problems


def _all_sparse(piece: bytes, bad: list[list[int]], n_columns: int) -> bytes:
    """Write as sparse rows those that are not, but have a cell for each column."""
    parts, done = [], 0
    for _, why, first, last in bad:
        line = piece[first:last].decode("utf-8", "replace")
        found = [cell.strip() or "?" for cell in VALUE.findall(line + ",")[:-1]]
        if why == NOT_SPARSE and len(found) == n_columns:
            sparse = ",".join(f"{j} {cell}" for j, cell in enumerate(found))
            parts += [piece[done:first], f"{{{sparse}}}".encode()]
            done = last
    return b"".join([*parts, piece[done:]])


def _in_order(starts: Ints, cells: list[Any]) -> tuple[Ints, list[Any]]:
    """Sort the cells of each row by columns; of several in one column the last one counts."""
    rows, columns = np.repeat(np.arange(len(starts) - 1), np.diff(starts)), cells[0]
    order = np.lexsort((columns, rows))
    rows, columns = rows[order], columns[order]
    is_last = np.append((rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1]), True)[: len(order)]
    starts = np.append(0, np.cumsum(np.bincount(rows[is_last], minlength=len(starts) - 1)))
    return starts.astype(np.intp), [each[order[is_last]] for each in cells]


def _complaint(line: bytes, why: int, n_columns: int) -> str:
    text = line.decode("utf-8", "replace")
    if why == UNCLOSED:
        return UNCLOSED_TEXT.format(shown(text))
    short = text if len(text) <= 60 else text[:57] + "..."
    if why == NOT_SPARSE or text.count(",") + 1 != n_columns:
        return f": {text.count(',') + 1} columns instead of {n_columns}: {short!r}"
    return f": it is no sparse row of positions from 0 to {n_columns - 1} and values: {short!r}"


def floats_of(texts: list[str]) -> Floats:
    """Return texts as numbers, NaN where one is none."""
    return np.array([np.nan if (value := number(text)) is None else value for text in texts])
