"""Quotes that are opened and never closed: found, so that they cost one row and not all rows after it."""

import re
from collections.abc import Collection
from functools import lru_cache
from typing import Any

from thalweg.streams.columns.columns import Problems, shown

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
    row = _row_pattern(form.delimiter, form.quote_char, form.escape_char)
    cell = _cell_pattern(form.delimiter, form.quote_char, form.escape_char)
    line = _line_pattern(form.delimiter, form.quote_char, form.escape_char)
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
def _cell_pattern(delimiter: str, quote: str, escape: str | bool) -> re.Pattern[bytes]:
    d, q = re.escape(delimiter), re.escape(quote)
    inside = _inside(q, escape)
    quoted = rf"{q}{inside}*+{q}[ \t]*(?={d}|\r?\n|\r|\Z)"
    return re.compile(rf"(?:^|(?<={d}))(?:{quoted}|[^{d}\n]*)".encode(), re.S)


@lru_cache
def _row_pattern(delimiter: str, quote: str, escape: str | bool) -> re.Pattern[bytes]:
    """Return a pattern of a row whose quoted cells end where the next cell or row begins."""
    d, q = re.escape(delimiter), re.escape(quote)
    inside = _inside(q, escape)
    cell = rf"(?:{q}{inside}*+{q}[ \t]*|(?!{q})[^{d}\r\n]*)"
    return re.compile(rf"{cell}(?:{d}{cell})*+(?:\r?\n|\r|\Z)".encode(), re.S)


@lru_cache
def _line_pattern(delimiter: str, quote: str, escape: str | bool) -> re.Pattern[bytes]:
    """Return a pattern of a line at whose end no quote is open: what follows a closed quote is part of it."""
    d, q = re.escape(delimiter), re.escape(quote)
    inside = _inside(q, escape, but=r"\r\n")
    cell = rf"(?:{q}{inside}*+{q}[^{d}\r\n]*|(?!{q})[^{d}\r\n]*)"
    return re.compile(rf"{cell}(?:{d}{cell})*+[\r\n]*".encode())
