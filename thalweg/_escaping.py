"""Text of data, made harmless for what reads it: a terminal, a page, a log, a spreadsheet.

Names, labels and cells may be anything: commands to a terminal, marks that turn the direction of what follows
them, formulas. Each function is called where text leaves the library; in between text stays as it is.
"""

import html
import json
import re
from collections.abc import Callable
from typing import Any

# Spaces of any width, and what joins letters of Persian or Hindi and parts of emoji.
_HARMLESS = frozenset("\u00a0\u1680\u202f\u205f\u3000\u200c\u200d" + "".join(map(chr, range(0x2000, 0x200B))))
_MARKDOWN = re.compile(r"[\\`*\[\]|]")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_FORMULA = re.compile(r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?([eE][+-]?\d+)?")


def _as_in_python(character: str) -> str:
    return character.encode("unicode_escape").decode()


def printable(text: str, keep: str = "", escaped: Callable[[str], str] = _as_in_python) -> str:
    """Return text with line ends, other control characters and marks of direction escaped, but for `keep`."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in _HARMLESS or c in keep else escaped(c) for c in text)


def in_html(text: object) -> str:
    """Return text for an element or an attribute of HTML or SVG."""
    return html.escape(printable(str(text), keep="\n\t"))


def in_markdown(text: str) -> str:
    """Return text for a line or a cell of a table in Markdown: no markup, HTML or link in it counts."""
    return _TAG.sub("&lt;", _MARKDOWN.sub(r"\\\g<0>", printable(text)))


def in_json(line: str) -> str:
    """Return JSON in one line with the characters escaped that a terminal may obey; its value is the same."""
    return printable(line, escaped=lambda character: json.dumps(character)[1:-1])


def in_cells(table: Any, escape: Callable[[str], str]) -> Any:
    """Return a table of Arrow with the names of its columns and their texts escaped."""
    import pyarrow as pa

    columns = []
    for column, kind in zip(table.columns, table.schema.types, strict=True):
        if pa.types.is_dictionary(kind):
            column, kind = column.cast(kind.value_type), kind.value_type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            column = pa.chunked_array([_each_once(chunk, escape) for chunk in column.chunks], kind)
        columns.append(column)
    return pa.table(columns, names=[escape(name) for name in table.column_names])


def _each_once(texts: Any, escape: Callable[[str], str]) -> Any:
    import pyarrow as pa

    coded = texts.dictionary_encode()
    known = coded.dictionary
    return pa.array([escape(text) for text in known.to_pylist()], known.type).take(coded.indices)


def in_spreadsheet(text: str) -> str:
    """Return a cell of a CSV file with ' before what a spreadsheet takes for a formula; numbers stay."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text
