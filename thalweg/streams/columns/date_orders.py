"""The order of day and month in ambiguous columns of dates, settled by the other columns of the file."""

from dataclasses import replace
from typing import Any

from thalweg.streams.columns.column import Column
from thalweg.streams.columns.dates import Dates
from thalweg.streams.columns.kinds import ColumnOptions, set_kind


def settle_date_orders(columns: list[Column], head: list[Any], options: ColumnOptions, where: str) -> None:
    """Read columns in which day and month could be swapped in the order that other columns prove.

    Nothing changes if the user names the order, or if the other columns prove none or both.
    """
    readers = [column.reader for column in columns if isinstance(column.reader, Dates)]
    proven = {reader.order for reader in readers if not reader.is_ambiguous} - {None}
    if options.date_order is not None or len(proven) != 1:
        return
    known = replace(options, date_order=proven.pop())
    for j, column in enumerate(columns):
        if isinstance(column.reader, Dates) and column.reader.is_ambiguous:
            set_kind(column, [rows.column(j) for rows in head], known, where)
