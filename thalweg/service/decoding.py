"""Bodies of requests as rows, ids and labels."""

from typing import Any
from urllib.parse import parse_qsl

from msgspec import UNSET

from thalweg.service import bodies
from thalweg.service._native.json_rows import parse_rows
from thalweg.service.asked import LABEL, LEARN, PREDICT, Asked
from thalweg.service.request_error import RequestError

OPTIONS = ("durable", "sets", "id_column", "label_column")


def options_of(query: bytes) -> dict[str, str]:
    """Return the options in a query string; raise RequestError if one is unknown or there twice."""
    found: dict[str, str] = {}
    for name, value in parse_qsl(query.decode("latin-1"), keep_blank_values=True):
        if name not in OPTIONS or name in found:
            problem = "is there twice" if name in found else f"is unknown: there are {', '.join(OPTIONS)}"
            raise RequestError(
                "wrong_query", f"the option {name[:80]!r} of the address {problem}", field=name[:80]
            )
        found[name] = value
    return found


def apply_options(asked: Asked, options: dict[str, str]) -> None:
    """Set what the address says about durability and prediction sets."""
    for name, allowed in (("durable", ("true", "soon")), ("sets", ("true", "false"))):
        if name in options and (asked.kind != PREDICT or options[name] not in allowed):
            problem = f"must be {' or '.join(allowed)}" if asked.kind == PREDICT else "is for predict"
            raise RequestError("wrong_query", f"the option {name} {problem}", field=name)
    asked.durable = asked.durable and options.get("durable") != "soon"
    asked.sets = asked.sets or options.get("sets") == "true"


def decode_json(kind: str, body: bytes, max_rows: int) -> Asked:
    """Return what a JSON body asks for; raise RequestError if it is wrong."""
    try:
        found = bodies.BODIES[kind].decode(body)
    except (ValueError, RecursionError) as error:
        bodies.refuse(error)
    if kind == PREDICT:
        return _predict(found, max_rows)
    return _label(found, max_rows) if kind == LABEL else _learn(found, max_rows)


def _predict(found: bodies.PredictBody, max_rows: int) -> Asked:
    asked = _rows(PREDICT, found, max_rows)
    asked.durable = found.durable is UNSET or found.durable is True
    asked.sets = found.sets is True
    return asked


def _rows(kind: str, found: Any, max_rows: int) -> Asked:
    """Return the rows and ids of a request to predict or to learn."""
    given = [name for name in ("row", "x", "rows") if getattr(found, name) is not UNSET]
    if len(given) != 1:
        seen = f"got {' and '.join(given)}" if given else "got none of them"
        raise RequestError(
            "wrong_field", f"give one of row, x or rows: {seen}", field=given[-1] if given else "row"
        )
    if given[0] != "rows":
        if found.ids is not UNSET:
            raise RequestError("wrong_field", "ids are for rows: give id", field="ids")
        ids = None if found.id is UNSET else [bodies.check_id(found.id)]
        rows = [found.row if given[0] == "row" else found.x]
        return Asked(kind, 1, rows, ids, is_one=True)
    if found.id is not UNSET:
        raise RequestError("wrong_field", "id is for one row: give ids", field="id")
    rows, n = found.rows, len(found.rows)
    check_rows(n, max_rows)
    _check_same_form(rows)
    ids = None if found.ids is UNSET else found.ids
    _check_ids(ids, n)
    return Asked(kind, n, rows, ids)


def _label(found: bodies.LabelBody, max_rows: int) -> Asked:
    if found.id is not UNSET and found.label is not UNSET and found.ids is found.labels is UNSET:
        return Asked(LABEL, 1, ids=[bodies.check_id(found.id)], labels=[found.label], is_one=True)
    if found.ids is UNSET or found.labels is UNSET or found.id is not UNSET or found.label is not UNSET:
        missing = "label" if found.id is not UNSET else "labels" if found.ids is not UNSET else "id"
        raise RequestError("wrong_field", "give id and label, or ids and labels", field=missing)
    check_rows(len(found.ids), max_rows)
    _check_ids(found.ids, len(found.labels), "labels")
    return Asked(LABEL, len(found.ids), ids=found.ids, labels=found.labels)


def _learn(found: bodies.LearnBody, max_rows: int) -> Asked:
    asked = _rows(LEARN, found, max_rows)
    name = "label" if asked.is_one else "labels"
    given = getattr(found, name)
    if given is UNSET:
        raise RequestError("wrong_field", f"{name} is missing", field=name)
    other = "labels" if asked.is_one else "label"
    if getattr(found, other) is not UNSET:
        raise RequestError("wrong_field", f"give {name}, not {other}", field=other)
    asked.labels = [given] if asked.is_one else given
    if len(asked.labels or ()) != asked.n:
        what = f"got {asked.n:,} rows and {len(given):,} labels"
        raise RequestError("wrong_field", what, field="labels")
    return asked


def decode_lines(kind: str, body: bytes, max_rows: int, width: int | None = None) -> Asked:
    """Return what JSON lines ask for; raise RequestError if a line is wrong.

    Lines of `width` numbers, where that is known, are read by compiled code, as long as they are plain.
    """
    if width is not None and kind != LABEL:
        parsed = parse_rows(body, width, max_rows)
        if parsed is not None and (parsed[2] is None) == (kind == PREDICT):
            X, known, given = parsed
            return Asked(kind, len(X), X, known, given)
    check_rows(body.count(b"\n"), max_rows + 1)
    try:
        lines = bodies.LINES[kind].decode_lines(body)
    except (ValueError, RecursionError) as error:
        bodies.refuse(error)
    check_rows(len(lines), max_rows)
    ids = _ids_of_lines(lines)
    labels = [line.label for line in lines] if kind != PREDICT else None
    rows = None if kind == LABEL else _rows_of_lines(lines)
    return Asked(kind, len(lines), rows, ids, labels)


def _ids_of_lines(lines: list[Any]) -> list[int | str] | None:
    ids = [line.id for line in lines]
    n_without = sum(each is UNSET for each in ids)
    if n_without == len(ids):
        return None
    if n_without:
        row = ids.index(UNSET)
        raise RequestError("wrong_field", f"line {row} has no id, but others have", field="id", row=row)
    _check_ids(ids, len(ids))
    return ids


def _rows_of_lines(lines: list[Any]) -> list[Any]:
    rows = []
    for i, line in enumerate(lines):
        if (line.row is UNSET) == (line.x is UNSET):
            raise RequestError("wrong_field", f"line {i}: give one of row or x", field="row", row=i)
        rows.append(line.x if line.row is UNSET else line.row)
    _check_same_form(rows)
    return rows


def check_rows(n: int, max_rows: int) -> None:
    """Raise RequestError if a request has too many rows."""
    if n > max_rows:
        raise RequestError("too_many_rows", f"a request may have {max_rows:,} rows, got more", field="rows")


def _check_same_form(rows: list[Any]) -> None:
    kinds = {*map(type, rows)}
    if len(kinds) > 1:
        i = next(i for i, row in enumerate(rows) if type(row) is not type(rows[0]))
        what = f"row {i} and the first one differ: rows are all records, or all lists of numbers"
        raise RequestError("wrong_field", what, field="rows", row=i)


def _check_ids(ids: list[int | str] | None, n: int, of: str = "rows") -> None:
    if ids is None:
        return
    if len(ids) != n:
        raise RequestError("wrong_field", f"got {len(ids):,} ids and {n:,} {of}", field="ids")
    for i, each in enumerate(ids):
        bodies.check_id(each, i)
