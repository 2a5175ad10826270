"""Rows in another order than a file or a table has them, and the advice to change it."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from thalweg._types import Floats, Ints
from thalweg.errors import Advice, Message, StreamError
from thalweg.streams.columns.column import DATE, NUMBER, Column
from thalweg.streams.columns.dates import Dates, direction
from thalweg.streams.columns.kinds import ColumnOptions, is_number, set_kind
from thalweg.streams.files.arrow_files import ROWS, ArrowSource
from thalweg.streams.files.text_files import Batch, TextSource

BACKWARDS = "rows run from the newest to the oldest"


class RowOrder(NamedTuple):
    """The order of rows: of a column, with `options` to read it, or at random by a seed, or else reversed."""

    column: str | None = None
    seed: int | None = None
    options: ColumnOptions = ColumnOptions()
    is_date: bool = False
    strict: bool = True

    def of(self, n_rows: int, cells: Any, numbers: Ints, where: str) -> Ints:
        """Return the places of `n_rows` rows in this order; `cells` are those of the column.

        `numbers` are those of the rows in their file, for messages.
        """
        if self.seed is not None:
            return np.random.default_rng(self.seed).permutation(n_rows)
        if self.column is None:
            return np.arange(n_rows)[::-1]
        keys = self._keys(cells, numbers, where)
        if direction(keys) < 0:  # then so do rows of the same time
            return n_rows - 1 - np.argsort(keys[::-1], kind="stable")
        return np.argsort(keys, kind="stable")

    def _keys(self, cells: Any, numbers: Ints, where: str) -> Floats:
        """Return numbers, or the time of dates, NaN if missing; raise StreamError if these are neither."""
        column = Column(str(self.column), DATE if self.is_date else None, missing=self.options.missing)
        if not pa.types.is_float64(cells.type):
            array = self.options.missing.cleaned(cells, numeric=True)
            if column.kind is None and not pa.types.is_temporal(array.type) and is_number([array]):
                column.kind, column.is_told = NUMBER, True
            set_kind(column, [array], replace(self.options, date_parts=("elapsed",)), where)
        else:
            column.kind = NUMBER
        if column.kind not in (NUMBER, DATE):
            what = "has neither dates nor numbers to sort by; name another"
            raise StreamError(f"{where}: the column {column.name!r} {what}")
        values, problems = column.read(cells)
        if problems and self.strict:
            i, complaint = problems[0]
            raise StreamError(f"{where}, data row {numbers[i]}, column {column.name!r}: ", complaint)
        keys = np.array(values if values.ndim == 1 else values[:, 0])
        keys[[i for i, _ in problems]] = np.nan
        return keys


class OrderedSource:
    """The rows of a source in another order; each reading has all rows in memory."""

    def __init__(self, source: TextSource | ArrowSource, order: RowOrder) -> None:
        self._source, self._order = source, order
        self.share_read: float | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._source, name)

    @property
    def not_numbers(self) -> Sequence[str]:
        """Cells that stand for a missing number."""
        return self._source.not_numbers

    @not_numbers.setter
    def not_numbers(self, markers: Sequence[str]) -> None:
        self._source.not_numbers = markers

    def batches(
        self, names: Sequence[str], numeric: Collection[str] = (), last: bool = False,
        kept: Sequence[str] = (),
    ) -> Iterator[Batch]:
        """Yield batches as the source does; what is wrong with rows that do not parse comes first."""
        by = self._order.column
        read = [*names, *([] if by is None or by in names else [by])]
        numbers, rows, problems = self._all(read, numeric, last, kept)
        cells = None if by is None else rows.column(read.index(by)).combine_chunks()
        order = self._order.of(rows.num_rows, cells, numbers, self._source.name)
        wanted = [j for j in range(rows.num_columns) if not len(names) <= j < len(read)]
        rows = pa.RecordBatch.from_arrays(
            [_one_array(rows.column(j).take(order)) for j in wanted], names=[*names, *kept]
        )
        if problems:
            yield Batch(rows.slice(0, 0), numbers[:0], problems, numbers[:0])
        for start in range(0, rows.num_rows, ROWS):
            part = slice(start, start + ROWS)
            self.share_read = min(1.0, (start + ROWS) / rows.num_rows)
            places = np.arange(start, min(start + ROWS, rows.num_rows)) + 1
            yield Batch(self._coded_anew(rows.slice(start, ROWS)), numbers[order[part]], [], places)

    def _coded_anew(self, rows: Any) -> Any:
        """Return rows whose dictionaries have the order of these rows, unless the source declares them."""
        names, arrays = rows.schema.names, rows.columns
        for j, name in enumerate(names):
            if pa.types.is_dictionary(arrays[j].type) and name not in self._source.declared:
                arrays[j] = arrays[j].dictionary_decode().dictionary_encode()
        return pa.RecordBatch.from_arrays(arrays, names=names)

    def _all(
        self, names: Sequence[str], numeric: Collection[str], last: bool, kept: Sequence[str]
    ) -> tuple[Ints, Any, list[tuple[int, str]]]:
        """Return the numbers of all rows, these as a table, and what is wrong with others."""
        # A piece of a text file with a word among the numbers has text: then the column is text throughout.
        numeric = () if self._source.once else numeric
        found = list(self._source.batches(names, numeric, last, kept))
        if len({tuple(batch.rows.schema.types) for batch in found}) > 1:
            found = list(self._source.batches(names, (), last, kept))
        problems = [each for batch in found for each in batch.problems]
        if not found:
            none = [pa.array([], pa.string()) for _ in (*names, *kept)]
            return np.empty(0, np.intp), pa.Table.from_arrays(none, names=[*names, *kept]), problems
        rows = pa.Table.from_batches([batch.rows.replace_schema_metadata(None) for batch in found])
        return np.concatenate([batch.numbers for batch in found]), _joined(rows), problems


def _joined(rows: Any) -> Any:
    """Return a table with one chunk in each column, and one dictionary."""
    return rows.unify_dictionaries().combine_chunks()


def _one_array(column: Any) -> Any:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def order_of_time(inputs: Sequence[Column], head: list[Any]) -> tuple[int, str | None]:
    """Return 1 if time runs forwards by a column of dates, else -1 if backwards, else 0; and its name."""
    backwards = None
    for column in inputs:
        if not isinstance(column.reader, Dates):
            continue
        arrays = [column.missing.cleaned(rows.column(column.name), numeric=True) for rows in head]
        runs = direction(column.reader.times(arrays))
        if runs > 0:
            return 1, column.name
        backwards = column.name if runs < 0 and backwards is None else backwards
    return (0, None) if backwards is None else (-1, backwards)


def order_warnings(order: tuple[int, str | None]) -> list[str]:
    """Return a warning if time runs backwards by a column of dates and forwards by none."""
    runs, name = order
    return [Message(f"{BACKWARDS} by {name!r}: pass ", Advice("newest_first", True))] if runs < 0 else []
