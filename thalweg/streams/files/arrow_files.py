"""Parquet and Arrow (Feather, IPC) files."""

import os
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from thalweg.errors import StreamError
from thalweg.streams.columns.class_codes import TYPED
from thalweg.streams.columns.column import CATEGORY, DATE, FLAG, Column
from thalweg.streams.files.kept_cells import plain_cells
from thalweg.streams.files.text_files import Batch, Distinct

ROWS = 1 << 14
NUMBERS = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_null)
DATES = (pa.types.is_timestamp, pa.types.is_date, pa.types.is_time)
TEXTS = (pa.types.is_string, pa.types.is_large_string)
IN_DICTIONARIES = (*NUMBERS, *TEXTS, pa.types.is_boolean, pa.types.is_binary, pa.types.is_large_binary)


class ArrowSource:
    """Rows of a Parquet or Arrow file; dictionary columns are categories, booleans are flags.

    pyarrow trusts the offsets, lengths and codes of a file, and reads out of bounds if they are wrong. So
    every batch is validated before it is used.
    """

    once = False
    warnings: tuple[str, ...] = ()
    share_read: float | None = None
    is_sparse = False
    header: bool | None = None
    label_form = TYPED
    labels: Mapping[str, Any] = MappingProxyType({})
    encoding: str | None = None
    not_numbers: Sequence[str] = ()

    def __init__(self, path: str | PathLike[str]) -> None:
        self.name = str(path)
        self.path = path
        with open(path, "rb") as file:
            self._parquet = file.read(4) == b"PAR1"
        with self._opened() as file:
            self._schema = self._schema_of(file)
            self.n_rows = self._claimed_rows(file.metadata) if self._parquet else None
        self.declared = declared(self._schema)
        self.columns = [
            Column(field.name, kind_of(field.type), is_told=pa.types.is_dictionary(field.type),
                   is_boolean=pa.types.is_boolean(field.type))
            for field in self._schema
        ]

    def batches(
        self, names: Sequence[str], numeric: Collection[str] = (), last: bool = False,
        kept: Sequence[str] = (),
    ) -> Iterator[Batch]:
        """Yield batches of the columns `names`: those in `numeric` as floats, the rest as they are.

        They are followed by the columns `kept`, whose values no type is given to.
        """
        done, most, all_names = 0, sys.maxsize, list(dict.fromkeys([*names, *kept]))
        if all(pa.types.is_null(self._schema.field(name).type) for name in all_names):
            # The number of rows of such columns cannot be checked against any values.
            most = os.path.getsize(self.path)
        for batch in self._read(all_names):
            if batch.num_rows > most - done:
                what = f"there are no values in column {names[-1]!r}, its type is null"
                raise StreamError(f"{self.name}: {what}, and the file claims to have more rows than bytes")
            self._validate(batch, all_names, done)
            arrays = [_array(batch.column(name), name in numeric) for name in names]
            arrays += [plain_cells(batch.column(name)) for name in kept]
            numbers = np.arange(done + 1, done + batch.num_rows + 1)
            yield Batch(pa.RecordBatch.from_arrays(arrays, names=[*names, *kept]), numbers, [])
            done += batch.num_rows
        if self.n_rows not in (None, done):
            raise StreamError(f"{self.name} is damaged: it claims to have {self.n_rows} rows, found {done}")

    def distinct(self, name: str) -> Iterator[Distinct]:
        """Yield (values, n_rows, problems) of each batch: the distinct values of the column `name`."""
        for batch in self.batches([name]):
            yield batch.rows.column(0).unique().to_pylist(), batch.rows.num_rows, batch.problems

    def _read(self, names: Sequence[str]) -> Iterator[Any]:
        """Yield record batches of at most ROWS rows, not yet validated."""
        with self._opened(names) as file:
            types = {field.name: field.type for field in self._schema_of(file)}
            if any(types.get(name) != self._schema.field(name).type for name in names):
                raise StreamError(f"{self.name} has changed since it was opened")
            if self._parquet:
                yield from file.iter_batches(ROWS, columns=names)
                return
            is_file = isinstance(file, pa.ipc.RecordBatchFileReader)
            for batch in map(file.get_batch, range(file.num_record_batches)) if is_file else file:
                batch.validate()
                for start in range(0, batch.num_rows, ROWS):
                    yield batch.slice(start, ROWS)

    def _validate(self, batch: Any, names: Sequence[str], done: int) -> None:
        for name in names:
            try:
                batch.column(name).validate(full=True)
            except pa.ArrowInvalid as error:
                rows = f"data rows {done + 1} to {done + batch.num_rows}"
                reason = f"damaged values: {str(error).splitlines()[0]}"
                raise StreamError(f"{self.name}, {rows}, column {name!r}: {reason}") from error

    def _claimed_rows(self, metadata: Any) -> int:
        claimed = metadata.num_rows
        found = sum(metadata.row_group(i).num_rows for i in range(metadata.num_row_groups))
        if found != claimed or claimed < 0:
            raise StreamError(f"{self.name} is damaged: it claims to have {claimed} rows, its groups {found}")
        return claimed

    def _schema_of(self, file: Any) -> Any:
        return file.schema_arrow if self._parquet else file.schema

    @contextmanager
    def _opened(self, names: Sequence[str] | None = None) -> Iterator[Any]:
        # Not memory-mapped: if the file were truncated, reading on would end the process.
        with pa.OSFile(str(self.path)) as source:
            if self._parquet:
                yield pa.parquet.ParquetFile(source, page_checksum_verification=True)
                return
            wanted = None if names is None else [self._schema.get_field_index(name) for name in names]
            options = pa.ipc.IpcReadOptions(included_fields=wanted)
            start = source.read(6)
            source.seek(0)
            yield (pa.ipc.open_file if start == b"ARROW1" else pa.ipc.open_stream)(source, options=options)


def declared(schema: Any) -> frozenset[str]:
    """Return the names of the columns whose type lists their categories."""
    return frozenset(field.name for field in schema if pa.types.is_dictionary(field.type))


def kind_of(type: Any) -> str | None:
    """Return the kind of columns of an Arrow type; None for numbers, `type …` for what is not read."""
    if pa.types.is_boolean(type):
        return FLAG
    if any(test(type) for test in TEXTS):
        return CATEGORY
    if pa.types.is_dictionary(type) and any(test(type.value_type) for test in IN_DICTIONARIES):
        return CATEGORY
    if any(test(type) for test in DATES):
        return DATE
    if any(test(type) for test in NUMBERS):
        return None
    return f"type {str(type)!r}"


def _array(array: Any, numeric: bool) -> Any:
    type = array.type
    if numeric and kind_of(type) in (None, FLAG):
        return array.cast(pa.float64(), safe=False)
    if pa.types.is_dictionary(type) or any(test(type) for test in DATES):
        return array
    return array.dictionary_encode()
