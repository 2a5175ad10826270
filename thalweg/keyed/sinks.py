"""Where outputs go: a file at the end of a run, a folder with a file for each batch, or a function.

A sink is anything with `write(outputs, batch)`. It is called after the batch lasts on disk, in the order of
batches; after a crash the last batch may be written again, with the same number and the same outputs.
"""

from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from thalweg._atomic_file import replacing
from thalweg._escaping import in_cells, in_spreadsheet
from thalweg.errors import ParameterError

ENDINGS = (".csv", ".jsonl", ".parquet")


class Sink(Protocol):
    """What outputs are written to."""

    def write(self, outputs: Any, batch: int) -> None:
        """Write the outputs of a batch, a table of Arrow."""
        ...


class FunctionSink:
    """Calls a function with each table of outputs."""

    def __init__(self, function: Callable[[Any], object]) -> None:
        self._function = function

    def write(self, outputs: Any, batch: int) -> None:
        """Call the function."""
        self._function(outputs)


class FolderSink:
    """A file for each batch in a folder; one that is written again is the same."""

    def __init__(self, folder: str | PathLike[str], ending: str = ".parquet") -> None:
        self.folder, self._ending = Path(folder), ending
        self.folder.mkdir(parents=True, exist_ok=True)

    def write(self, outputs: Any, batch: int) -> None:
        """Write the file of a batch."""
        write_file(self.folder / f"outputs-{batch:09}{self._ending}", [outputs])


class FileSink:
    """One file of all outputs, written when the run ends or pauses.

    With `csv_safe` no text in a CSV file is a formula to a spreadsheet.
    """

    def __init__(self, path: str | PathLike[str], csv_safe: bool = False) -> None:
        self.path, self.csv_safe = Path(path), csv_safe
        if self.path.suffix not in ENDINGS:
            problem = f"must end in {', '.join(ENDINGS)}, got {str(path)!r}"
            raise ParameterError.of("run", "sink", problem=problem)
        if not self.path.parent.is_dir():
            raise ParameterError.of("run", "sink", problem=f"is {str(path)!r}, but there is no such folder")


def as_sink(sink: Any, csv_safe: bool = False) -> Any:
    """Return a path, a folder (a path that ends in a slash, or one that is there) or a function as a sink."""
    if sink is None or hasattr(sink, "write") or isinstance(sink, FileSink):
        return sink
    if isinstance(sink, str | PathLike):
        is_folder = str(sink).endswith(("/", "\\")) or Path(sink).is_dir()
        return FolderSink(sink) if is_folder else FileSink(sink, csv_safe)
    if callable(sink):
        return FunctionSink(sink)
    raise TypeError(f"expected a path, a function or a sink with `write`, got {type(sink).__name__}")


def write_file(path: Path, tables: Iterable[Any], csv_safe: bool = False) -> int:
    """Write tables to a file, which is complete or as it was before; return the number of rows.

    With `csv_safe` no text in a CSV file is a formula to a spreadsheet.
    """
    n, writer = 0, None
    with replacing(path) as file:
        for table in tables:
            n += table.num_rows
            if path.suffix == ".jsonl":
                file.write(_lines(table))
                continue
            if csv_safe and path.suffix == ".csv":
                table = in_cells(table, in_spreadsheet)
            if writer is None:
                writer = _writer(path, file, table.schema)
            writer.write_table(table)
        if writer is not None:
            writer.close()
    return n


def _writer(path: Path, file: Any, schema: Any) -> Any:
    if path.suffix == ".parquet":
        return pa.parquet.ParquetWriter(file, schema)
    return pa.csv.CSVWriter(file, schema, write_options=pa.csv.WriteOptions(quoting_style="needed"))


def _lines(table: Any) -> bytes:
    import json

    rows = ({name: value for name, value in row.items() if value is not None} for row in table.to_pylist())
    return "".join(f"{json.dumps(row, default=str, ensure_ascii=False)}\n" for row in rows).encode()
