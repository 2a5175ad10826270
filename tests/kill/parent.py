"""Starts the process that owns the live model, kills it, and checks what it said against a plain replay."""

import os
import pickle
import random
import select
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from kill import child
from kill.stream import MAX_WAITING, Script, Sent, first_model, label, record
from thalweg.live import LiveModel

MODES = ("durable", "soon", "batches", "checkpoints", "recovering")
BATCH = {"batches": 20}
MOST_NEW = 60  # requests that a process sends


class Failed(AssertionError):
    """An acknowledged event was lost, doubled or changed."""


@dataclass
class Event:
    """An event that was acknowledged: what it was, and the probabilities that were answered."""

    kind: str
    row: int
    p: Any = None


@dataclass
class Counts:
    kills: int = 0
    events: int = 0
    again: int = 0
    lost_soon: int = 0
    after_label: int = 0
    during_recovery: int = 0
    checks: int = 0


@dataclass
class Client:
    """What a client knows: what it sent, and what was acknowledged."""

    sent: dict[int, Sent] = field(default_factory=dict)
    open: set[int] = field(default_factory=set)
    events: dict[int, Event] = field(default_factory=dict)
    soon: set[int] = field(default_factory=set)  # events that may be lost in a crash
    durable: int = 0  # all events up to this one must survive
    owner: dict[tuple[str, int], int] = field(default_factory=dict)  # the event of each row


class Plain:
    """The model that the acknowledged events make, one row after another, by nothing but `Model`."""

    def __init__(self, learner: str) -> None:
        self.model, self.event = first_model(learner), 0

    def replay(self, events: dict[int, Event], until: int) -> None:
        for number in range(self.event + 1, until + 1):
            if number not in events:
                raise Failed(f"event {number} of {until} was never acknowledged, nor known when sent again")
            self.one(events[number], number)
        self.event = until

    def one(self, event: Event, number: int) -> None:
        i = event.row
        self.model._late._next = 1 + number  # a live model knows rows by their events
        if event.kind == "predict":
            p = self.model.predict_proba(record(i), ids=[f"r{i}"])[0]
            p = p[np.argsort(self.model._in_order(np.arange(len(p))))]  # in the order in which labels came
            if event.p is not None and not np.array_equal(p, event.p):
                raise Failed(f"event {number} was answered with {event.p}, plain code says {p}")
        elif event.kind == "label":
            self.model.label([f"r{i}"], [label(i)])
        elif self.model.learner_.observes:
            self.model.learn([record(i)], [label(i)], ids=[f"k{i}"])
        else:
            self.model.learn(record(i) | {"paid": label(i)})


