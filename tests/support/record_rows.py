"""Records as rows of inputs the slow way: a block of one row in Arrow, read column by column."""

import copy

import numpy as np
import pyarrow as pa

from thalweg.streams.columns.column import side_by_side
from thalweg.streams.columns.date_layouts import ARROW
from thalweg.streams.columns.dates import Dates
from thalweg.streams.columns.decimals import Decimals


class Refused(Exception):
    """A block of one row cannot be made, or has a value that is an error."""


def array_of(value, column):
    """Return one value as an array of Arrow, of the type that the table of one row would have."""
    is_arrow_date = isinstance(column.reader, Dates) and column.reader.layouts == (ARROW,)
    if value is None:
        return pa.array([None], pa.timestamp("us") if is_arrow_date else pa.string())
    try:
        array = pa.array([value])
    except (pa.ArrowException, OverflowError, TypeError, ValueError, UnicodeEncodeError) as error:
        raise Refused(error) from None
    type = array.type
    if pa.types.is_temporal(type):
        if is_arrow_date == (column.kind == "date") and not pa.types.is_duration(type):
            return array
        raise Refused("a date in a column of text, or text in one of dates")
    if is_arrow_date:
        raise Refused("no date")
    is_number = pa.types.is_integer(type) or pa.types.is_floating(type) or pa.types.is_decimal(type)
    is_plain = column.is_plain and (is_number or pa.types.is_boolean(type))
    if is_plain or (isinstance(column.reader, Decimals) and is_number):
        return array.cast(pa.float64(), safe=False)
    try:
        return array.dictionary_encode()
    except pa.ArrowException as error:
        raise Refused(error) from None


def value_at(record, name):
    """Return the value of a column, which may be that of a nested object."""
    if name in record or "." not in name:
        return record.get(name)
    outer, _, inner = name.partition(".")
    return value_at(record.get(outer) or {}, inner)


def block_row(columns, record, learns=True):
    """Return all inputs of a record; raise Refused if a value is an error. Categories grow if `learns`."""
    parts = []
    for column in columns if learns else copy.deepcopy(columns):
        values, problems = column.read(array_of(value_at(record, column.name), column))
        if problems:
            raise Refused(problems)
        parts.append(values)
    X = side_by_side(parts, (1, sum(column.n_inputs for column in columns)))
    return (X.toarray() if hasattr(X, "toarray") else X)[0]


def are_identical(a, b):
    """Return whether numbers are the same to the last bit, where NaN is NaN."""
    return a.shape == b.shape and np.where(np.isnan(a), np.nan, a).tobytes() == np.where(
        np.isnan(b), np.nan, b
    ).tobytes()
