"""The order of events of a key: whole numbers, other numbers or times, as whole numbers that sort alike."""

import datetime
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from thalweg._types import Floats, Mask

WHOLE, REAL, TIME = "whole", "real", "time"
KINDS = (WHOLE, REAL, TIME)
FIRST = -(2**63)  # before all orders
MOSTLY = 0.9  # of the cells, for a column to be of a kind
TYPES = {WHOLE: pa.int64(), REAL: pa.float64(), TIME: pa.timestamp("us")}
EPOCH = datetime.datetime(1970, 1, 1)


def order_kind(column: Any) -> str | None:
    """Return the kind of a column of Arrow; None if its cells are neither numbers nor times."""
    column = _whole_column(column)
    if pa.types.is_integer(column.type):
        return WHOLE
    if pa.types.is_floating(column.type) or pa.types.is_decimal(column.type):
        values = column.cast(pa.float64(), safe=False).drop_null().to_numpy(zero_copy_only=False)
        return WHOLE if len(values) and (values % 1 == 0).all() else REAL
    if pa.types.is_timestamp(column.type) or pa.types.is_date(column.type):
        return TIME
    column = column.drop_null()
    for kind in KINDS:
        if len(column) and orders_of(column, kind)[1].mean() > MOSTLY:
            return kind
    return None


def orders_of(column: Any, kind: str) -> tuple[NDArray[np.int64], Mask]:
    """Return the orders in a column of Arrow as whole numbers that sort alike, and which cells are one."""
    column = as_ordered(column, kind)
    good = column.is_valid().to_numpy(zero_copy_only=False)
    if kind == TIME:
        column = column.cast(pa.int64())
    values = column.fill_null(0).to_numpy(zero_copy_only=False)
    if kind == REAL:
        good = good & ~np.isnan(values)
        values = _sortable(np.where(good, values, 0.0))
    return np.ascontiguousarray(values, dtype=np.int64), good & (values > FIRST)


def as_ordered(column: Any, kind: str) -> Any:
    """Return a column of Arrow with the type of its kind, null where a cell has no order."""
    column = _whole_column(column)
    is_date = pa.types.is_timestamp(column.type) or pa.types.is_date(column.type)
    if is_date != (kind == TIME) and not _is_text(column):
        return pa.nulls(len(column), TYPES[kind])
    if is_date:
        return column.cast(pa.timestamp("us", getattr(column.type, "tz", None)), safe=False).cast(TYPES[kind])
    if _is_text(column):
        column = pc.utf8_trim_whitespace(column)
    try:
        return column.cast(TYPES[kind])
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        read = _READERS[kind]
        return pa.array([_or_none(read, cell) for cell in column.to_pylist()], TYPES[kind])


def _whole_column(column: Any) -> Any:
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _is_text(column: Any) -> bool:
    return bool(pa.types.is_string(column.type) or pa.types.is_large_string(column.type))


def _sortable(values: Floats) -> NDArray[np.int64]:
    """Return floats as whole numbers of the same order: their bits, those of negative ones turned round."""
    bits = (values + 0.0).view(np.int64)
    return bits ^ ((bits >> 63) & np.int64(2**63 - 1))


def _or_none(read: Callable[[Any], Any], cell: Any) -> Any:
    try:
        return None if cell is None else read(cell)
    except (TypeError, ValueError, OverflowError):
        return None


def _whole(cell: Any) -> int:
    if isinstance(cell, str):
        try:
            found = int(cell)
        except ValueError:
            found = _whole(float(cell))
    elif cell != int(cell):
        raise ValueError("not a whole number")
    else:
        found = int(cell)
    if not FIRST < found < -FIRST:
        raise OverflowError(found)
    return found


def _time(cell: Any) -> datetime.datetime:
    found = datetime.datetime.fromisoformat(cell)
    return found if found.tzinfo is None else found.astimezone(datetime.UTC).replace(tzinfo=None)


_READERS: dict[str, Callable[[Any], Any]] = {WHOLE: _whole, REAL: float, TIME: _time}
