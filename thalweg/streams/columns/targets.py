"""Checks of the target: whether the last column has labels, and which column may have them instead."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from thalweg.errors import Advice, StreamError
from thalweg.streams.columns.column import CATEGORY, FLAG, NUMBER, Column
from thalweg.streams.columns.date_parts import PARTS
from thalweg.streams.columns.dates import find_dates
from thalweg.streams.columns.kinds import is_counter, is_identifier, plain_numbers
from thalweg.streams.columns.spellings import counted

TARGET_NAMES = {"class", "label", "target", "y", "classes", "labels", "outcome", "response"}
MAX_LABELS, MIN_ROWS_EACH = 20, 3
MOST_LOOKED = 50


def check_last(where: str, label: Column, inputs: Sequence[Column], head: list[Any]) -> None:
    """Raise StreamError if the last column, which nobody named as the target, has dates or ids."""
    why = _no_labels(label, [label.missing.cleaned(rows.column(label.name), numeric=True) for rows in head])
    if why:
        better = candidate(inputs, head)
        hint = "name the column of labels" if better is None else f"{better!r} may be the column of labels"
        what = f"{where}: the last column {label.name!r} has {why}, which are no labels; {hint}: pass "
        raise StreamError(what, Advice("target", "NAME" if better is None else better))


def _no_labels(label: Column, arrays: list[Any]) -> str:
    """Return what a column has instead of labels; nothing if these may be labels."""
    if pa.types.is_temporal(arrays[0].type):
        return "dates"
    numbers = plain_numbers(arrays)
    if numbers is not None:
        return "ids" if len(numbers) and is_counter(label.name, arrays, numbers) else ""
    if find_dates(arrays, PARTS, told=False) is not None:
        return "dates"
    return "ids" if is_identifier(counted(arrays)) else ""


def named_candidate(inputs: Sequence[Column]) -> str | None:
    """Return the first input whose name is that of a target."""
    return next((column.name for column in inputs if column.name.lower() in TARGET_NAMES), None)


def candidate(inputs: Sequence[Column], head: list[Any]) -> str | None:
    """Return the input that is most likely the target: by its name, else the last one of few values."""
    if (named := named_candidate(inputs)) is not None:
        return named
    n_rows = sum(rows.num_rows for rows in head)
    for column in reversed(inputs[-MOST_LOOKED:]):
        if column.kind in (CATEGORY, FLAG, NUMBER) and column.reader is None:
            arrays = [column.missing.cleaned(rows.column(column.name), column.is_numeric) for rows in head]
            values = counted(arrays)
            if 2 <= len(values) <= min(MAX_LABELS, n_rows / MIN_ROWS_EACH) and not _has_fractions(arrays):
                return column.name
    return None


def _has_fractions(arrays: list[Any]) -> bool:
    numbers = plain_numbers(arrays)
    return numbers is not None and bool((numbers != np.round(numbers)).any())
