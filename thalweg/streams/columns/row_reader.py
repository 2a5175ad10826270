"""One record, a dict of raw values, as a row of inputs: what a block of one row becomes, much faster."""

from collections.abc import Mapping, Sequence
from typing import Any

from thalweg._types import Floats
from thalweg.streams.columns import date_layouts
from thalweg.streams.columns._native.categories import CategoryCell
from thalweg.streams.columns._native.cell import Cell
from thalweg.streams.columns._native.dates import DateCell
from thalweg.streams.columns._native.decimals import DecimalCell
from thalweg.streams.columns._native.numbers import EmptyCell, NumberCell
from thalweg.streams.columns._native.row import RowKernel
from thalweg.streams.columns._native.words import WordsCell
from thalweg.streams.columns.codes import MISSING_TEXT, MOST_TEXT, spelling
from thalweg.streams.columns.column import CATEGORY, FLAG, NUMBER, Column
from thalweg.streams.columns.date_layouts import Layout
from thalweg.streams.columns.dates import Dates
from thalweg.streams.columns.decimals import Decimals
from thalweg.streams.columns.missing import NOT_NUMBERS
from thalweg.streams.columns.number_text import MONEY
from thalweg.streams.columns.words import Words

MOST_LAYOUTS = 16  # in which one column has its dates
MOST_WORDS = 4096  # inputs of a text: beyond them, sparse rows are better
_NOT_NUMBERS, _NO_TEXTS = frozenset(NOT_NUMBERS), frozenset(MISSING_TEXT)


class RowReader:
    """Reads records into the inputs of columns whose kinds and readers are known, as those of an open stream.

    It answers with what a block of one row would give, bit for bit, or with None for a record that has a
    value it does not know how to read: a block of one row then reads it, or says what is wrong with it.
    New categories may be added to the columns elsewhere too; after any other change of a column, make a new
    reader.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        names, codes = [column.name for column in columns], [column.codes for column in columns]
        self._kernel = RowKernel(names, [_cell(column) for column in columns], codes, MOST_TEXT)

    def __reduce__(self) -> tuple[Any, ...]:
        return RowReader, (self._columns,)

    def read(self, record: Mapping[str, Any], learns: bool) -> Floats | None:
        """Return all inputs of one record as a new array; None if a value is not read here.

        A value that is absent is missing; of a column `outer.inner`, it may be the value `inner` of an object
        `outer`. What is in no column is ignored. A new category gets the next code, and keeps it if `learns`;
        without it, records may be read in several threads at once.
        """
        return self._kernel.read(record, learns)


def _cell(column: Column) -> Cell:
    """Return what reads one value of a column; a plain Cell reads none."""
    reader, missing = column.reader, column.missing
    if column.is_empty:
        return EmptyCell(missing, _NOT_NUMBERS, False)
    if column.kind in (NUMBER, FLAG) and reader is None:
        return NumberCell(missing, _NOT_NUMBERS, column.kind == FLAG)
    if isinstance(reader, Decimals):
        return DecimalCell(missing, _NOT_NUMBERS, reader.point, MONEY)
    if column.kind == CATEGORY and reader is None:
        return CategoryCell(missing, column.codes.spelling, column.codes.by_spelling)
    if isinstance(reader, Dates):
        is_arrow = reader.layouts == (date_layouts.ARROW,)
        known = [LAYOUTS[layout] for layout in reader.layouts if layout in LAYOUTS]
        if is_arrow or len(known) == len(reader.layouts) <= MOST_LAYOUTS:
            return DateCell(missing, _NOT_NUMBERS, known, reader.parts, reader.origin)
    if isinstance(reader, Words) and 1 <= reader.n <= MOST_WORDS:
        return WordsCell(reader.n, missing, spelling, _NO_TEXTS)
    return Cell(column.n_inputs, missing)


def _layouts() -> dict[Layout, tuple[str, str, int]]:
    """Return the order, the mark and the digits of the year of each layout of text."""
    both = "day month year", "month day year"
    compact, *short, _ = date_layouts.SHORT_LAYOUTS
    found = {
        date_layouts.YEAR_FIRST: ("year month day", "", 4),
        date_layouts.YEAR_SHORT: ("year month day", "", 2),
        date_layouts.DAY_NAMED: ("day name year", "", 4),
        date_layouts.MONTH_NAMED: ("name day year", "", 4),
        date_layouts.CLOCK: ("time", "", 0),
        date_layouts.NUMBER: ("since 1970", "", 0),
        compact: ("digits", "", 4),
    }
    groups = [((date_layouts.DAY_FIRST, date_layouts.MONTH_FIRST), "", 4), (short, "", 2)]
    groups += zip(date_layouts.ORDERS, "./-", [4] * 3, strict=True)
    groups += zip(date_layouts.SHORT_ORDERS, "./-", [2] * 3, strict=True)
    for layouts, mark, n_year in groups:
        found |= {layout: (order, mark, n_year) for layout, order in zip(layouts, both, strict=True)}
    return found


LAYOUTS = _layouts()
