"""Quotes that are opened and never closed: found, so that they cost one row and not all rows after it."""

import re
from collections.abc import Collection
from functools import lru_cache
from typing import Any

from thalweg.streams.columns.column import Problems, shown

QUOTED = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\""""
VALUE = re.compile(rf"\s*({QUOTED}|[^,]*)\s*(?:,|$)")  # of a line of ARFF
UNCLOSED = ": there is a quote that is never closed: {}"


def without_unclosed(
    piece: bytes, form: Any, n_columns: int, numeric: Collection[int]
) -> tuple[bytes, Problems]:
    """Return a piece without the lines in which a quote is not closed, and (row, message) of those lines.

    A row over several lines is cut at its first line if its quotes do not end where a cell ends, if it has
    not `n_columns` cells, or if a cell over several lines is in a column of numbers (`numeric`, positions).
    """
    cell, row, line = _patterns(form.delimiter, form.quote_char, form.escape_char)
    kept: list[bytes] = []
    bad: Problems = []
    start = number = 0
    while start < len(piece):
        end = piece.find(b"\n", start) + 1 or len(piece)
        if piece[start:end].isspace():
            start = end
            continue
        found = row.match(piece, start)
        stop = found.end() if found else end
        number += 1
        if stop > end and not _is_whole(cell, piece[start:stop], n_columns, numeric):
            stop, found = end, None
        is_odd = piece.count(form.quote_char.encode(), start, end) % 2 == 1
        if found is None and (is_odd or not line.fullmatch(piece, start, end)):
            text = piece[start:end].decode("utf-8", "replace").rstrip("\r\n")
            bad.append((number, UNCLOSED.format(shown(text))))
        else:
            kept.append(piece[start:stop])
        start = stop
    return b"".join(kept), bad


def _is_whole(cell: re.Pattern[bytes], row: bytes, n_columns: int, numeric: Collection[int]) -> bool:
    cells = [found[0] for found in cell.finditer(row.rstrip(b"\r\n"))]
    return len(cells) == n_columns and not any(b"\n" in cells[j] for j in numeric)


def _inside(q: str, escape: str | bool, but: str = "") -> str:
    """Return a pattern of one character between quotes, none of `but`."""
    return rf"(?:[^{q}\\{but}]|\\.|{q}{q})" if escape else rf"(?:[^{q}{but}]|{q}{q})"


@lru_cache
def _patterns(delimiter: str, quote: str, escape: str | bool) -> tuple[re.Pattern[bytes], ...]:
    """Return patterns of a cell, a row and a line.

    Quoted cells of a row end where the next cell or row begins. At the end of a line no quote is open, and
    what follows a closed quote is part of its cell.
    """
    d, q = re.escape(delimiter), re.escape(quote)
    quoted, plain = rf"{q}{_inside(q, escape)}*+{q}[ \t]*", rf"(?!{q})[^{d}\r\n]*"
    in_line = _inside(q, escape, but=r"\r\n")
    of_row, of_line = rf"(?:{quoted}|{plain})", rf"(?:{q}{in_line}*+{q}[^{d}\r\n]*|{plain})"
    return (
        re.compile(rf"(?:^|(?<={d}))(?:{quoted}(?={d}|\r?\n|\r|\Z)|[^{d}\n]*)".encode(), re.S),
        re.compile(rf"{of_row}(?:{d}{of_row})*+(?:\r?\n|\r|\Z)".encode(), re.S),
        re.compile(rf"{of_line}(?:{d}{of_line})*+[\r\n]*".encode()),
    )
