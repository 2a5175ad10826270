"""Rows that come as an Arrow stream."""

from collections.abc import Iterable
from typing import Any

from thalweg.service.arrays import InputColumns, table_matrix
from thalweg.service.arrow_messages import DAMAGED, RECORDS, messages, plain_matrix
from thalweg.service.asked import LABEL, PREDICT, Asked
from thalweg.service.bodies import check_id
from thalweg.service.decoding import check_rows
from thalweg.service.request_error import RequestError

MOST_COLUMNS = 10_000


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
