"""Decimal points of ambiguous columns, settled by the other columns of the file."""

from dataclasses import replace
from typing import Any

import pyarrow.compute as pc

from thalweg.streams.columns.column import NUMBER, Column, texts_in
from thalweg.streams.columns.decimals import Decimals
from thalweg.streams.columns.kinds import ColumnOptions, has_points, set_kind
from thalweg.streams.columns.number_text import are_numbers


def settle_decimal_points(columns: list[Column], head: list[Any], options: ColumnOptions, where: str) -> None:
    """Read columns that fit a decimal comma and a decimal point as the others in the file are read.

    1.621 is a thousand beside 95,38. Nothing changes if the user names the decimal point, or if the other
    columns tell none or both. Amounts of money follow other decorated numbers only: plain ones may be
    written by a program, and money has no three decimals.
    """
    readers = [column.reader for column in columns if isinstance(column.reader, Decimals)]
    if options.decimal is not None or not any(each.is_ambiguous or each.point == "," for each in readers):
        return
    decorated = {reader.point for reader in readers if reader.is_certain}
    either, has_plain_points = [], False
    for j, column in enumerate(columns):
        if isinstance(column.reader, Decimals):
            either += [j] if column.reader.is_ambiguous else []
        elif column.kind == NUMBER and not column.has_points:
            arrays = [column.missing.cleaned(rows.column(j), numeric=True) for rows in head]
            if has_points(arrays) and pc.all(are_numbers(texts_in(arrays), ",")).as_py():
                either.append(j)
            else:
                has_plain_points = has_plain_points or has_points(arrays)
    for j in either:
        points = decorated | ({"."} if has_plain_points and not _is_money(columns[j]) else set())
        if len(points) == 1:
            arrays = [rows.column(j) for rows in head]
            set_kind(columns[j], arrays, replace(options, decimal=points.pop()), where)


def _is_money(column: Column) -> bool:
    reader = column.reader
    return isinstance(reader, Decimals) and reader.decoration.units not in ((), ("%",))
