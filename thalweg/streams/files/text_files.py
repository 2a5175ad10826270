"""Text files, read in pieces that end at the end of a row and parsed by pyarrow on several threads."""

import io
import os
import re
import sys
from codecs import BOM_UTF8
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from os import PathLike
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.csv

from thalweg._types import Ints
from thalweg.errors import StreamError
from thalweg.streams.columns.class_codes import CELL
from thalweg.streams.columns.codes import MISSING_TEXT
from thalweg.streams.columns.column import Column, Problems
from thalweg.streams.files._native.text_cells import distinct_cells
from thalweg.streams.files.kept_cells import AS_WRITTEN, beside
from thalweg.streams.files.pipes import is_once, name_of
from thalweg.streams.files.quotes import without_unclosed
from thalweg.streams.files.text_encoding import UTF8, Encoding, marked_encoding

PIECE = 1 << 20
MAX_ROW = 1 << 26
PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd", b"\x04\x22\x4d\x18": "lz4"}
TEXT = pa.dictionary(pa.int32(), pa.string())
HEADER, AGAIN = b"thalweg: the header again", ": the header again"
Distinct: TypeAlias = tuple[list[Any], int, Problems]
T = TypeVar("T")


_growing: ContextVar[bool] = ContextVar("growing", default=False)


@contextmanager
def growing_files(are_growing: bool = True) -> Iterator[None]:
    """Let files that are opened here be such that others write: a row is read when its end is there."""
    token = _growing.set(are_growing)
    try:
        yield
    finally:
        _growing.reset(token)


@dataclass
class Batch:
    """Parsed rows, their numbers in the file (from 1), and (number, message) of rows that do not parse.

    `places` are their numbers in the order in which they are read, if that is another one.
    `headers` are the numbers of lines that are the header again.
    """

    rows: pa.RecordBatch
    numbers: Ints
    problems: Problems
    places: Ints | None = None
    headers: Sequence[int] = ()

    def without(self, places: Sequence[int], declared: Collection[str] = ()) -> "Batch":
        """Return the batch without some of its rows, and without values that only these have.

        The values of `declared` columns are listed, whatever rows have.
        """
        kept = np.delete(np.arange(len(self.numbers)), places)
        rows = self.rows.take(pa.array(kept))
        if isinstance(rows, pa.RecordBatch):
            names = rows.schema.names
            columns = [
                column.dictionary_decode().dictionary_encode()
                if pa.types.is_dictionary(column.type) and name not in declared
                else column
                for name, column in zip(names, rows.columns, strict=True)
            ]
            rows = pa.RecordBatch.from_arrays(columns, names=names)
        return Batch(rows, self.numbers[kept], [], None if self.places is None else self.places[kept])


