"""Answers as JSON, JSON lines or Arrow."""

import datetime
import decimal
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from thalweg.live.requests import Outcomes, Predictions
from thalweg.service.arrow_messages import END
from thalweg.service.media import ARROW, LINES

NUMBER_BYTES = 24  # of a probability in JSON, with what is around it
_encoder = msgspec.json.Encoder()
to_json: Callable[[Any], bytes] = _encoder.encode


class Labels:
    """The JSON of the labels of a model, kept as long as its list of classes is the same.

    A label is a key of `probabilities`, too, where it is text: true is "true", 3 is "3".
    """

    def __init__(self) -> None:
        self._classes: list[Any] | None = None
        self._n = 0
        self._values: list[bytes] = []
        self._template = b""
        self._column: Any = None
        self.names: list[str] = []  # of the columns of probabilities
        self._sized: Any = None
        self._row_bytes = 0

    def of(self, classes: list[Any]) -> tuple[list[bytes], bytes]:
        """Return the JSON of each code, also of -1; and of probabilities with %b instead of each number."""
        if classes is not self._classes or len(classes) != self._n:
            self._values = [to_json(plain(label)) for label in [*classes, None]]
            self._column, self.names = None, [f"p_{as_key(label)}" for label in classes]
            keys = [to_json(as_key(label)).replace(b"%", b"%%") for label in classes]
            self._template = b"{" + b",".join([key + b":%b" for key in keys]) + b"}"
            self._classes, self._n = classes, len(classes)
        return self._values, self._template

    def bytes_of_row(self, classes: NDArray[Any]) -> int:
        """Return about how many bytes the probabilities of a row have in JSON, with their labels."""
        if classes is not self._sized:
            self._row_bytes = sum(len(to_json(as_key(label))) + NUMBER_BYTES for label in classes.tolist())
            self._sized = classes
        return self._row_bytes

    def column(self, found: Predictions) -> Any:
        """Return the answers as a column of Arrow, whose type is that of all labels of the model."""
        import pyarrow as pa

        self.of(found.classes)
        if self._column is None:
            self._column = _column(found.classes)
        if not len(found.codes) or found.codes.min() < 0:
            return pa.nulls(len(found.codes), self._column.type)
        return self._column.take(pa.array(found.codes))


def plain(label: Any) -> Any:
    """Return a label as JSON has it: dates as text."""
    if isinstance(label, datetime.date | datetime.time | datetime.timedelta | decimal.Decimal | bytes):
        return str(label)
    return label.item() if hasattr(label, "item") else label


def as_key(label: Any) -> str:
    """Return a label as text: true is "true", 3 is "3"."""
    found = plain(label)
    return found if isinstance(found, str) else to_json(found).decode()


def prediction_rows(found: Predictions, labels: Labels) -> list[bytes]:
    """Return the JSON object of each predicted row."""
    values, shares = labels.of(found.classes)
    n, k = found.probabilities.shape
    if not n:
        return []
    numbers = iter(to_json(found.probabilities.ravel().tolist())[1:-1].split(b",") if k else [])
    columns: list[Iterable[Any]] = []
    template = b"{"
    if found.ids is not None:
        template += b'"id":%b,'
        columns.append(map(to_json, found.ids))
    template += b'"label":%b,"probabilities":' + shares
    columns.append(map(values.__getitem__, found.codes.tolist()))
    columns += [numbers] * k
    for name, given, encode in (
        (b"set", found.sets, lambda each: to_json([plain(label) for label in each])),
        (b"event", None if None in found.events else found.events, to_json),
        (b"status", found.statuses if "already" in found.statuses else None, to_json),
        (b"wants_label", found.asks, to_json),
    ):
        if given is not None:
            template += b',"' + name + b'":%b'
            columns.append(map(encode, given))
    template += b"}"
    return [template % row for row in zip(*columns, strict=False)]


def outcome_rows(found: Outcomes) -> list[bytes]:
    """Return the JSON object of each learned row or label."""
    events = [event for event in found.events if event is not None]
    if found.is_good and len(events) == len(found.events):
        statuses = map(str.encode, found.statuses)
        if found.ids is None:
            return [b'{"status":"%b","event":%d}' % row for row in zip(statuses, events, strict=True)]
        columns = zip(map(to_json, found.ids), statuses, events, strict=True)
        return [b'{"id":%b,"status":"%b","event":%d}' % row for row in columns]
    rows = []
    ids = found.ids if found.ids is not None else [None] * len(found.statuses)
    for each, status, event, message in zip(ids, found.statuses, found.events, found.messages, strict=True):
        row: dict[str, Any] = {} if each is None else {"id": each}
        row["status"] = status
        if event is not None:
            row["event"] = event
        if message is not None:
            row["message"] = message
        rows.append(to_json(row))
    return rows


def encode_many(found: Predictions | Outcomes, labels: Labels, form: str) -> bytes:
    """Return the answer to a request of several rows, in the form in which it came."""
    if form == ARROW:
        return _arrow(found, labels)
    rows = prediction_rows(found, labels) if isinstance(found, Predictions) else outcome_rows(found)
    if form == LINES:
        return b"\n".join([*rows, b""])
    if isinstance(found, Predictions):
        return b'{"predictions":[' + b",".join(rows) + b"]}"
    n_learned, n_already = found.statuses.count("learned"), found.statuses.count("already")
    counts = b'{"learned":%d,"already":%d,"refused":%d,"outcomes":[' % (
        n_learned,
        n_already,
        len(rows) - n_learned - n_already,
    )
    return counts + b",".join(rows) + b"]}"


def _arrow(found: Predictions | Outcomes, labels: Labels) -> bytes:
    import pyarrow as pa

    columns: dict[str, Any] = {}
    if found.ids is not None:
        columns["id"] = _column(found.ids)
    if isinstance(found, Predictions):
        columns["label"] = labels.column(found)
        shares = np.ascontiguousarray(found.probabilities.T)
        columns |= {name: pa.array(each) for name, each in zip(labels.names, shares, strict=True)}
        if found.sets is not None:
            columns["set"] = pa.array([[as_key(label) for label in each] for each in found.sets])
        if found.asks is not None:
            columns["wants_label"] = pa.array(found.asks)
    else:
        columns["message"] = pa.array(found.messages, pa.string())
    if found.ids is not None or not isinstance(found, Predictions):
        columns["event"] = pa.array(found.events, pa.int64())
        columns["status"] = pa.array(found.statuses, pa.string())
    batch = pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))
    return b"".join((batch.schema.serialize(), batch.serialize(), END))


def _column(values: list[Any]) -> Any:
    import pyarrow as pa

    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError):  # of several types
        return pa.array([as_key(each) for each in values])
