"""CSV files: what separates their cells, and whether their first row has the names of the columns."""

import csv
import io
import re
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.csv

from thalweg.errors import StreamError
from thalweg.streams.columns.column import Column
from thalweg.streams.files.header import has_numbers_below, is_header, rows_below
from thalweg.streams.files.text_files import Pieces, TextSource

MAX_COLUMNS = 100_000
DELIMITERS = ";\t|,"  # a comma last: it may also be a decimal comma
N_LINES = 50


def csv_source(
    pieces: Pieces, header: bool | None = None, delimiter: str | None = None
) -> tuple[TextSource, str]:
    """Open a CSV file; return it and its delimiter.

    By default `is_header` says whether its first row is one.
    """
    start = pieces.start().lstrip(b"\r\n")
    if not start.strip():
        raise StreamError(f"{pieces.name} is empty")
    text = start.decode("utf-8", "replace")
    delimiter = delimiter or _delimiter(text)
    if re.split(r"[\r\n]", text, maxsplit=1)[0].count(delimiter) >= MAX_COLUMNS:
        raise StreamError(f"{pieces.name} is damaged or no text: it has more than {MAX_COLUMNS} columns")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        cells = [cell.strip() for cell in next(reader)]
    except csv.Error as error:
        raise StreamError(f"{pieces.name}, first row: {error}; is there a quote that never ends?") from error
    n_lines, first = reader.line_num, rows_below(reader)
    if header is None:
        header = is_header(cells, first)
    names = [cell if header and cell else f"x{j}" for j, cell in enumerate(cells)]
    n_lines = n_lines if header else 0

    def body(last: bool) -> Iterator[bytes]:
        read = pieces.read(last)
        first = next(read, b"").lstrip(b"\r\n")
        head = re.match(rb"(?:[^\r\n]*(?:\r\n|\r|\n|\Z)){%d}" % n_lines, first)
        yield first[head.end() :] if head else b""
        yield from read

    def form(piece: bytes) -> Any:
        return pa.csv.ParseOptions(delimiter=delimiter, quote_char='"' if b'"' in piece else False)

    source = TextSource(pieces, [Column(name) for name in names], body, form)
    source.header = header
    if header and n_lines == 1 and has_numbers_below(cells, first):
        source.header_line = re.split(rb"[\r\n]", start, maxsplit=1)[0].rstrip()
    return source, delimiter


def _delimiter(text: str) -> str:
    """Return the delimiter that is in each of the first lines as often; else the one most often in the first.

    Of two that are, the one that is there more often.
    """
    lines = [re.sub('"[^"]*"', "", line) for line in text[: 1 << 16].splitlines()[:N_LINES] if line.strip()]
    lines = lines[: max(1, len(lines) - 1)] or [""]  # the last one may be half a line
    steady = [mark for mark in DELIMITERS if len({line.count(mark) for line in lines}) == 1]
    found = max(steady or DELIMITERS, key=lines[0].count)
    return found if lines[0].count(found) else max(DELIMITERS[::-1], key=lines[0].count)
