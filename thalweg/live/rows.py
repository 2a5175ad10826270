"""Rows of requests in their various forms: how many there are, some of them, their labels."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from thalweg._frames import frame_names
from thalweg.live.errors import RowError
from thalweg.model import Model


def number_of_rows(rows: Any) -> int:
    """Return the number of rows; a dict is one."""
    if isinstance(rows, dict):
        return 1
    if isinstance(rows, str | bytes) or not hasattr(rows, "__len__"):
        raise RowError(f"expected a list of records, a 2-d array or a table, got a {type(rows).__name__}")
    return len(rows)


def chosen_rows(rows: Any, places: Sequence[int]) -> Any:
    """Return some of the rows, in the same form."""
    if isinstance(rows, dict):
        return [rows][: len(places)]
    if isinstance(rows, list | tuple):
        return [rows[i] for i in places]
    if isinstance(rows, np.ndarray):
        return rows[list(places)]
    if hasattr(rows, "iloc"):
        return rows.iloc[list(places)]
    if hasattr(rows, "take"):  # a table of Arrow
        return rows.take(np.array(places, dtype=np.int64))
    return rows[list(places)]


def label_list(labels: Any) -> list[Any]:
    """Return labels as a list; a text is one label, not as many as it has characters."""
    if getattr(labels, "ndim", 1) == 0:
        return [labels.item()]
    return [labels] if isinstance(labels, str | bytes) or not isinstance(labels, Iterable) else list(labels)


def with_labels(rows: Any, labels: Any, model: Model) -> tuple[Any, list[Any]]:
    """Return rows and their labels, which are in the target column of records if `labels` is None."""
    if labels is not None:
        return rows, label_list(labels)
    target = model._coding.target if model._begun else model.target
    if isinstance(rows, dict):
        rows = [rows]
    if isinstance(rows, list) and isinstance(target, str):
        found = [row.get(target) if isinstance(row, dict) else None for row in rows]
        return rows, found
    if frame_names(rows) is not None and isinstance(target, str):
        return rows, list(rows[target].to_pylist() if hasattr(rows[target], "to_pylist") else rows[target])
    raise RowError("there are no labels: give them beside the rows", None, "label")
