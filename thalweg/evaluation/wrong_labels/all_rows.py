"""All rows of a stream at once, with the cells of their file."""

import numpy as np

from thalweg._types import Floats, Ints
from thalweg.errors import StreamError
from thalweg.evaluation.wrong_labels.row_cells import Cells, FileCells, InputCells
from thalweg.streams.base import Stream, first_rows

ROWS_AT_A_TIME = 10_000


def all_rows(stream: Stream, n_rows: int | None = None) -> tuple[Floats, Ints, Cells]:
    """Return the rows of a stream, the codes of their labels, and the cells that a person knows them by.

    Only the first `n_rows` are read if that is given.
    """
    size = ROWS_AT_A_TIME if n_rows is None else min(ROWS_AT_A_TIME, n_rows)
    names = list(dict.fromkeys([*stream.kept, *stream.cell_names]))
    blocks = stream.blocks_with_cells(size, names) if names else stream.coded_blocks(size)
    parts = list(zip(*first_rows(blocks, n_rows), strict=True))
    if not parts:
        raise StreamError("there are no rows")
    X, codes = (np.ascontiguousarray(np.concatenate(each)) for each in parts[:2])
    if not names:
        return X, codes, InputCells(X, stream)
    import pyarrow as pa

    inputs = None if stream.cell_names else InputCells(X, stream)
    return X, codes, FileCells(pa.concat_tables(parts[2]), inputs)
