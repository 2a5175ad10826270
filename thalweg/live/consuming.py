"""A live model that does what the messages of a source say, and answers to a sink."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from thalweg.errors import short_repr
from thalweg.live.applying import Answer, apply, note
from thalweg.live.errors import RowError
from thalweg.live.ids import LONGEST
from thalweg.live.requests import LabelRequest, LearnRequest, Outcomes, Predictions, PredictRequest, Request

if TYPE_CHECKING:
    from thalweg.live.live_model import LiveModel

REFUSED, ERASED = "refused", "erased"


class Source(Protocol):
    """Where messages come from, from a position on; see `thalweg.connectors.KafkaSource`."""

    def open(self, position: Any = None) -> Any:
        """Read on from a position."""

    def next_batch(self) -> Any:
        """Return the next `thalweg.connectors.Batch`, or None at the end."""

    def close(self) -> None:
        """Release what is open."""


class Sink(Protocol):
    """Where answers go, in numbered batches; see `thalweg.connectors.KafkaSink`."""

    def write(self, outputs: Any, batch: int) -> None:
        """Write the records of a batch. The last one may come again, with the same number."""


@dataclass
class Consumed:
    """What came of a call of `consume`.

    Attributes
    ----------
    n_messages : int
        Messages that were read.
    n_refused : int
        Those of them that could not be read or done.
    n_batches : int
        Commits.
    """

    n_messages: int = 0
    n_refused: int = 0
    n_batches: int = 0


def consume(
    live: "LiveModel", source: Source, sink: Sink | None = None, *, name: str = "source",
    should_stop: Callable[[], bool] | None = None,
) -> Consumed:  # fmt: skip
    """Let a live model do what messages say, each exactly once, and write its answers to a sink.

    A message is `{"event": "predict", "id": "o7", "row": {…}}`, `{"event": "label", "id": "o7", "label":
    "yes"}` or `{"event": "learn", "row": {…}, "label": "yes"}` with or without an id. Without an "id" the key
    of the message is the id. Messages are done in their order, in whatever batches they come.

    Events, the position of the source and the answers are written to the folder of the live model in one
    commit; then the answers go to the sink. After a crash at any moment this goes on there, and a sink that
    knows its last batch, as `KafkaSink` does, gets each answer once. Messages that cannot be read or done are
    answered with the status "refused" and do not stop the others.

    Parameters
    ----------
    live : LiveModel
        Its model must have columns: let it learn history first.
    source : KafkaSource or alike
        Where messages come from. It is opened at the stored position, and closed at the end.
    sink : KafkaSink or alike, or None
        Where answers go.
    name : str, default="source"
        Under which the position is stored, if several sources feed one live model.
    should_stop : callable or None, default=None
        Asked before each batch. By default this ends where the source does.

    Returns
    -------
    Consumed
        What was read, and how much of it was refused.
    """
    done = Consumed()
    saved = json.loads(note(live, name) or '{"position": null, "batch": 0, "answers": []}')
    try:
        source.open(saved["position"])
        number = int(saved["batch"])
        if sink is not None and saved["answers"] and not _is_there(sink, saved):
            sink.write(saved["answers"], number)
        while not (should_stop and should_stop()):
            batch = source.next_batch()
            if batch is None:
                break
            if batch.messages or batch.refused:
                number += 1
                answers = _do(live, batch, number, name, keeps=sink is not None)
                if sink is not None:
                    sink.write(answers, number)
                done.n_messages += len(answers)
                done.n_refused += sum(answer["status"] == REFUSED for answer in answers)
                done.n_batches += 1
    finally:
        source.close()
    return done


def _is_there(sink: Any, saved: dict[str, Any]) -> bool:
    """Return whether a sink has the last batch, which is not the same any more because an id was erased."""
    return bool(saved.get("erased")) and hasattr(sink, "last_batch") and sink.last_batch() >= saved["batch"]


def without_id(name: str, text: str, key: int | str) -> str | None:
    """Return the note of a source without its answer to an id; None if it has none."""
    if not name.startswith("note "):
        return None
    try:
        saved = json.loads(text)
        answers = saved["answers"]
        places = [i for i, each in enumerate(answers) if each["id"] == key and type(each["id"]) is type(key)]
    except (LookupError, TypeError, ValueError):  # a note that is not of `consume`
        return None
    for i in places:
        answers[i] = {"id": None, "status": ERASED, "event": None, "source": answers[i]["source"]}
    return json.dumps(saved | {"erased": True}) if places else None


def _do(live: "LiveModel", batch: Any, number: int, name: str, keeps: bool) -> list[dict[str, Any]]:
    """Do a batch and commit it with its position; return the answers, which are stored if it `keeps` them."""
    requests: list[Request] = []
    places: list[Request | RowError] = []
    for message in batch.messages:
        try:
            requests.append(request_of(message.record, message.key))
            places.append(requests[-1])
        except RowError as error:
            places.append(error)
    said: list[dict[str, Any]] = []

    def notes(answers: Sequence[Answer]) -> dict[str, str]:
        rest = iter(answers)
        for message, place in zip(batch.messages, places, strict=True):
            answer = place if isinstance(place, RowError) else next(rest)
            key = message.record.get("id", message.key)
            said.append(answer_record(answer, key, f"{message.place}/{message.offset}"))
        said.extend(_refused(each.key, f"{each.place}/{each.offset}", each.problem) for each in batch.refused)
        stored = {"position": batch.position, "batch": number, "answers": said if keeps else []}
        return {name: json.dumps(stored)}

    apply(live, requests, notes)
    return said


def request_of(record: Mapping[str, Any], key: str | None) -> Request:
    """Return what a message asks for; raise RowError if it cannot be understood."""
    kind, found = record.get("event"), record.get("id", key)
    ids = None if found is None else [found]
    needs = {"predict": ("row",), "label": ("label",), "learn": ("row", "label")}.get(str(kind))
    if needs is None:
        raise RowError(f'"event" must be "predict", "label" or "learn", got {kind!r}', None, "event")
    for column in needs:
        if record.get(column) is None:
            raise RowError(f"a message with the event {kind!r} needs {column!r}", None, column)
    row, label = record.get("row"), record.get("label")
    if "row" in needs and not isinstance(row, dict):
        raise RowError(f"expected an object of columns, got {type(row).__name__}", None, "row")
    if kind == "learn":
        return LearnRequest([row], [label], ids)
    if ids is None:
        raise RowError("there is no id, in the message or as its key", None, "id")
    return LabelRequest(ids, [label]) if kind == "label" else PredictRequest([row], ids)


def answer_record(answer: Answer, key: Any, place: str) -> dict[str, Any]:
    """Return the record that is written for an answer."""
    if isinstance(answer, Exception):
        return _refused(key, place, str(answer))
    found = {"id": key, "status": answer.statuses[0], "event": answer.events[0], "source": place}
    if isinstance(answer, Outcomes):
        return found | ({} if answer.messages[0] is None else {"message": answer.messages[0]})
    return found | _prediction(answer)


def _prediction(answer: Predictions) -> dict[str, Any]:
    names, p = [_plain(each) for each in answer.classes], answer.probabilities[0].tolist()
    found: dict[str, Any] = {"label": _plain(answer.labels[0]), "classes": names, "probabilities": p}
    return found if answer.asks is None else found | {"asks": bool(answer.asks[0])}


def _refused(key: Any, place: str, problem: str) -> dict[str, Any]:
    # Whatever a message calls its id, its answer must be shorter than any sink allows, and not nested.
    is_plain = key is None or isinstance(key, str | int | float)
    if not is_plain or len(str(key)) > LONGEST:
        key = short_repr(key) if is_plain else f"a {type(key).__name__}"
    return {"id": key, "status": REFUSED, "event": None, "source": place, "message": problem}


def _plain(label: Any) -> Any:
    return label.item() if hasattr(label, "item") else label
