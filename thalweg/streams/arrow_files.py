"""Parquet and Arrow (Feather, IPC) files."""

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from thalweg.streams.columns import CATEGORY, FLAG, Column
from thalweg.streams.text_files import Batch

ROWS = 1 << 14
NUMBERS = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_null)
TEXTS = (pa.types.is_dictionary, pa.types.is_string, pa.types.is_large_string)


class ArrowSource:
    """Rows of a Parquet or Arrow file; text and dictionary columns are categories, booleans are flags."""

    once = False

    def __init__(self, path):
        self.name = str(path)
        self.path = path
        with open(path, "rb") as file:
            self._parquet = file.read(4) == b"PAR1"
        if self._parquet:
            with pa.parquet.ParquetFile(path) as file:
                schema, self.n_rows = file.schema_arrow, file.metadata.num_rows
        else:
            with _ipc(path) as file:
                schema, self.n_rows = file.schema, None
        self.columns = [Column(field.name, _kind(field.type)) for field in schema]

    def batches(self, names, numeric=(), last=False):
        """Yield batches of the columns `names`: those in `numeric` as floats, the rest as they are."""
        done = 0
        for batch in self._parquet_batches(names) if self._parquet else self._ipc_batches(names):
            arrays = [_array(batch.column(name), name in numeric) for name in names]
            numbers = np.arange(done + 1, done + batch.num_rows + 1)
            yield Batch(pa.RecordBatch.from_arrays(arrays, names=names), numbers, [])
            done += batch.num_rows

    def distinct(self, name):
        """Yield (values, n_rows, problems) of each batch: the different values of the column `name`."""
        for batch in self.batches([name]):
            yield batch.rows.column(0).unique().to_pylist(), batch.rows.num_rows, batch.problems

    def _parquet_batches(self, names):
        with pa.parquet.ParquetFile(self.path) as file:
            yield from file.iter_batches(ROWS, columns=names)

    def _ipc_batches(self, names):
        wanted = [j for j, column in enumerate(self.columns) if column.name in names]
        with _ipc(self.path, wanted) as file:
            stream = (file.get_batch(i) for i in range(file.num_record_batches)) if _is_file(file) else file
            for batch in stream:
                for start in range(0, batch.num_rows, ROWS):
                    yield batch.slice(start, ROWS)


def _ipc(path, wanted=None):
    options = pa.ipc.IpcReadOptions(included_fields=wanted)
    source = pa.memory_map(str(path))
    start = source.read(6)
    source.seek(0)
    return (pa.ipc.open_file if start == b"ARROW1" else pa.ipc.open_stream)(source, options=options)


def _is_file(reader):
    return isinstance(reader, pa.ipc.RecordBatchFileReader)


def _kind(type):
    if pa.types.is_boolean(type):
        return FLAG
    if any(test(type) for test in TEXTS):
        return CATEGORY
    if any(test(type) for test in NUMBERS):
        return None
    return f"type {str(type)!r}"


def _array(array, numeric):
    type = array.type
    if numeric and _kind(type) in (None, FLAG):
        return array.cast(pa.float64(), safe=False)
    return array if pa.types.is_dictionary(type) else array.dictionary_encode()