class Pieces:
    """The bytes of a text file, decompressed and in UTF-8; each piece but the last ends at the end of a line.

    A file is opened for each reading; of a pipe or standard input, what was read is kept in memory until the
    `last` reading. Those of a binary file are as they are.

    Within `growing_files`, a row at the end of a file that has no end yet is left out: `has_rest` says so.
    """

    def __init__(
        self, path: str | PathLike[str], encoding: str | None = None, usual_encoding: str | None = None
    ) -> None:
        self.path = path
        self.name = name_of(path)
        self.once = is_once(path)
        self.share_read: float | None = None
        self.is_growing, self.has_rest = _growing.get(), False
        self.encoding = Encoding(self.name, encoding, usual_encoding)
        self._live: Iterator[bytes] | None = None
        self._kept: list[bytes] | None = []

    def read(self, last: bool = False) -> Iterator[bytes]:
        """Yield the pieces in order."""
        return self._replay(last) if self.once else self._read()

    def start(self) -> bytes:
        """Return the first piece."""
        return next(self.read(), b"")

    def _replay(self, last: bool) -> Iterator[bytes]:
        if self._kept is None:
            raise StreamError(f"{self.name} can be read only once")
        self._live = self._live or self._read()
        kept = self._kept
        if last:
            self._kept = None
        yield from list(kept)
        for piece in self._live:
            if not last:
                kept.append(piece)
            yield piece

    def _read(self) -> Iterator[bytes]:
        with _opened(self.path) as (file, whole):
            size = 0 if self.once else os.fstat(whole.fileno()).st_size
            other = self.encoding.told or marked_encoding(file.peek(2)) or UTF8
            if other != UTF8:
                file = self.encoding.recoded(file, other)
            first, is_binary = True, False
            for piece in self._whole_rows(file):
                self.share_read = whole.tell() / size if size else None
                is_binary = is_binary or (first and b"\0" in piece)
                if other == UTF8 and not is_binary:
                    piece = self.encoding.to_utf8(piece)
                yield piece.removeprefix(BOM_UTF8) if first else piece
                first = False

    def _whole_rows(self, file: Any) -> Iterator[bytes]:
        """Yield the bytes of a file in pieces that end with a row; the last one may have no end."""
        rest, piece = b"", file.read(PIECE)
        while piece:
            piece = rest + piece
            piece += _row_end(file, piece.endswith(b"\n"), _n_quotes(piece))
            if len(piece) > MAX_ROW:
                raise StreamError(f"{self.name} is damaged or no text: no line ends in {MAX_ROW} bytes")
            end, more = _end_of_rows(piece, self.is_growing), b""
            if end < len(piece):  # the last row, unless more is written while the file is read
                more = file.read(PIECE)
                if not (more or self.is_growing):
                    end = len(piece)
            piece, rest = piece[:end], piece[end:]
            if piece:
                yield piece
            piece = more or file.read(PIECE)
        self.has_rest = bool(rest)


