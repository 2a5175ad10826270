"""Rows that come as an Arrow stream."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from thalweg._types import Ints
from thalweg.service import bodies
from thalweg.service.arrays import InputColumns, table_matrix
from thalweg.service.arrow_messages import DAMAGED, RECORDS, messages, plain_matrix
from thalweg.service.asked import LABEL, PREDICT, Asked
from thalweg.service.decoding import check_rows
from thalweg.service.request_error import RequestError
from thalweg.streams.columns.codes import MOST_TEXT

MOST_COLUMNS = 10_000
MOST_BYTES = 4  # of a character
MOST_COPIED = 64 << 20  # bytes of texts in dictionaries and views, counted for each row
TEXTS = ("string", "large_string", "string_view")
BYTES_OR_TEXT = (
    pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary,
    pa.types.is_fixed_size_binary,
)  # fmt: skip


def decode_arrow(
    kind: str, body: bytes, max_rows: int, columns: InputColumns | None, options: dict[str, str]
) -> Asked:
    """Return what an Arrow stream asks for; raise RequestError if it is wrong.

    Ids are in the column `id`, labels in the column `label`, or in those that `options` name. If there is no
    column `label`, that of the model's target counts. A column `id` that is an input of the model is an
    input, unless the options name it.
    """
    if kind == PREDICT and columns is not None and columns.are_numbers and not options:
        X = plain_matrix(body, max_rows, columns.names)
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
        _check_texts(table)
        X = table_matrix(table, names) if columns is not None and columns.are_numbers else None
        asked.rows = table if X is None else X
    return asked


def read_table(body: bytes, max_rows: int) -> Any:
    """Return the table of an Arrow stream, checked so that no value lies outside its buffers."""
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


def _check_texts(table: Any) -> None:
    """Raise RequestError if texts that stand once in a body, for many rows, would be too much if copied."""
    columns = [each for each in table.columns if pa.types.is_dictionary(each.type) or _is_view(each.type)]
    texts = [each for each in columns if _is_text(each.type)]
    if sum(int(_text_bytes(chunk).sum()) for column in texts for chunk in column.chunks) > MOST_COPIED:
        what = f"the texts of all rows together have more than {MOST_COPIED >> 20} MiB: send fewer rows"
        raise RequestError("too_large", what, field="rows")


def _is_view(kind: Any) -> bool:
    return str(kind) in ("string_view", "binary_view")


def _is_text(kind: Any) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return _is_view(kind) or any(is_kind(kind) for is_kind in BYTES_OR_TEXT)


def check_messages(body: bytes, max_rows: int) -> None:
    """Raise RequestError if a stream has too many rows, or is compressed."""
    n_rows = 0
    for kind, length, is_compressed in messages(body):
        if is_compressed:
            raise RequestError("unsupported_type", "send the Arrow stream without compression")
        n_rows += length if kind == RECORDS else 0
        check_rows(max(n_rows, length), max_rows)


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
    ids = _values(column, "id", "an id is text or a whole number", bodies.MAX_ID, pa.types.is_integer)
    for i, each in enumerate(ids):
        if each is None:
            raise RequestError("wrong_field", f"row {i}: an id is text or a whole number", field="id", row=i)
        bodies.check_id(each, i)
    return ids


def _labels(column: Any) -> list[Any] | None:
    if column is None:
        return None
    what = "a label is text, a number, true or false"
    numbers = pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean
    return _values(column, "label", what, MOST_TEXT, *numbers)


def _values(column: Any, field: str, what: str, most: int, *others: Callable[[Any], bool]) -> list[Any]:
    """Return a column of ids or labels as values of Python; raise RequestError if it has others.

    It is text, or of one of the `others`, or a dictionary of them. Types and lengths are checked in Arrow's
    memory: there, a few bytes can stand for very many values, or for a long text in each row.
    """
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not (str(kind) in TEXTS or pa.types.is_null(kind) or any(is_kind(kind) for is_kind in others)):
        seen = " ".join(str(column.type).split())[:80]
        raise RequestError("wrong_field", f"{what}, got a column of {seen}", field=field)
    start = 0
    for chunk in column.chunks if str(kind) in TEXTS else ():
        too_long = np.flatnonzero(_text_bytes(chunk) > MOST_BYTES * most)
        if len(too_long):
            row = start + int(too_long[0])
            problem = f"row {row}: {'an' if field == 'id' else 'a'} {field} may have up to {most} characters"
            raise RequestError("wrong_field", problem, field=field, row=row)
        start += len(chunk)
    return list(column.to_pylist())


def _text_bytes(chunk: Any) -> Ints:
    """Return how many bytes the text of each row has, 0 if it is missing."""
    if pa.types.is_dictionary(chunk.type):
        sizes = np.append(_text_bytes(chunk.dictionary), 0)
        places = chunk.indices.cast(pa.int64()).fill_null(len(sizes) - 1)
        return sizes[places.to_numpy(zero_copy_only=False)]
    if _is_view(chunk.type) and len(chunk):  # views of 16 bytes, which begin with the size
        views = np.frombuffer(chunk.buffers()[1], dtype="<i4").reshape(-1, 4)
        sizes = views[chunk.offset : chunk.offset + len(chunk), 0].astype(np.intp)
        sizes[chunk.is_null().to_numpy(zero_copy_only=False)] = 0
        return sizes
    lengths = pa.array([], pa.int64()) if _is_view(chunk.type) else pc.binary_length(chunk)
    return lengths.fill_null(0).to_numpy(zero_copy_only=False).astype(np.intp)
