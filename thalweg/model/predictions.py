"""Tables of predictions, of the kind of the rows they are for."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._frames import frame_names
from thalweg._native.argmax import likeliest
from thalweg._types import Floats, Ints
from thalweg.streams.files.tables import is_records


def prediction_columns(
    p: Floats, classes: NDArray[Any], probabilities: bool = True, answers: Ints | None = None
) -> dict[str, Any]:
    """Return the columns of a table: the label, its probability and, unless told not, that of each class.

    `answers` are the codes of the labels, if these may not be the most probable ones.
    """
    best = likeliest(p) if answers is None else answers
    columns = {"prediction": classes[best], "probability": p[np.arange(len(p)), best]}
    names = [f"p_{label}" for label in classes.tolist()]
    return columns | (dict(zip(names, p.T, strict=True)) if probabilities else {})


def as_given(columns: dict[str, Any], rows: Any) -> Any:
    """Return columns as a table of the kind of `rows`; of Arrow if these are no table."""
    if isinstance(rows, dict) or is_records(rows):
        lists = zip(*(column.tolist() for column in columns.values()), strict=True)
        records = [dict(zip(columns, values, strict=True)) for values in lists]
        return records[0] if isinstance(rows, dict) else records
    if hasattr(rows, "iloc"):
        return type(rows)(columns, index=rows.index[: len(columns["prediction"])])
    if frame_names(rows) is not None and not hasattr(rows, "itercolumns"):
        return type(rows)({name: np.ascontiguousarray(column) for name, column in columns.items()})
    import pyarrow as pa

    return pa.table({name: pa.array(column.tolist() if column.dtype.kind in "UO" else column)
                     for name, column in columns.items()})
