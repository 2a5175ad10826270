"""The JSON of requests: which fields there are, and what may be in them."""

import re
from typing import Any, Literal, NoReturn

import msgspec
from msgspec import UNSET, Struct, UnsetType

from thalweg.service.asked import LABEL, LEARN, PREDICT
from thalweg.service.request_error import RequestError

Id = str | int
Label = str | int | float | bool | None
Row = dict[str, Any]
Numbers = list[float | None]
Rows = list[Row | Numbers]

MAX_ID = 512  # characters
FAR = 2**63
_PLACE = re.compile(r" - at `(.*)`$")
_UNKNOWN = re.compile(r"unknown field `(.*)`")
_TYPE = re.compile(r"\b(?:str|int|float|bool|array|object)\b")
_WORDS = {"str": "text", "int": "whole number", "float": "number", "bool": "true or false", "array": "list",
          "object": "object"}  # fmt: skip


class PredictBody(Struct, forbid_unknown_fields=True, gc=False):
    """The body of `POST /models/NAME/predict`: one row, or `rows`."""

    id: Id | UnsetType = UNSET
    row: Row | UnsetType = UNSET
    x: Numbers | UnsetType = UNSET
    rows: Rows | UnsetType = UNSET
    ids: list[Id] | UnsetType = UNSET
    durable: bool | Literal["soon"] | UnsetType = UNSET
    sets: bool | UnsetType = UNSET


class LabelBody(Struct, forbid_unknown_fields=True, gc=False):
    """The body of `POST /models/NAME/label`: one id and its label, or `ids` and `labels`."""

    id: Id | UnsetType = UNSET
    label: Label | UnsetType = UNSET
    ids: list[Id] | UnsetType = UNSET
    labels: list[Label] | UnsetType = UNSET


class LearnBody(Struct, forbid_unknown_fields=True, gc=False):
    """The body of `POST /models/NAME/learn`: one row and its label, or `rows` and `labels`."""

    id: Id | UnsetType = UNSET
    row: Row | UnsetType = UNSET
    x: Numbers | UnsetType = UNSET
    label: Label | UnsetType = UNSET
    rows: Rows | UnsetType = UNSET
    ids: list[Id] | UnsetType = UNSET
    labels: list[Label] | UnsetType = UNSET


class PredictLine(Struct, forbid_unknown_fields=True, gc=False):
    """A line of JSON lines to predict."""

    id: Id | UnsetType = UNSET
    row: Row | UnsetType = UNSET
    x: Numbers | UnsetType = UNSET


class LabelLine(Struct, forbid_unknown_fields=True, gc=False):
    """A line of JSON lines with a label."""

    id: Id
    label: Label


class LearnLine(Struct, forbid_unknown_fields=True, gc=False):
    """A line of JSON lines to learn."""

    label: Label
    id: Id | UnsetType = UNSET
    row: Row | UnsetType = UNSET
    x: Numbers | UnsetType = UNSET


BODIES: dict[str, msgspec.json.Decoder[Any]] = {
    PREDICT: msgspec.json.Decoder(PredictBody),
    LABEL: msgspec.json.Decoder(LabelBody),
    LEARN: msgspec.json.Decoder(LearnBody),
}
LINES: dict[str, msgspec.json.Decoder[Any]] = {
    PREDICT: msgspec.json.Decoder(PredictLine),
    LABEL: msgspec.json.Decoder(LabelLine),
    LEARN: msgspec.json.Decoder(LearnLine),
}


def refuse(error: Exception) -> NoReturn:
    """Raise RequestError for what msgspec raised: 400 if it is no JSON, 422 with the field otherwise."""
    said = str(error)
    if isinstance(error, RecursionError):
        raise RequestError("not_json", "the body is nested too deeply") from None
    if isinstance(error, UnicodeDecodeError):
        raise RequestError("not_json", "the body is not UTF-8") from None
    if not isinstance(error, msgspec.ValidationError):
        why = said if said != "Input data was truncated" else "it ends too early"
        raise RequestError("not_json", f"the body is not JSON: {why}") from None
    row, field = _field(said)
    problem = _PLACE.sub("", said)
    if _UNKNOWN.search(problem) is None:  # the name of a field stays as it is
        problem = _TYPE.sub(lambda found: _WORDS[found[0]], problem).replace(" | ", " or ")
    problem = problem.replace("`", "").replace("Invalid enum value", 'Expected true, false or "soon", got')
    where = "" if row is None else f"line {row}: "
    raise RequestError(
        "wrong_field", f"{where}{problem}{f' in {field}' if field else ''}", field=field, row=row
    ) from None


def _field(said: str) -> tuple[int | None, str | None]:
    """Return the line, if it is one of JSON lines, and the field that a message of msgspec names."""
    unknown, place = _UNKNOWN.search(said), _PLACE.search(said)
    path = place[1].removeprefix("$") if place else ""
    found = re.match(r"\[(\d+)\]", path)
    row = int(found[1]) if found else None
    path = path[found.end() :].lstrip(".") if found else path.lstrip(".")
    if unknown:
        path = f"{path}.{unknown[1]}" if path else unknown[1]
    return row, path[:200] or None


def check_id(given: int | str, row: int | None = None) -> int | str:
    """Return an id; raise RequestError if it is too long, or no 64-bit number."""
    if isinstance(given, str):
        if not 0 < len(given) <= MAX_ID:
            what = f"an id must have 1 to {MAX_ID} characters, got {len(given):,}"
            raise RequestError("wrong_field", what, field="id", row=row)
    elif not -FAR <= given < FAR:
        raise RequestError("wrong_field", "an id that is a number must have 64 bits", field="id", row=row)
    return given
