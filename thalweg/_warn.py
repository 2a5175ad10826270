"""Warnings that point at the line outside this library."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from thalweg.errors import ColumnWarning, RowWarning, set_rows_learned


def warn(text: str, kind: type[Warning] = ColumnWarning) -> None:
    """Warn of columns or rows, at the line outside this library that called it."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("thalweg."):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, kind, stacklevel=level)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep back the warnings of this library: what is done here is done again, and warns then."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ColumnWarning)
        yield


def warn_of_rows(text: str, n_learned: int) -> None:
    """Warn of rows that were learned; the warning as an error says how many."""
    try:
        warn(text, RowWarning)
    except RowWarning as error:
        set_rows_learned(error, n_learned)
        raise
