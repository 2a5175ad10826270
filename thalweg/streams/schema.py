"""A stream's inputs and classes as plain data, so that another file can be read into the same inputs."""

import math
from collections.abc import Iterable
from typing import Any

VERSION = 1


def schema(
    columns: list[dict[str, Any]],
    classes: Iterable[Any],
    more_classes: bool,
    target: str | None = None,
    ignored: Iterable[str] = (),
    header: bool | None = None,
    match: str = "exact",
    missing: Iterable[str] = (),
    ids: Iterable[str] = (),
    encoding: str | None = None,
) -> dict[str, Any]:
    """Return a schema: a dict of values that JSON has.

    `columns` are those that become inputs, in order; `ignored` are other columns that are known, `ids` those
    of them that hold ids. `match` says which spellings of a label are one, `missing` which cells are missing
    because the user said so, `encoding` that of a text file if the user named it.
    """
    return {
        "schema": VERSION,
        "target": target,
        "classes": plain_values(classes),
        "more_classes": more_classes,
        "columns": columns,
        "ignored": list(ignored),
        "header": header,
        "match": match,
        "missing": list(missing),
        "ids": list(ids),
        "encoding": encoding,
    }


def plain_values(values: Iterable[Any]) -> list[Any]:
    """Return values as JSON has them: text, numbers and booleans."""
    return [value if type(value) is str else _plain(value) for value in values]


def _plain(value: Any) -> Any:
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, str | int | float) else str(value)
