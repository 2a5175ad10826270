"""What a client sends and what it returns."""

import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from thalweg.live.client.errors import ServiceError
from thalweg.live.requests import ERRORS

JSON, LINES = "application/json", "application/x-ndjson"


class Prediction(NamedTuple):
    """The answer for one row.

    Attributes
    ----------
    label : str, int, float or bool
        The answer.
    probabilities : dict
        By label, as text.
    id : int, str or None
    event : int or None
        The number of the event, if the row has an id.
    status : str
        "predicted", or "already" if this is the answer to an earlier request with the same id.
    set : list or None
        The prediction set, if asked for.
    wants_label : bool or None
        Whether a label would help, if the service has a label budget.
    """

    label: Any
    probabilities: dict[str, float]
    id: int | str | None = None
    event: int | None = None
    status: str = "predicted"
    set: list[Any] | None = None
    wants_label: bool | None = None


class Outcome(NamedTuple):
    """What became of one label.

    Attributes
    ----------
    status : str
        "learned", "already", or what is wrong: "unknown_id", "dropped", "expired", "other_label",
        "unknown_label".
    id : int, str or None
    event : int or None
    message : str or None
        A sentence, if something is wrong.
    """

    status: str
    id: int | str | None = None
    event: int | None = None
    message: str | None = None

    @property
    def is_good(self) -> bool:
        """Whether the label was learned, now or before."""
        return self.status not in ERRORS


class Call(NamedTuple):
    """A request: its path, content type and body, and the class of its answers."""

    path: str
    content_type: str
    body: bytes
    kind: type[Prediction] | type[Outcome]
    first: int  # number of its first row among all rows

    def answers(self, content: bytes) -> list[Any]:
        """Return the answers in the body of a response."""
        rows = [json.loads(content)] if self.content_type == JSON else map(json.loads, content.splitlines())
        try:
            return [self.kind(**{key: row[key] for key in self.kind._fields if key in row}) for row in rows]
        except (TypeError, AttributeError) as error:
            raise ServiceError(f"the answer cannot be read: {error}") from None


def is_one_row(rows: Any) -> bool:
    """Return whether this is one row: a record, or a sequence of numbers."""
    if isinstance(rows, Mapping):
        return True
    if isinstance(rows, np.ndarray):
        return rows.ndim == 1
    if not isinstance(rows, Sequence) or not rows:
        return False
    return isinstance(rows[0], str | bytes) or not isinstance(rows[0], Mapping | Sequence | np.ndarray)


def row_fields(row: Any) -> dict[str, Any]:
    """Return the fields of a request for one row."""
    if isinstance(row, Mapping):
        return {"row": {str(key): plain(cell) for key, cell in row.items()}}
    return {"x": [plain(cell) for cell in (row.tolist() if hasattr(row, "tolist") else row)]}


def plain(value: Any) -> Any:
    """Return a value as JSON has it: NaN as null, dates as text; lists stay lists, which services refuse."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and value != value:
        return None
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return str(value)


def is_one_value(value: Any) -> bool:
    """Return whether this is one value, such as text or a number, and not a sequence of them."""
    is_one = isinstance(value, str | bytes) or not isinstance(value, Iterable)
    return is_one or getattr(value, "ndim", None) == 0


def listed(values: Any) -> list[Any]:
    """Return one value or several as a list of plain ones; a text is one."""
    if is_one_value(values):
        return [plain(values)]
    return [plain(each) for each in (values.tolist() if hasattr(values, "tolist") else values)]


def new_ids(n: int) -> list[str]:
    """Return ids for rows to learn that have none, so that they can be sent again."""
    start = uuid.uuid4().hex
    return [f"{start}-{i}" for i in range(n)]


def calls(path: str, rows: list[dict[str, Any]], size: int, kind: Any, is_one: bool) -> Iterator[Call]:
    """Yield the requests that send rows: one as JSON, several as JSON lines of at most `size`."""
    if is_one:
        yield Call(path, JSON, _dumped(rows[0]), kind, 0)
        return
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        yield Call(path, LINES, b"\n".join(map(_dumped, part)), kind, start)


def _dumped(row: dict[str, Any]) -> bytes:
    try:
        return json.dumps(row, allow_nan=False, separators=(",", ":")).encode()
    except ValueError as error:
        raise ServiceError(f"a row cannot be sent: {error}") from None
