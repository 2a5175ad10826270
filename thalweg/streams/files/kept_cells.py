"""Cells of a file, unchanged, handed over beside the rows they belong to."""

from collections import deque
from collections.abc import Collection, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

AS_WRITTEN = ("",)  # the only text that is missing in a cell that is kept
WRITABLE = (
    pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_string,
    pa.types.is_large_string, pa.types.is_date, pa.types.is_timestamp, pa.types.is_time, pa.types.is_decimal,
)  # fmt: skip


class KeptCells:
    """Cells of rows that were read and not yet handed over, in order."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self._waiting: deque[Any] = deque()

    def add(self, rows: Any, good: Any = None) -> None:
        """Add the cells of some rows; `good` says which rows are not left out, by default all."""
        if isinstance(rows, pa.RecordBatch):
            columns = rows.columns[rows.num_columns - len(self.names) :]
        else:
            columns = [rows.column(name) for name in self.names]  # of sparse rows
        cells = pa.Table.from_arrays([plain_cells(column) for column in columns], names=self.names)
        self._waiting.append(cells if good is None else cells.filter(pa.array(good)))

    def take(self, n: int) -> Any:
        """Remove the cells of the next `n` rows and return them as a table of Arrow."""
        if not self.names:
            return pa.table({})
        taken = []
        while n > 0:
            cells = self._waiting.popleft()
            if cells.num_rows > n:
                self._waiting.appendleft(cells.slice(n))
                cells = cells.slice(0, n)
            taken.append(cells)
            n -= cells.num_rows
        return pa.concat_tables(taken)


def beside(rows: Any, cells: Any) -> Any:
    """Return a record batch with the columns of both, which may have the same names."""
    names, about = [*rows.schema.names, *cells.schema.names], rows.schema.metadata
    return pa.RecordBatch.from_arrays([*rows.columns, *cells.columns], names=names, metadata=about)


def plain_cells(array: Any) -> Any:
    """Return values of a type that can be written to any file, null where one is missing."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_floating(array.type):
        return pc.if_else(pc.is_nan(array), None, array)
    if any(test(array.type) for test in WRITABLE):
        return array
    return pa.array([None if value is None else str(value) for value in array.to_pylist()], pa.string())


def free_names(names: Sequence[str], taken: Collection[str]) -> list[str]:
    """Return the names of cells in an output, `file_` before those that are taken there by other columns."""
    found: list[str] = []
    for name in names:
        free = name
        while free in taken or free in found or (free != name and free in names):
            free = f"file_{free}"
        found.append(free)
    return found
