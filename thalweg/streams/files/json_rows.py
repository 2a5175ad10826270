"""Rows of JSON lines, read one by one: slower than pyarrow, and able to read what it cannot."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from thalweg.streams.columns.column import Problems, shown

Path: TypeAlias = tuple[str, ...]
MAX_DEPTH = 20
BOOLEAN_TEXT = {True: "true", False: "false"}


class Digits(str):
    """A number as it is written."""

    __slots__ = ()


_DECODER = json.JSONDecoder(parse_float=Digits, parse_int=Digits, parse_constant=Digits)


class Unfit(ValueError):
    """A row that cannot be read; the message continues "data row 5"."""


def rows_of(piece: bytes) -> Iterator[tuple[int, dict[str, Any] | Unfit]]:
    """Yield the number of each line that is not blank, from 1, and its object, or why it has none."""
    number = 0
    for line in piece.split(b"\n"):
        if line and not line.isspace():
            number += 1
            try:
                yield number, _object(line)
            except Unfit as error:
                yield number, error


def _object(line: bytes) -> dict[str, Any]:
    text = line.decode(errors="replace").strip()
    try:
        row = _DECODER.decode(text)
        if "\\ud" in text or "\\uD" in text:
            json.dumps(row, ensure_ascii=False).encode()
    except RecursionError:
        raise Unfit(f": its JSON is nested too deeply: {shown(text)}") from None
    except UnicodeEncodeError:
        raise Unfit(f": half a surrogate pair is no character: {shown(text)}") from None
    except json.JSONDecodeError as error:
        hint = "; each line must be one object: jq -c . FILE > rows.jsonl" if text == "{" else ""
        raise Unfit(f": not JSON ({error.msg}): {shown(text)}{hint}") from None
    if not isinstance(row, dict):
        raise Unfit(f": not a JSON object: {shown(text)}")
    return row


def value_at(row: dict[str, Any], path: Path) -> str | None:
    """Return the value of a key, or of a key of a nested object, as text; None if it is missing."""
    value: Any = row
    for key in path:
        if value is None:
            return None
        if not isinstance(value, dict):
            raise Unfit(f", column {'.'.join(path)!r}: {shown(value)} is not an object, as in other rows")
        value = value.get(key)
    if isinstance(value, dict | list):
        what = "an object" if isinstance(value, dict) else "a list"
        raise Unfit(f", column {'.'.join(path)!r}: {shown(value)} is {what}, not one value")
    return BOOLEAN_TEXT[value] if isinstance(value, bool) else value


def texts(piece: bytes, paths: Sequence[Path], known: dict[str, Any]) -> tuple[
    list[list[str | None]], Problems, Counter[str]
]:
    """Return the values of each path in all rows that can be read, the others, and keys not `known`.

    Of the latter the number of rows that have them is counted. `known` is as `tree` returns it.
    """
    columns: list[list[str | None]] = [[] for _ in paths]
    problems: Problems = []
    others: Counter[str] = Counter()
    for number, row in rows_of(piece):
        try:
            if isinstance(row, Unfit):
                raise row
            values = [value_at(row, path) for path in paths]
        except Unfit as error:
            problems.append((number, str(error)))
            continue
        others.update(_others(row, known))
        for column, value in zip(columns, values, strict=True):
            column.append(value)
    return columns, problems, others


def cells(piece: bytes, paths: Sequence[Path]) -> list[list[str | None]]:
    """Return the values of each path in all rows as text: a list or an object as JSON, None if missing."""
    rows = [{} if isinstance(row, Unfit) else row for _, row in rows_of(piece)]
    return [[_cell(row, path) for row in rows] for path in paths]


def _cell(row: dict[str, Any], path: Path) -> str | None:
    value: Any = row
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if value is None or isinstance(value, str) else _as_json(value)


def _as_json(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_as_json, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_as_json(key)}: {_as_json(inner)}' for key, inner in value.items())}}}"
    return str(value) if isinstance(value, Digits) else json.dumps(value, ensure_ascii=False)


def tree(paths: Sequence[Path]) -> dict[str, Any]:
    """Return nested dicts of the keys of paths; a key at the end of one has None."""
    found: dict[str, Any] = {}
    for path in paths:
        inner = found
        for key in path[:-1]:
            inner = inner.setdefault(key, {})
        inner[path[-1]] = None
    return found


def _others(row: dict[str, Any], known: dict[str, Any], before: str = "") -> Iterator[str]:
    for key, value in row.items():
        if key not in known:
            yield before + key
        elif isinstance(value, dict) and known[key] is not None:
            yield from _others(value, known[key], f"{before}{key}.")


class Keys:
    """The keys of the first rows in order of appearance, those of nested objects too, and their types.

    Where some rows have an object and others a value, the first that is not null decides.
    """

    def __init__(self) -> None:
        self.types: dict[Path, set[str]] = {}
        self._objects: set[Path] = set()
        self._last: Path | None = None

    def add(self, row: dict[str, Any]) -> None:
        """Add the keys of a row."""
        self._add(row, ())
        self._last = self._last or next(reversed(self.types), None)

    def in_order(self) -> list[Path]:
        """Return all keys in order of appearance, but the last key of the first row last."""
        return sorted(self.types, key=lambda path: path == self._last)

    def _add(self, row: dict[str, Any], before: Path) -> None:
        for key, value in row.items():
            path = (*before, key)
            if path in self._objects:
                if isinstance(value, dict):
                    self._add(value, path)
            elif isinstance(value, dict) and not self.types.get(path) and len(path) < MAX_DEPTH:
                self.types.pop(path, None)
                self._objects.add(path)
                self._add(value, path)
            else:
                self.types.setdefault(path, set()).update(_types(value))


def _types(value: Any) -> set[str]:
    if value is None:
        return set()
    if isinstance(value, Digits):
        is_whole = value.lstrip("-").isdigit() and len(value) < 19
        return {"int" if is_whole else "float"}
    return {"object" if isinstance(value, dict) else type(value).__name__}
