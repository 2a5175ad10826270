"""All rows of a stream at once, with the cells of their file."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from thalweg._types import Floats, Ints
from thalweg.errors import StreamError
from thalweg.evaluation.label_errors.row_cells import Cells, FileCells, InputCells
from thalweg.streams.base import Stream, first_rows

ROWS_AT_A_TIME = 10_000


def all_rows(stream: Stream, n_rows: int | None = None) -> tuple[Floats, Ints, Cells]:
    """Return the rows of a stream, the codes of their labels, and the cells that a person knows them by.

    Only the first `n_rows` are read if that is given.
    """
    size = ROWS_AT_A_TIME if n_rows is None else min(ROWS_AT_A_TIME, n_rows)
    names = list(dict.fromkeys([*stream.kept, *stream.cell_names]))
    parts = list(first_rows(_blocks(stream, size, names), n_rows))
    if not parts:
        raise StreamError("there are no rows")
    all_X, all_codes, *tables = zip(*parts, strict=True)
    X, codes = np.concatenate(all_X), np.concatenate(all_codes)
    inputs = InputCells(X, stream)
    if not names:
        return X, codes, inputs
    import pyarrow as pa

    return X, codes, FileCells(pa.concat_tables(tables[0]), None if stream.cell_names else inputs)


def _blocks(stream: Stream, size: int, names: list[str]) -> Iterator[tuple[Any, ...]]:
    """Yield (X, codes), and a table of Arrow with these columns, if there are any."""
    return stream.blocks_with_cells(size, names) if names else stream.coded_blocks(size)
