"""Cells of later rows, each read by itself: what else is read with it changes nothing.

A file has one way to write its numbers and dates, which its first rows show. Records that come later may be
few, and from elsewhere: a cell that is not written as the column is known to be is read in another way, if
that has one meaning only.
"""

from typing import Any

import numpy as np
import pyarrow as pa

from thalweg._native.calendar import date_inputs
from thalweg._types import Floats, Ints
from thalweg.streams.columns import date_layouts
from thalweg.streams.columns.codes import Codes
from thalweg.streams.columns.column import DATE, FLAG, NUMBER, Column, Problems, as_text
from thalweg.streams.columns.date_layouts import Layout
from thalweg.streams.columns.dates import Dates, moments_of_texts
from thalweg.streams.columns.decimals import Decimals
from thalweg.streams.columns.number_text import parsed

UNMISTAKABLE = (date_layouts.YEAR_FIRST, date_layouts.DAY_NAMED, date_layouts.MONTH_NAMED)


def read_later(column: Column, array: Any) -> tuple[Any, Problems]:
    """Do what `Column.read` does; read cells that do not fit in other ways."""
    values, problems = column.read(array)
    if not problems or column.kind not in (NUMBER, FLAG, DATE):
        return values, problems
    places = np.array([i for i, _ in problems])
    texts = pa.array([(as_text(array[i].as_py()) or "").strip() for i in places.tolist()], pa.string())
    found, is_good = _read(column, texts)
    values = values.copy()
    values[places[is_good]] = found[is_good]
    return values, [problem for problem, good in zip(problems, is_good.tolist(), strict=True) if not good]


def _read(column: Column, texts: Any) -> tuple[Floats, Any]:
    """Return values of texts, and which of them could be read."""
    if isinstance(column.reader, Dates):
        return _dates(column.reader, texts)
    if column.kind == FLAG:
        codes: Ints = Codes([False, True], match="yes/no").of(texts.to_pylist())
        return codes.astype(float), codes >= 0
    point = column.reader.point if isinstance(column.reader, Decimals) else "."
    numbers = parsed(texts, "," if point == "." else ".")
    return column.missing.without_numbers(numbers), np.isfinite(numbers)


def _dates(known: Dates, texts: Any) -> tuple[Floats, Any]:
    layouts: tuple[Layout, ...] = UNMISTAKABLE
    if known.layouts == (date_layouts.ARROW,):  # text was never seen: the order of day and month is a guess
        layouts = (*UNMISTAKABLE, date_layouts.DAY_FIRST, date_layouts.MONTH_FIRST)
    if known.parts == ("time",):
        layouts = (*layouts, date_layouts.CLOCK)
    moments = moments_of_texts(texts, layouts)
    X = date_inputs(moments.wall, moments.utc, known.origin, known.parts)
    return X, ~np.isnan(moments.wall)
