"""What a run has left in its folder: outputs, counts, figures of keys, and the model of a key."""

import sqlite3
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa

from thalweg.errors import StateError
from thalweg.keyed.bucket_file import BucketFile, checked_counts, in_use, outputs_of, reading, whole
from thalweg.keyed.journal import NAME, checked_parts
from thalweg.keyed.key_texts import bucket_of, written
from thalweg.keyed.operator import ROW, Operator
from thalweg.keyed.sinks import write_file
from thalweg.learners.base.stream_classifier import StreamClassifier


def merged(tables: list[Any]) -> Any:
    """Return the outputs of a batch as one table, in the order of the source."""
    table = pa.concat_tables(tables, promote_options="permissive")
    return table.sort_by(ROW) if ROW in table.column_names else table


class KeyedRun:
    """The folder of a run, to be looked at when nobody works in it.

    Attributes
    ----------
    operator : Operator
        What was done with events.
    n_rows : int
        Events that were read.
    counts : dict
        How many of them were learned, predicted, late, dropped, unknown or refused.
    n_keys : int
        How many keys there are.
    """

    def __init__(self, folder: str | PathLike[str]) -> None:
        self.folder = Path(folder)
        if not (self.folder / NAME).exists():
            raise StateError(f"{self.folder} is not the folder of a run")
        try:
            self._look()
        except sqlite3.Error as error:
            raise in_use(self.folder / NAME, error) from error

    def _look(self) -> None:
        with self._opened(NAME) as file:
            about = dict(file.execute("SELECT name, value FROM about").fetchall())
            self._batches = [row[0] for row in file.execute("SELECT batch FROM batches ORDER BY batch")]
            found = file.execute("SELECT first_row + n_rows FROM batches ORDER BY batch DESC").fetchone()
        path = self.folder / NAME
        with reading(path):
            self.n_rows = 0 if found is None else whole(found[0])
        operator, self.n_buckets = checked_parts(about.get("operator"), about.get("buckets"), path)
        self.operator = Operator.from_bytes(operator)
        self._paths = [f"bucket-{bucket:03}.sqlite" for bucket in range(self.n_buckets)]
        self.counts, self.n_keys = {}, 0  # type: dict[str, int], int
        self._count()

    def _opened(self, name: str) -> Any:
        from contextlib import closing

        return closing(sqlite3.connect(self.folder / name, timeout=5.0))

    def _count(self) -> None:
        for name in self._paths:
            with self._opened(name) as file:
                done = file.execute("SELECT counts FROM done").fetchone()
                self.n_keys += file.execute("SELECT count(*) FROM states").fetchone()[0]
            with reading(self.folder / name):
                for status, n in (() if done is None else checked_counts(done[0]).items()):
                    self.counts[status] = self.counts.get(status, 0) + n

    def outputs(self) -> Iterator[Any]:
        """Yield the outputs as tables of Arrow, batch by batch, in the order of the source."""
        files = [sqlite3.connect(self.folder / name) for name in self._paths]
        try:
            for batch in self._batches:
                tables = [table for file in files for table in outputs_of(file, batch)]
                if tables:
                    yield merged(tables)
        finally:
            for file in files:
                file.close()

    def export(self, path: str | PathLike[str], *, csv_safe: bool = False) -> int:
        """Write all outputs to a file, .csv, .jsonl or .parquet; return the number of rows.

        With `csv_safe` no text in a CSV file is a formula to a spreadsheet.
        """
        return write_file(Path(path), (_without_row(table) for table in self.outputs()), csv_safe)

    def figures(self) -> Any:
        """Return how well each key was predicted; see `KeyFigures`."""
        from thalweg.keyed.figures import KeyFigures

        return KeyFigures.of(self)

    def __getitem__(self, key: Any) -> StreamClassifier:
        """Return the learner of a key; raise KeyError if it has not come."""
        n_columns = len(self.operator.key_columns)
        text = pa.array([written(key, n_columns)], pa.large_string())
        bucket = int(bucket_of(text, self.n_buckets)[0])
        opened = BucketFile(self.folder / self._paths[bucket], self.operator)
        try:
            return opened.bucket[key]
        finally:
            opened.close()

    def __repr__(self) -> str:
        return f"<KeyedRun in {self.folder}: {self.n_rows:,} events of {self.n_keys:,} keys>"


def _without_row(table: Any) -> Any:
    return table.drop_columns([ROW]) if ROW in table.column_names else table


