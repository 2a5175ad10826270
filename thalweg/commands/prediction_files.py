"""Predictions of a learner for the rows of a stream, written block by block."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from thalweg._atomic_file import replacing
from thalweg._escaping import in_cells, in_spreadsheet, printable
from thalweg.evaluation.sparse_blocks import blocks_for, dense_size, stays_sparse
from thalweg.learners.base.sparse_rows import checked_sparse_rows
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.model.predictions import prediction_columns
from thalweg.streams.base import Stream, first_rows
from thalweg.streams.files.kept_cells import free_names
from thalweg.streams.files.row_numbers import numbers_in_file

ROWS_AT_A_TIME = 10_000


class Predicted(NamedTuple):
    """A table of predictions for some rows, and how many of them have a label, and the right one."""

    table: pa.Table
    n_scored: int
    n_right: int


def predictions(
    learner: StreamClassifier, stream: Stream, rows: int | None = None, probabilities: bool = False
) -> Iterator[Predicted]:
    """Yield the predictions for the rows of a stream, block by block, with the cells that a file keeps."""
    classes = np.asarray(learner.classes_)
    start, size = 0, ROWS_AT_A_TIME
    if not stays_sparse(stream, learner):
        size = dense_size(stream, size)
    for X, codes, *cells in first_rows(_blocks(stream, learner, size), rows):
        p = learner.predict_proba_block(X)
        best = learner._answers(p)
        rest = prediction_columns(p, classes, probabilities, best)
        rest["prediction"] = pa.array(rest["prediction"].tolist())
        columns = {"row": numbers_in_file(np.arange(start, start + len(p)), stream.skipped_rows)}
        for kept in cells:
            columns |= zip(free_names(kept.column_names, {"row", *rest}), kept.columns, strict=True)
        columns |= rest
        yield Predicted(pa.table(columns), int((codes >= 0).sum()), int((codes == best).sum()))
        start += len(p)


def _blocks(stream: Stream, learner: StreamClassifier, size: int) -> Iterator[tuple[Any, ...]]:
    """Yield (X, codes), and a table of the columns that are kept, if any are."""
    if not stream.kept:
        yield from blocks_for(stream, learner, size)
        return
    sparse = stays_sparse(stream, learner)
    for X, codes, cells in stream.blocks_with_cells(size, sparse=sparse):
        yield checked_sparse_rows(X, learner) if sparse else X, codes, cells


def write(
    blocks: Iterable[Predicted], path: str | None, progress: Callable[[int], object], csv_safe: bool = False
) -> tuple[int, int, int]:
    """Write predictions as CSV to standard output, or to a file; return numbers of rows, right and scored.

    The file gets its name at the end: it is never half a file. `progress` is called with the number of rows.
    With `csv_safe` no text in a CSV file is a formula to a spreadsheet.
    """
    n = n_right = n_scored = 0
    with _writer(path, csv_safe) as add:
        for block in blocks:
            add(block.table)
            n, n_right, n_scored = n + len(block.table), n_right + block.n_right, n_scored + block.n_scored
            progress(n)
    return n, n_right, n_scored


FORMATS = {".csv": "csv", ".parquet": "parquet", ".pq": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl"}


@contextmanager
def _writer(path: str | None, csv_safe: bool) -> Iterator[Callable[[pa.Table], None]]:
    escape = in_spreadsheet if csv_safe else None
    if path is None:
        with _tables(sys.stdout.buffer, "csv", printable if sys.stdout.isatty() else escape) as add:
            yield add
        return
    kind = FORMATS.get(Path(path).suffix.lower())
    if kind is None:
        raise ValueError(f"--out {path}: its name must end in one of {', '.join(FORMATS)}")
    with replacing(path) as file, _tables(file, kind, escape if kind == "csv" else None) as add:
        yield add


@contextmanager
def _tables(
    file: BinaryIO, kind: str, escape: Callable[[str], str] | None = None
) -> Iterator[Callable[[pa.Table], None]]:
    """Give a function that writes a table, after its texts are escaped; the first has the types of all."""
    writer = None

    def add(table: pa.Table) -> None:
        nonlocal writer
        if kind == "jsonl":
            for row in table.to_pylist():
                file.write(json.dumps(row, default=str).encode() + b"\n")
            return
        table = table if escape is None else in_cells(table, escape)
        if writer is None:
            make = pa.csv.CSVWriter if kind == "csv" else pa.parquet.ParquetWriter
            writer = make(file, table.schema)
        writer.write_table(table)

    try:
        yield add
    finally:
        if writer is not None:
            writer.close()
