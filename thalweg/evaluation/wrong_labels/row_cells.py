"""The cells of rows as their owner knows them: those of a file or a frame, or else the inputs."""

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from thalweg._frames import as_array, frame_columns, frame_names
from thalweg._types import Floats
from thalweg.evaluation.inputs.columns import InputColumns
from thalweg.streams.base import Stream


class FrameCells:
    """Cells of a data frame of pandas, polars or Arrow."""

    def __init__(self, frame: Any) -> None:
        self.names = [str(name) for name in frame_names(frame) or ()]
        self._columns = list(frame_columns(frame))

    def of(self, rows: Sequence[int]) -> list[list[Any]]:
        """Return the cells of some rows; None where one is missing."""
        arrays = [_values(column)[np.asarray(rows, dtype=np.intp)] for column in self._columns]
        return [[plain(array[i]) for array in arrays] for i in range(len(rows))]


class InputCells:
    """The inputs of rows, categories by their names."""

    def __init__(self, X: Floats, stream: Stream) -> None:
        self.names = [str(name) for name in stream.names]
        self._X = X
        columns, categorical = InputColumns(stream), np.flatnonzero(stream.n_categories > 0).tolist()
        self._categories = {j: columns.categories(j) for j in categorical}

    def of(self, rows: Sequence[int]) -> list[list[Any]]:
        """Return the cells of some rows; None where one is missing."""
        return [[self._cell(j, x) for j, x in enumerate(self._X[i].tolist())] for i in rows]

    def _cell(self, j: int, x: float) -> Any:
        known = self._categories.get(j, ())
        return known[int(x)] if 0 <= x < len(known) else plain(x)


class FileCells:
    """Cells of a file as a table of Arrow; `inputs` that are not in it come after them."""

    def __init__(self, table: Any, inputs: InputCells | None = None) -> None:
        self._table, self._inputs = table, inputs
        names = [] if inputs is None else inputs.names
        self._others = [j for j, name in enumerate(names) if name not in table.column_names]
        self.names: list[str] = [*table.column_names, *(names[j] for j in self._others)]

    def of(self, rows: Sequence[int]) -> list[list[Any]]:
        """Return the cells of some rows; None where one is missing."""
        places = np.asarray(rows, dtype=np.intp)
        columns = [column.take(places).to_pylist() for column in self._table.columns]
        if self._inputs is not None:
            inputs = self._inputs.of(rows)
            columns += [[row[j] for row in inputs] for j in self._others]
        return [[column[i] for column in columns] for i in range(len(rows))]


Cells: TypeAlias = FileCells | FrameCells | InputCells


def plain(value: Any) -> Any:
    """Return a value without the types of NumPy; None if it is missing."""
    if isinstance(value, np.generic):
        value = (value.astype("M8[us]") if value.dtype.kind == "M" else value).item()
    if value is None or (isinstance(value, float) and math.isnan(value)) or str(value) in ("NaT", "<NA>"):
        return None
    return value


def as_text(value: Any) -> str:
    """Return a cell as text, nothing if it is missing."""
    if value is None:
        return ""
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _values(column: Any) -> Any:
    # Whole numbers and booleans as they are, where as_array makes them floats.
    array = np.asarray(column)
    return array if array.dtype.kind in "iub" else as_array(column)
