"""Rows that come as an Arrow stream."""

import struct
from collections.abc import Iterable
from typing import Any

from thalweg._types import Floats
from thalweg.service.arrays import InputColumns, are_numbers, batch_matrix, table_matrix
from thalweg.service.asked import LABEL, PREDICT, Asked
from thalweg.service.bodies import check_id
from thalweg.service.decoding import check_rows
from thalweg.service.request_error import RequestError

DICTIONARY, RECORDS = 2, 3  # kinds of messages that hold columns
MOST_COLUMNS = 10_000
CONTINUATION = -1
DAMAGED = (struct.error, ValueError, OverflowError, OSError, IndexError, KeyError)
_LENGTHS = struct.Struct("<ii")


def decode_arrow(
    kind: str, body: bytes, max_rows: int, columns: InputColumns | None, options: dict[str, str]
) -> Asked:
    """Return what an Arrow stream asks for; raise RequestError if it is wrong.

    Ids are in the column `id`, labels in the column `label`, or in those that `options` name. If there is no
    column `label`, that of the model's target counts. A column `id` that is an input of the model is an
    input, unless the options name it.
    """
    if kind == PREDICT and columns is not None and columns.are_numbers and not options:
        X = _inputs_alone(body, max_rows, columns.names)
        if X is not None:
            return Asked(kind, len(X), X)
    names = [] if columns is None else columns.names
    target = None if columns is None else columns.target
    table = read_table(body, max_rows)
    table, ids = _taken(table, options.get("id_column"), ["id"], names)
    labels = None
    if kind != PREDICT:
        table, labels = _taken(table, options.get("label_column"), ["label", target], names)
    elif target in table.column_names:
        table = table.drop_columns([target])
    if kind == LABEL and ids is None:
        raise RequestError("wrong_field", "the stream has no column of ids", field="id")
    if kind != PREDICT and labels is None:
        raise RequestError("wrong_field", "the stream has no column of labels", field="label")
    asked = Asked(kind, table.num_rows, None, _ids(ids), _labels(labels))
    if kind != LABEL:
        X = table_matrix(table, names) if columns is not None and columns.are_numbers else None
        asked.rows = table if X is None else X
    return asked


def read_table(body: bytes, max_rows: int) -> Any:
    """Return the table of an Arrow stream, checked so that no value lies outside its buffers."""
    import pyarrow as pa

    try:
        check_messages(body, max_rows)
        with pa.ipc.open_stream(body) as reader:
            if len(reader.schema) > MOST_COLUMNS or len(set(reader.schema.names)) < len(reader.schema):
                raise RequestError(
                    "wrong_field", f"columns must differ in name and be at most {MOST_COLUMNS:,}"
                )
            table = reader.read_all()
        # Numbers need only buffers that are long enough; offsets and codes must be looked at one by one.
        table.validate(full=not all(map(pa.types.is_primitive, table.schema.types)))
    except (*DAMAGED, pa.ArrowException) as error:
        why = " ".join(str(error).split())[:200]
        raise RequestError("not_arrow", f"the body is not an Arrow stream: {why}") from None
    check_rows(table.num_rows, max_rows)
    return table


def check_messages(body: bytes, max_rows: int) -> None:
    """Raise RequestError if a stream has too many rows, or is compressed."""
    n_rows = 0
    for kind, length, is_compressed in messages(body):
        if is_compressed:
            raise RequestError("unsupported_type", "send the Arrow stream without compression")
        n_rows += length if kind == RECORDS else 0
        check_rows(max(n_rows, length), max_rows)


def _inputs_alone(body: bytes, max_rows: int, names: list[str]) -> Floats | None:
    """Return the rows of a stream that has the inputs of the model in order, in one piece, and nothing else.

    Any other stream, also a damaged one, is None: `read_table` takes more time, and says what is wrong.
    """
    import pyarrow as pa

    try:
        check_messages(body, max_rows)
        reader = pa.ipc.open_stream(pa.py_buffer(body))
        if reader.schema.names != names or not are_numbers(reader.schema):
            return None
        batch = reader.read_next_batch()
        batch.validate()
        try:
            reader.read_next_batch()
        except StopIteration:
            return batch_matrix(batch)
        return None
    except (*DAMAGED, pa.ArrowException, StopIteration):
        return None


def messages(body: bytes) -> Iterable[tuple[int, int, bool]]:
    """Yield for each message of a stream its kind, its number of rows, and whether it is compressed.

    They are read before Arrow reads them, as a few compressed bytes can become more than memory holds.
    """
    place, data = 0, memoryview(body)
    while place + 8 <= len(body):
        mark, size = _LENGTHS.unpack_from(body, place)
        if mark != CONTINUATION or size < 0:
            raise ValueError("a message does not begin as one")
        if size == 0:
            return
        place += 8
        metadata = data[place : place + size]
        root = _Table(metadata, struct.unpack_from("<I", metadata, 0)[0])
        kind, length, records = root.scalar(1, "<B"), root.scalar(3, "<q"), root.table(2)
        if length < 0:
            raise ValueError("a message has a negative length")
        place += size + length
        if kind == DICTIONARY and records is not None:
            records = records.table(1)
        if kind not in (DICTIONARY, RECORDS) or records is None:
            yield kind, 0, False
        else:
            yield kind, records.scalar(0, "<q"), records.table(3) is not None


class _Table:
    """A table of a flatbuffer: its fields by number."""

    def __init__(self, data: memoryview, place: int) -> None:
        self._data, self._place = data, place
        self._fields = place - struct.unpack_from("<i", data, place)[0]
        if self._fields < 0:
            raise ValueError("its metadata are damaged")
        self._size = struct.unpack_from("<H", data, self._fields)[0]

    def _at(self, field: int) -> int | None:
        place = 4 + 2 * field
        offset = struct.unpack_from("<H", self._data, self._fields + place)[0] if place < self._size else 0
        return self._place + offset if offset else None

    def scalar(self, field: int, form: str) -> int:
        """Return a number; 0 if it is left out."""
        place = self._at(field)
        return 0 if place is None else struct.unpack_from(form, self._data, place)[0]

    def table(self, field: int) -> "_Table | None":
        """Return a table in this one; None if it is left out."""
        place = self._at(field)
        return (
            None
            if place is None
            else _Table(self._data, place + struct.unpack_from("<I", self._data, place)[0])
        )


def _taken(table: Any, named: str | None, usual: Iterable[str | None], inputs: list[str]) -> tuple[Any, Any]:
    """Return the table without a column, and that column, or None."""
    if named is not None and named not in table.column_names:
        raise RequestError("wrong_field", f"the stream has no column {named[:80]!r}", field=named[:80])
    found = [name for name in usual if name in table.column_names and name not in inputs]
    name = named if named is not None else found[0] if found else None
    return (table, None) if name is None else (table.drop_columns([name]), table.column(name))


def _ids(column: Any) -> list[int | str] | None:
    if column is None:
        return None
    ids = column.to_pylist()
    for i, each in enumerate(ids):
        if type(each) not in (int, str):
            raise RequestError("wrong_field", f"row {i}: an id is text or a whole number", field="id", row=i)
        check_id(each, i)
    return ids


def _labels(column: Any) -> list[Any] | None:
    if column is None:
        return None
    labels = column.to_pylist()
    if None in labels:
        i = labels.index(None)
        raise RequestError("wrong_field", f"row {i} has no label", field="label", row=i)
    return labels
