"""All rows of a stream at once, with the cells of their file."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from thalweg._types import Floats, Ints
from thalweg.errors import StreamError
from thalweg.evaluation.label_errors.row_cells import Cells, FileCells, InputCells
from thalweg.streams.base import Stream

ROWS_AT_A_TIME = 10_000


def all_rows(stream: Stream, n_rows: int | None = None) -> tuple[Floats, Ints, Cells]:
    """Return the rows of a stream, the codes of their labels, and the cells that a person knows them by.

    Only the first `n_rows` are read if that is given.
    """
    size = ROWS_AT_A_TIME if n_rows is None else min(ROWS_AT_A_TIME, n_rows)
    parts, n_read = [], 0
    for part in _blocks(stream, size):
        parts.append(part)
        n_read += len(part[1])
        if n_rows is not None and n_read >= n_rows:
            break
    if not parts:
        raise StreamError("there are no rows")
    all_X, all_codes, tables = zip(*parts, strict=True)
    X = np.ascontiguousarray(np.concatenate(all_X)[:n_rows])
    codes = np.ascontiguousarray(np.concatenate(all_codes)[:n_rows])
    if tables[0] is None:
        return X, codes, InputCells(X, stream)
    import pyarrow as pa

    file: Any = stream
    inputs = InputCells(X, stream) if file.source.is_sparse else None
    return X, codes, FileCells(pa.concat_tables(tables), inputs)


def _blocks(stream: Stream, size: int) -> Iterator[tuple[Floats, Ints, Any]]:
    """Yield (X, codes, cells): a table of Arrow, columns that are kept first; None without a file."""
    if not hasattr(stream, "blocks_with_cells"):
        for X, codes in stream.coded_blocks(size):
            yield X, codes, None
        return
    file: Any = stream
    # Sparse rows may have many thousands of columns: inputs are shown in their place.
    rest = [] if file.source.is_sparse else [column.name for column in file.source.columns]
    yield from file.blocks_with_cells(size, list(dict.fromkeys([*file.kept, *rest])))