class TextSource:
    """Rows of a text file. `body(last)` yields its data as pieces, `form(piece)` the ParseOptions of CSV.

    `share_read` is the share of the file's bytes up to the latest batch; None if unknown. `header` says
    whether the names of the columns are those of a first row; None if the format has its own header.
    `not_numbers` are cells that stand for a missing number, `declared` the columns whose categories the file
    lists beside its rows, `header_line` the header as it is written, if a row cannot be like it.
    `label_form` and `labels` are the form and the decoded labels of `ClassCodes`.
    """

    n_rows = None
    declared: frozenset[str] = frozenset()
    header_line = b""
    not_numbers: Sequence[str] = MISSING_TEXT
    is_sparse = False
    header: bool | None = None
    label_form = CELL
    labels: Mapping[str, Any] = MappingProxyType({})

    def __init__(
        self,
        pieces: Pieces,
        columns: list[Column],
        body: Callable[[bool], Iterator[bytes]],
        form: Callable[[bytes], Any],
    ) -> None:
        self.name, self.path = pieces.name, pieces.path
        self.once = pieces.once
        self.columns = columns
        self.share_read: float | None = None
        self._all_pieces = pieces
        self._body = body
        self._form = form

    @property
    def has_rest(self) -> bool:
        """Whether a last row was left out because it has no end yet."""
        return self._all_pieces.has_rest

    @property
    def encoding(self) -> str | None:
        """The encoding that the user named."""
        return self._all_pieces.encoding.told

    @property
    def warnings(self) -> list[str]:
        """What was guessed about the file as a whole, and may be wrong."""
        return self._all_pieces.encoding.warnings

    def batches(
        self, names: Sequence[str], numeric: Collection[str] = (), last: bool = False,
        kept: Sequence[str] = (),
    ) -> Iterator[Batch]:
        """Yield batches of the columns `names`: those in `numeric` as floats if possible, else as text.

        They are followed by the columns `kept`, whose cells are as they are written.
        """
        done = 0
        shares: deque[float | None] = deque()   # of the pieces that are being parsed
        pieces = self._noting(self._pieces(last), shares)
        for rows, bad in _in_order(partial(self._parse, names, numeric, kept=kept), pieces):
            self.share_read = shares.popleft()
            total = rows.num_rows + len(bad)
            numbers = np.delete(np.arange(total), [n - 1 for n, _ in bad]) + done + 1
            headers = [done + n for n, complaint in bad if complaint == AGAIN]
            yield Batch(rows, numbers, [(done + n, why) for n, why in bad if why != AGAIN], headers=headers)
            done += total

    def distinct(self, name: str) -> Iterator[Distinct]:
        """Yield (values, n_rows, problems) of each piece: the distinct texts in the column `name`."""
        position = [column.name for column in self.columns].index(name)
        done = 0
        for values, n_rows, bad in _in_order(partial(self._distinct, name, position), self._pieces()):
            yield values, n_rows, [(done + n, complaint) for n, complaint in bad if complaint != AGAIN]
            done += n_rows + len(bad)

    def _noting(self, pieces: Iterator[bytes], shares: deque[float | None]) -> Iterator[bytes]:
        for piece in pieces:
            shares.append(self._all_pieces.share_read)
            yield piece

    def _pieces(self, last: bool = False) -> Iterator[bytes]:
        return (piece for piece in self._body(last) if piece and not piece.isspace())

    def _distinct(self, name: str, position: int, piece: bytes) -> Distinct:
        """Find the values by a fast scan; parse pieces that have quotes, escapes or unusual line ends."""
        piece = self._with_marked_headers(piece)
        form = self._form(piece)
        if form and not form.quote_char and not form.escape_char and _plain_line_ends(piece):
            try:
                n_rows, cells = distinct_cells(piece, ord(form.delimiter), len(self.columns), position)
                return [cell.decode() for cell in cells], n_rows, []
            except ValueError:
                pass
        rows, bad = self._parse([name], (), piece)
        return rows.column(0).unique().to_pylist(), rows.num_rows, bad

    def _parse(
        self, names: Sequence[str], numeric: Collection[str], piece: bytes, kept: Sequence[str] = ()
    ) -> tuple[Any, Problems]:
        # pyarrow decodes a row of the wrong length before it calls `note`, and hides an error there.
        self._all_pieces.encoding.check(piece)
        piece = self._with_marked_headers(piece)
        rows, bad = self._rows(names, numeric, piece, kept)
        form = self._form(piece)
        if not form.quote_char or not self._may_be_unclosed(piece, form, rows.num_rows + len(bad)):
            return rows, bad
        places = [j for j, column in enumerate(self.columns) if column.name in numeric]
        piece, unclosed = without_unclosed(piece, form, len(self.columns), places)
        if not unclosed:
            return rows, bad
        rows, bad = self._rows(names, numeric, piece, kept)
        return rows, _merged(bad, unclosed, rows.num_rows + len(bad))

    def _with_marked_headers(self, piece: bytes) -> bytes:
        """Return text in which lines that are the header again have a cell too many."""
        line = self.header_line
        if not line or line not in piece:
            return piece
        pattern = rb"(?m)^%s[ \t]*(?=\r?$)" % re.escape(line)
        return re.sub(pattern, lambda found: line + self._form(piece).delimiter.encode() + HEADER, piece)

    def _may_be_unclosed(self, piece: bytes, form: Any, n_rows: int) -> bool:
        # Either there is a row of several lines, or the last one ends inside a quote.
        return n_rows < piece.count(b"\n") or piece.count(form.quote_char.encode()) % 2 == 1

    def _rows(
        self, names: Sequence[str], numeric: Collection[str], piece: bytes, kept: Sequence[str]
    ) -> tuple[Any, Problems]:
        bad: Problems = []
        try:
            rows = self._table(names, numeric, piece, bad)
        except pa.ArrowInvalid:
            bad.clear()
            rows = self._table(names, (), piece, bad)
        if kept:
            rows = beside(rows, self._table(kept, (), piece, [], AS_WRITTEN))
        return rows, bad

    def _table(
        self, names: Sequence[str], numeric: Collection[str], piece: bytes, bad: Problems,
        missing_text: Sequence[str] = (),
    ) -> Any:
        def note(row: Any) -> str:
            if row.text.endswith(HEADER.decode()) and row.actual_columns == row.expected_columns + 1:
                bad.append((row.number, AGAIN))
                return "skip"
            text = row.text if len(row.text) <= 60 else row.text[:57] + "..."
            seen, wanted = row.actual_columns, row.expected_columns
            bad.append((row.number, f": {seen} columns instead of {wanted}: {text!r}"))
            return "skip"

        form = self._form(piece)
        form.invalid_row_handler = note
        form.newlines_in_values = True
        table = pa.csv.read_csv(
            pa.BufferReader(piece),
            pa.csv.ReadOptions(
                column_names=[column.name for column in self.columns],
                block_size=len(piece) + 1,
                use_threads=False,
            ),
            form,
            pa.csv.ConvertOptions(
                column_types={name: pa.float64() if name in numeric else TEXT for name in names},
                include_columns=names,
                null_values=missing_text or self.not_numbers,
                strings_can_be_null=bool(missing_text),  # NA may be a category
            ),
        )
        batches = table.combine_chunks().to_batches()
        return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)


