"""Lists of numbers and Arrow columns as a 2-d array of inputs."""

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from thalweg._types import Floats
from thalweg.service.request_error import RequestError


class InputColumns(NamedTuple):
    """The names of a model's inputs, its column of labels, and whether all inputs are numbers."""

    names: list[str]
    target: str | None
    are_numbers: bool


def as_matrix(rows: list[list[float | None]], width: int | None) -> Floats:
    """Return rows of numbers as a 2-d array, null as NaN; raise RequestError if one has another width."""
    wanted = len(rows[0]) if width is None else width
    if any(len(row) != wanted for row in rows):
        i = next(i for i, row in enumerate(rows) if len(row) != wanted)
        expected = f"the model takes {wanted}" if width is not None else f"the first row {wanted}"
        what = f"row {i} has {len(rows[i])} numbers, {expected}"
        raise RequestError("wrong_row", what, field="x", row=i)
    return np.array(rows, dtype=np.float64).reshape(len(rows), wanted)


def by_position(rows: list[list[float | None]], columns: "InputColumns | None") -> Any:
    """Return rows of numbers as a model takes them: an array, or records if not all columns are numbers."""
    if columns is None or columns.are_numbers:
        return as_matrix(rows, None if columns is None else len(columns.names))
    as_matrix(rows, len(columns.names))  # of the right width
    return [dict(zip(columns.names, row, strict=True)) for row in rows]


def table_matrix(table: Any, names: list[str]) -> Floats | None:
    """Return columns of numbers as a 2-d array, in the order of `names`; None if one is no number.

    Infinite values are left to the live model, which names them.
    """
    known = {*table.column_names}
    if not names or not known.issuperset(names):
        return None
    chosen = table.select(names)
    if not are_numbers(chosen.schema):
        return None
    try:
        parts = [batch_matrix(batch) for batch in chosen.to_batches()]
    except pa.ArrowException:  # types that have none in common
        return None
    return parts[0] if len(parts) == 1 else np.concatenate([np.empty((0, len(names))), *parts])


def are_numbers(schema: Any) -> bool:
    """Return whether all columns are numbers; the latest schema is remembered."""
    if not schema.equals(_known.schema):
        types = pa.types
        _known.schema = schema
        _known.are_numbers = all(types.is_floating(kind) or types.is_integer(kind) for kind in schema.types)
    return _known.are_numbers


def batch_matrix(batch: Any) -> Floats:
    """Return a record batch of numbers as a 2-d array, null as NaN."""
    found = batch.to_tensor(null_to_nan=True).to_numpy()
    return np.ascontiguousarray(found, dtype=np.float64)


class _Known:
    """A schema, and whether its columns are numbers."""

    def __init__(self) -> None:
        self.schema, self.are_numbers = pa.schema([]), False


_known = _Known()
