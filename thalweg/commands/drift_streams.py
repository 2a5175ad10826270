"""The streams that `thalweg drift` reads: one, or two with the same columns."""

from typing import Any

from thalweg.streams.base import Stream
from thalweg.streams.columns.column import CATEGORY, DATE, FLAG, NUMBER, TEXT
from thalweg.streams.files.pipes import is_once, name_of
from thalweg.streams.files.stream import FileStream
from thalweg.streams.named import is_file, open_stream

OF_COLUMNS = {"target", "with_labels", "categorical", "numeric", "date", "text", "ignore", "classes",
              "n_words", "date_parts", "scan_labels"}


def open_streams(
    source: str, other: str | None, with_labels: bool, rows: int | None, seed: int, data: str | None,
    file_options: dict[str, Any],
) -> tuple[Stream, Stream | None, dict[str, str]]:
    """Return the stream to watch, the reference if it is another stream, and why columns are left out."""
    if is_file(source):
        # A text has too many inputs to watch each.
        usual = {"with_labels": with_labels, "date_parts": ("elapsed", "time", "weekday")}
        file_options = usual | ({} if "text" in file_options else {"n_words": 0}) | file_options
    stream = open_stream(source, rows=rows, seed=seed, data=data, **file_options)
    flags_as_numbers(stream)
    if other is None:
        return stream, None, {}
    second, left_out = second_stream(other, stream, rows, seed, data, file_options)
    return second, stream, left_out


def second_stream(
    other: str, first: Stream, rows: int | None, seed: int, data: str | None, file_options: dict[str, Any]
) -> tuple[Stream, dict[str, str]]:
    """Return the stream `other` with the columns of the first one, and why some of these are left out."""
    if is_once(other):
        raise ValueError(f"{name_of(other)} can be the reference, the first stream, but not the second")
    if not is_file(other):
        return open_stream(other, rows=rows, seed=seed, data=data), {}
    reading = {name: value for name, value in file_options.items() if name not in OF_COLUMNS}
    alone = open_stream(other, rows=rows, seed=seed, data=data, with_labels=False, **reading)
    flags_as_numbers(alone)
    assert isinstance(alone, FileStream)  # as `is_file` says
    kinds = alone.columns.kinds | {column.name: column.kind for column in alone.inputs}
    told = {*file_options.get("numeric", ()), *file_options.get("date", ())}
    schema, left_out = first.schema(), {}
    for column in schema["columns"]:
        kind = kinds.get(column["name"]) if column["name"] not in told else column["kind"]
        if column["kind"] in (NUMBER, DATE) and kind in {NUMBER, CATEGORY, DATE, TEXT} - {column["kind"]}:
            left_out[column["name"]] = f"{column['kind']} in {first.name}, {kind} in {other}"
    kept = [each for each in schema["columns"] if each["name"] in kinds and each["name"] not in left_out]
    if not kept:
        raise ValueError(f"{other} has no column that can be compared with {first.name}")
    with_labels = file_options.get("with_labels", True)
    stream = open_stream(
        other, rows=rows, seed=seed, data=data, like=schema | {"columns": kept}, with_labels=with_labels,
        **reading,
    )
    return stream, left_out


def flags_as_numbers(stream: Stream) -> None:
    """Let columns of 0 and 1 be numbers: another value is a change to be reported, not a mistake."""
    for column in stream.inputs if isinstance(stream, FileStream) else ():
        column.kind = NUMBER if column.kind == FLAG else column.kind