class Rounds:
    """One folder, one mode: process after process, each killed."""

    def __init__(self, folder: Path, mode: str, seed: int, learner: str) -> None:
        self.folder, self.mode = folder, mode
        self.random = random.Random(seed)
        self.script = Script(seed, BATCH.get(mode, 1), mode == "soon")
        self.client, self.plain, self.counts = Client(), Plain(learner), Counts()
        self._answers: set[int] = set()  # numbers of requests that were answered
        with LiveModel(folder, first_model(learner)):
            pass

    def round(self) -> None:
        client = self.client
        again = [(number, client.sent[number]) for number in sorted(client.open)]
        again += self._unsure()
        new = []
        for _ in range(MOST_NEW):
            number = len(client.sent)
            client.sent[number] = self.script.draw()
            new.append((number, client.sent[number]))
        early = self.mode == "recovering" and self.random.random() < 0.6
        self._run_and_kill(again, new, 0 if early else self.random.randint(1, MOST_NEW + len(again)))
        self.counts.kills += 1

    def _unsure(self) -> list[tuple[int, Sent]]:
        """Return requests for rows whose events may have been lost, because they were only soon on disk."""
        client, found = self.client, []
        for event in sorted(client.soon):
            if event > client.durable:
                number = len(client.sent)
                client.sent[number] = Sent("predict", [client.events[event].row])
                found.append((number, client.sent[number]))
        return found

    def _run_and_kill(self, again: list[Any], new: list[Any], n_answers: int) -> None:
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            child.run(writing, str(self.folder), self.mode, again, new)
        os.close(writing)
        sent = {number for number, _ in [*again, *new]}
        messages = Messages(reading)
        try:
            said = messages.until(n_answers)
            time.sleep(self.random.random() * (0.003 if n_answers else 0.05))  # anywhere, even in a replay
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        said += messages.rest()
        os.close(reading)
        self.counts.during_recovery += all(kind == "started" for kind, *_ in said)
        for message in said:
            self._take(message)
        client = self.client
        client.open = {number for number in sent | client.open if number not in self._answers}

    def _take(self, message: Any) -> None:
        kind, *rest = message
        if kind == "failed":
            raise Failed(rest[0])
        if kind == "answer":
            self._answered(*rest)
        elif kind == "state":
            self._check_state(*rest)

    def _answered(self, number: int, statuses: list[str], events: list[Any], said: Any) -> None:
        client, sent = self.client, self.client.sent[number]
        self._answers.add(number)
        client.open.discard(number)
        if sent.kind == "predict":
            self.script.was_predicted([i for i in sent.rows if i not in self.script.unlabelled])
        for place, (i, status, event) in enumerate(zip(sent.rows, statuses, events, strict=True)):
            if status in ("unknown_id", "dropped"):
                continue
            if status not in ("predicted", "learned", "already"):
                raise Failed(f"{sent.kind} of row {i} was answered with {status}")
            p = None
            if said is not None and status == "predicted":
                p = said[0][place]
            self._note(Event("label" if sent.kind == "label" else sent.kind, i, p), event, status, sent.soon)
        if not sent.soon:
            known = [event for event in events if event is not None]
            client.durable = max([client.durable, *known])

    def _note(self, event: Event, number: int, status: str, soon: bool) -> None:
        client = self.client
        key = event.kind, event.row
        before = client.owner.get(key)
        self.counts.again += status == "already"
        label_event = client.owner.get(("label", event.row))
        if event.kind == "predict" and status == "already" and number == label_event:
            self.counts.after_label += 1  # asked for again after its label, it names that event
            return
        # A row that was dropped to make room is predicted again; the plain replay fails if it was not.
        was_dropped = event.kind == "predict" and before is not None and number > before + MAX_WAITING
        if before not in (None, number) and not was_dropped and not self._is_lost(before, event):
            raise Failed(f"the {event.kind} of row {event.row} is event {before} and {number} ({status})")
        known = client.events.get(number)
        if known is not None and (known.kind, known.row) != key:
            if not self._is_lost(number, known):
                raise Failed(f"event {number} was {known.kind} of row {known.row}, now of {event.row}")
            known = None
        client.owner[key] = number
        if known is None:
            client.events[number] = event
        if soon:
            client.soon.add(number)
        else:
            client.soon.discard(number)

    def _is_lost(self, number: int, event: Event) -> bool:
        """Forget an event that may have been lost; return whether it may."""
        client = self.client
        if number not in client.soon or number <= client.durable:
            return False
        client.soon.discard(number)
        found = client.events.get(number)
        if found is not None and (found.kind, found.row) == (event.kind, event.row):
            del client.events[number]
            client.owner.pop((found.kind, found.row), None)
        self.counts.lost_soon += 1
        return True

    def _check_state(self, event: int, digest: str, _live: str) -> None:
        """All that was acknowledged is there once, and the model is what plain code makes of it."""
        client = self.client
        beyond = [number for number in client.events if number > event]
        if beyond:
            raise Failed(f"event {max(beyond)} was acknowledged, but there are only {event}")
        self.plain.replay(client.events, event)
        if self.plain.model.digest() != digest:
            raise Failed(f"the model after event {event} differs from a plain replay")
        client.soon.clear()
        client.durable = event
        self.counts.checks += 1
        self.counts.events = event


class Messages:
    """The messages of a child; at its death those that were written whole."""

    def __init__(self, handle: int) -> None:
        self._handle, self._data, self._is_over = handle, b"", False

    def until(self, n_answers: int) -> list[Any]:
        """Return the messages up to so many answers, or to the end of the requests."""
        found, n = [self._get()], 0
        while n < n_answers and found[-1][0] not in ("done", "failed"):
            found.append(self._get())
            n += found[-1][0] == "answer"
        return found

    def _get(self) -> Any:
        while (message := self._next()) is None:
            ready, _, _ = select.select([self._handle], [], [], 300.0)
            if not ready:
                raise Failed("the process has said nothing for five minutes")
            self._read()
            if self._is_over:
                raise Failed("the process ended by itself")
        return message

    def rest(self) -> list[Any]:
        while not self._is_over:
            self._read()
        found = []
        while (message := self._next()) is not None:
            found.append(message)
        return found

    def _read(self) -> None:
        data = os.read(self._handle, 1 << 16)
        self._data += data
        self._is_over = not data

    def _next(self) -> Any:
        size = child.HEADER.size
        if len(self._data) < size:
            return None
        (n,) = child.HEADER.unpack_from(self._data)
        if len(self._data) < size + n:
            return None
        message, self._data = pickle.loads(self._data[size : size + n]), self._data[size + n :]
        return message