def _merged(bad: Problems, left_out: Problems, n_rows: int) -> Problems:
    """Return the problems of `n_rows` rows that were numbered without those left out, in order of rows."""
    places = [number - 1 for number, _ in left_out]
    numbers = np.delete(np.arange(n_rows + len(left_out)), places) + 1
    return sorted([*left_out, *((int(numbers[number - 1]), complaint) for number, complaint in bad)])


@contextmanager
def _opened(path: str | PathLike[str]) -> Iterator[tuple[Any, Any]]:
    """Open a file; yield it, decompressed, and the file as it is."""
    with nullcontext(sys.stdin.buffer) if path == "-" else open(path, "rb") as file:
        file = file if hasattr(file, "peek") else io.BufferedReader(file)
        start = file.peek(4)[:4]
        codec = next((codec for magic, codec in PACKED.items() if start.startswith(magic)), None)
        text = io.BufferedReader(pa.CompressedInputStream(file, codec), PIECE) if codec else file
        yield text, file


def _row_end(file: Any, at_line_end: bool, n_quotes: int) -> bytes:
    """Read on to the end of the row, which is several lines later if a quoted cell spans lines."""
    lines = [] if at_line_end else [file.readline(MAX_ROW)]
    n_quotes += sum(map(_n_quotes, lines))
    n_bytes = 0
    while n_quotes % 2 and n_bytes < PIECE and (line := file.readline(MAX_ROW)):
        lines.append(line)
        n_bytes += len(line)
        n_quotes += _n_quotes(line)
    return b"".join(lines)


def _end_of_rows(piece: bytes, quotes_end: bool) -> int:
    """Return where the last whole row ends; if `quotes_end`, a quoted cell without an end is not whole."""
    end = len(piece) if piece.endswith(b"\n") else max(piece.rfind(b"\n"), piece.rfind(b"\r")) + 1
    if quotes_end:
        whole = end
        while _n_quotes(piece[:whole]) % 2:
            whole = piece.rfind(b"\n", 0, piece.rfind(b'"', 0, whole)) + 1
        end = whole if end - whole < PIECE else end  # a stray quote must not hold up what follows
    return end


def _plain_line_ends(piece: bytes) -> bool:
    return b"\r" not in piece or piece.count(b"\r") == piece.count(b"\r\n")


def _n_quotes(text: bytes) -> int:
    # Most files have none, and `in` is ten times as fast as `count`.
    return text.count(b'"') if b'"' in text else 0


def _in_order(function: Callable[[bytes], T], items: Iterable[bytes]) -> Iterator[T]:
    """Yield function(item) for each item in order, computed ahead on other threads."""
    workers = min(4, pa.cpu_count())
    pool, done = ThreadPoolExecutor(workers), 0
    ahead: deque[Future[T]] = deque()
    try:
        for item in items:
            ahead.append(pool.submit(function, item))
            if len(ahead) > min(done, workers + 1):
                yield ahead.popleft().result()
                done += 1
        while ahead:
            yield ahead.popleft().result()
    finally:
        # The garbage collector may close this generator in any thread, even one that is just being started:
        # to wait for other threads there is a deadlock.
        pool.shutdown(wait=False, cancel_futures=True)
