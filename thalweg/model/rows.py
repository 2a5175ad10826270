"""The rows and ids that a model is given, in the few forms that it works with."""

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

import numpy as np

from thalweg._frames import frame_names
from thalweg.streams.foreign import is_stream
from thalweg.waiting import plain_ids


def as_rows(source: Any, labels: Any = None) -> tuple[Any, Any]:
    """Return rows, and their labels or None.

    A Series or another mapping is one record; an iterable of records, or of pairs of a record and its label,
    is read into a list. Anything else is returned as it is.
    """
    if isinstance(source, str | PathLike | np.ndarray) or is_frame(source) or is_stream(source):
        return source, labels
    if hasattr(source, "to_dict") and hasattr(source, "iloc"):  # a Series of pandas
        source = source.to_dict()
    if isinstance(source, Mapping):
        one = labels is not None and (isinstance(labels, str) or not hasattr(labels, "__len__"))
        return dict(source), [labels] if one else labels
    if isinstance(source, Iterable) and not isinstance(source, list | tuple) and not hasattr(source, "tocsr"):
        source = list(source)
    if labels is None and _are_pairs(source):
        return [dict(x) for x, _ in source], [y for _, y in source]
    return source, labels


def is_frame(source: Any) -> bool:
    """Return whether this is a frame."""
    return frame_names(source) is not None


def as_ids(ids: Any) -> list[Any] | None:
    """Return ids as a list of int and str; one alone is a list of one."""
    if ids is None:
        return None
    if isinstance(ids, np.ndarray):
        return plain_ids(np.atleast_1d(ids).tolist(), "Model")
    if hasattr(ids, "to_pylist"):  # an array of Arrow
        ids = ids.to_pylist()
    is_one = isinstance(ids, str | bytes) or not isinstance(ids, Iterable)
    return plain_ids([ids] if is_one else list(ids), "Model")


def is_empty(source: Any) -> bool:
    """Return whether this is a list, an array or a frame without rows."""
    is_table = isinstance(source, list | tuple | np.ndarray) or is_frame(source)
    return is_table and hasattr(source, "__len__") and len(source) == 0


def _are_pairs(source: Any) -> bool:
    first = source[0] if isinstance(source, list | tuple) and len(source) else None
    return isinstance(first, tuple) and len(first) == 2 and isinstance(first[0], Mapping)
