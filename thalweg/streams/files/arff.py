"""ARFF files: the attributes come from the header; rows that are not sparse are read as CSV."""

import re
from collections.abc import Iterator

import pyarrow.csv

from thalweg.errors import StreamError
from thalweg.streams.columns.codes import Codes, spelling
from thalweg.streams.columns.column import CATEGORY, DATE, NUMBER, Column
from thalweg.streams.files.quotes import QUOTED, VALUE
from thalweg.streams.files.sparse_source import SparseSource
from thalweg.streams.files.text_files import MAX_ROW, Pieces, TextSource

ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|[^\s{{]+)\s*(.*)", re.I)
DATA = re.compile(rb"^[ \t]*@data[^\r\n]*(?:\r\n|\n|\r|\Z)", re.I | re.M)
COMMENT = re.compile(rb"^[ \t]*%[^\r\n]*(?:\r\n|\n|\r|\Z)", re.M)


def looks_like_arff(start: bytes) -> bool:
    """Return whether a file that starts with these bytes is ARFF."""
    start = start.lstrip()
    without = COMMENT.sub(b"", start) if start.startswith(b"%") else start
    return without.lstrip()[:9].lower().startswith((b"@relation", b"@attribut"))


def arff_source(pieces: Pieces) -> TextSource:
    """Open an ARFF file. Nominal attributes are categories in the order of the header."""
    head, _ = _split(pieces, last=False)
    columns = [_column(line, pieces.name) for line in head.splitlines() if line[:10].lower() == "@attribute"]
    if not columns:
        raise StreamError(f"{pieces.name} has no @attribute line")
    defaults = [column.codes.values[0] if column.codes.values else "0" for column in columns]

    def body(last: bool) -> Iterator[bytes]:
        _, read = _split(pieces, last)
        for piece in read:
            yield _cleaned(piece)

    if _starts_sparse(body(False)):
        return SparseSource(pieces, columns, body, defaults)
    return TextSource(pieces, columns, body, _form)


def _starts_sparse(body: Iterator[bytes]) -> bool:
    """Return whether the first row of data is sparse, such as `{3 yes, 7 1.5}`."""
    starts = (piece.lstrip()[:1] for piece in body)
    return next(filter(None, starts), b"") == b"{"


def _split(pieces: Pieces, last: bool) -> tuple[str, Iterator[bytes]]:
    """Return the text of the header without comments, and the pieces of data below it."""
    read, head = pieces.read(last), b""
    for piece in read:
        done = len(head)
        head += piece
        found = DATA.search(head, done)
        if found:
            text = COMMENT.sub(b"", head[: found.start()]).decode("utf-8", "replace")
            rest = head[found.end() :]
            return "\n".join(line.strip() for line in text.splitlines()), _chained(rest, read)
        if len(head) > MAX_ROW:
            raise StreamError(f"{pieces.name} has no @data line in its first {MAX_ROW} bytes")
    raise StreamError(f"{pieces.name} has no @data line" if head.strip() else f"{pieces.name} is empty")


def _chained(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _column(line: str, name: str) -> Column:
    found = ATTRIBUTE.match(line)
    if not found or not found[2]:
        raise StreamError(f"{name}: cannot read {line!r}; it should be @attribute NAME TYPE")
    column, kind = _plain(found[1]), found[2]
    if kind.startswith("{"):
        values = [_plain(value) for value in _values(kind[1 : kind.rfind("}")])]
        if len({*values}) < len(values):
            where = f"{name}, attribute {column!r}"
            raise StreamError(f"{where}: a value is listed twice: {', '.join(values)}")
        different = {spelling(value): value for value in reversed(values)}  # 01 and 1 are two labels
        codes = Codes([value for value in values if different[spelling(value)] is value])
        return Column(column, CATEGORY, codes, is_told=True, listed=values)
    word = kind.split()[0].lower()
    if word in ("numeric", "real", "integer"):
        return Column(column, NUMBER, is_told=True, has_points=True)
    if word == "string":
        return Column(column)
    if word == "date":
        return Column(column, DATE)
    return Column(column, f"type {word!r}")


def _values(text: str) -> list[str]:
    return [value for value in map(str.strip, VALUE.findall(text)) if value]


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text[:1] in ("'", '"') else text


def _cleaned(piece: bytes) -> bytes:
    """Remove comments, and blanks before quotes."""
    if b"%" in piece:
        piece = COMMENT.sub(b"", piece)
    if b"'" in piece or b'"' in piece:
        piece = re.sub(rb",[ \t]+(?=['\"])", b",", piece)
    return piece


def _form(piece: bytes) -> pyarrow.csv.ParseOptions:
    single = b"'" in piece and (b'"' not in piece or re.search(rb"(?:^|,)'", piece, re.M))
    double = b'"' in piece and not single
    return pyarrow.csv.ParseOptions(
        quote_char="'" if single else '"' if double else False,
        escape_char="\\" if b"\\" in piece else False,
    )
