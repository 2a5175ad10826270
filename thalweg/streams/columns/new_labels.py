"""What is said of a label that first comes after many rows: it may be mistyped."""

from collections.abc import Iterable
from typing import Any

from thalweg._misspelt import meant_class
from thalweg.errors import short_repr

LATE = 100  # rows after which a label that is new is reported


def new_label_text(label: Any, n_rows: int, known: Iterable[Any]) -> str:
    """Return the report of a label that is new after `n_rows`, with the known one that it may have meant."""
    return f"the label {short_repr(label)} is new after {n_rows:,} rows{meant_class(label, known)}"
