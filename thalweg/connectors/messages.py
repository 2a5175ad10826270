"""Messages as records: JSON objects in, JSON objects out."""

import json
import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from thalweg.errors import short_repr

Position = dict[str, int]  # "topic/partition" -> the offset to read next


class Message(NamedTuple):
    """A message that was read.

    Attributes
    ----------
    record : dict
        Its JSON object.
    key : str or None
        Its key as text.
    place : str
        "topic/partition".
    offset : int
        Its number in the partition.
    """

    record: dict[str, Any]
    key: str | None
    place: str
    offset: int


class Refused(NamedTuple):
    """A message that is no record.

    Attributes
    ----------
    key : str or None
        Its key as text.
    place : str
        "topic/partition".
    offset : int
        Its number in the partition.
    problem : str
        What is wrong with it.
    """

    key: str | None
    place: str
    offset: int
    problem: str


@dataclass(slots=True)
class Batch:
    """What was read at once.

    Attributes
    ----------
    messages : list of Message
        In the order of their partition.
    refused : list of Refused
        Messages that are no JSON objects. They are passed over, never read again, and reported.
    position : dict
        The offset to read next, for each "topic/partition": to be stored with what became of the messages.
    """

    messages: list[Message] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    position: Position = field(default_factory=dict)

    @property
    def records(self) -> list[dict[str, Any]]:
        """The records of the messages."""
        return [message.record for message in self.messages]


def decoded(value: bytes | None) -> dict[str, Any]:
    """Return the record in a message; raise ValueError if there is none."""
    if value is None:
        raise ValueError("it is empty")
    try:
        record = json.loads(value, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is not JSON: {error}: {short_repr(value[:60])}") from error
    if not isinstance(record, dict):
        raise ValueError(f"expected a JSON object, got {short_repr(record)}")
    return record


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text} is not allowed in JSON: write null for what is missing")


def encoded(record: dict[str, Any]) -> bytes:
    """Return a record as JSON; numbers that JSON does not have are null.

    Half a surrogate pair, which UTF-8 does not have, becomes its escape, which JSON has.
    """
    text = json.dumps(_plain(record), ensure_ascii=False, allow_nan=False)
    return text.encode(errors="backslashreplace")


def _plain(value: Any) -> Any:
    """Return values of NumPy as those of Python, and NaN and infinity as None."""
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, list):
        return _plain(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, str | int | bool | None) else str(value)


def key_text(key: bytes | str | None) -> str | None:
    """Return the key of a message as text; bytes that are no UTF-8 are written with backslashes."""
    return key.decode(errors="backslashreplace") if isinstance(key, bytes) else key
