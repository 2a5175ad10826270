"""Requests as events, and events as answers: one group of requests at a time."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from thalweg._types import Floats, Ints, Mask
from thalweg.errors import short_repr
from thalweg.live.block import Block
from thalweg.live.engine import Engine
from thalweg.live.errors import RowError
from thalweg.live.events import Group
from thalweg.live.ids import LONGEST, Id
from thalweg.live.label_codes import Coded, IsLearned, coded_labels
from thalweg.live.learning import Found
from thalweg.live.requests import (
    ALREADY,
    DROPPED,
    EXPIRED,
    LEARNED,
    OTHER_LABEL,
    PREDICTED,
    UNKNOWN_ID,
    UNKNOWN_LABEL,
    LabelRequest,
    LearnRequest,
    Outcomes,
    Predictions,
    PredictRequest,
    Request,
    Result,
)
from thalweg.live.rows import chosen_rows, label_list, number_of_rows, with_labels
from thalweg.model.rows import as_ids

NO_COLUMNS = "the model has learned nothing yet and has no columns: send rows with labels to learn first"


class SpoiltBlock(Exception):
    """A request has failed after some of its events were added: the state must be read from disk again."""


class Answering:
    """The requests of one group: `add` decides what each becomes, `finish` learns and answers."""

    def __init__(
        self, engine: Engine, time: float, max_age: float | None = None, adds_labels: bool = True
    ) -> None:
        self.engine, self._time, self._adds_labels = engine, time, adds_labels
        self.block = engine.open_block() if max_age is None else engine.open_block(time - max_age)
        self._mark = engine.coder.mark()
        self._answers: list[Callable[[Found], Result]] = []

    def add(self, request: Request) -> int:
        """Take a request; return its number. Raise RowError, and do nothing of it, if it cannot be read."""
        mark, n_events = self.engine.coder.mark(), len(self.block)
        try:
            if isinstance(request, PredictRequest):
                answer = self._predict(request)
            elif isinstance(request, LabelRequest):
                answer = self._label(request)
            else:
                answer = self._learn(request)
        except BaseException as error:
            if len(self.block) != n_events:
                raise SpoiltBlock("a request failed half way") from error
            self.engine.coder.undo(mark)
            raise
        self._answers.append(answer)
        return len(self._answers) - 1

    def finish(self) -> tuple[Group | None, list[Result]]:
        """Pass all events to the learner; return them, and the answers in the order of the requests."""
        group = None
        if len(self.block):
            n_expired = self.block.expire()
            group = self.block.group(self._time, n_expired, self.engine.coder.growth(self._mark))
            self.engine.time = self._time
        found = self.block.finish()
        return group, [answer(found) for answer in self._answers]

    def _predict(self, request: PredictRequest) -> Callable[[Found], Result]:
        ids, n = checked_ids(request.ids), number_of_rows(request.rows)
        check_number(ids, n, "rows")
        if request.sets and not self.engine.has_sets:
            raise no_sets()
        new = self.block.new_places(ids)
        known = sorted({*range(n)}.difference(new)) if len(new) < n else []
        X = self._rows(request.rows, new, n)
        answer = _Predicted(self.engine, ids, request.sets)
        keys = [ids[i] for i in new] if known else ids
        first = dict(zip(reversed(keys), reversed(new), strict=True)) if known else {}
        before = [i for i in known if i < first.get(ids[i], n)]
        for i in before:
            answer.keep(i, self.block, request.rows)
        first_event = self.block.first + len(self.block)
        places = self.block.predict(keys, X, self._time)
        answer.predicted(new, first_event, places)
        if len(before) < len(known):  # rows of this request with the id of one before them
            place_of: dict[Id, int] = {}
            new_place = dict(zip(new, places, strict=True))
            skipped = {*before}
            for i, key in enumerate(ids):
                if i in new_place:
                    place_of[key] = new_place[i]
                elif i not in skipped:
                    answer.keep(i, self.block, request.rows, place_of[key])
        return answer.answer

    def _label(self, request: LabelRequest) -> Callable[[Found], Result]:
        ids, labels = checked_ids(request.ids), label_list(request.labels)
        check_number(ids, len(labels), "labels")
        coded = self._coded(labels, ids, lambda i, seen: self.block.waits(ids[i]) and ids[i] not in seen)
        statuses, events = self.block.label(coded.chosen(ids), coded.codes, self._time)
        return self._outcomes(ids, coded, statuses, events)

    def _coded(self, labels: list[Any], ids: list[Id] | None, is_learned: IsLearned | None) -> Coded:
        return coded_labels(
            self.engine, labels, ids, is_learned, self._adds_labels, len(self.block.codes)
        )

    def _rows(self, rows: Any, places: Sequence[int], n: int) -> Any:
        """Return the inputs of some of `n` rows; a RowError names the place among all."""
        if len(places) == n:
            return self.engine.coder.rows(rows, True)
        try:
            return self.engine.coder.rows(chosen_rows(rows, places), True)
        except RowError as error:
            row = None if error.row is None else places[error.row]
            raise RowError(error.problem, row, error.column) from error

    def _learn(self, request: LearnRequest) -> Callable[[Found], Result]:
        rows, labels = with_labels(request.rows, request.labels, self.engine.model)
        n = number_of_rows(rows)
        if len(labels) != n:
            raise RowError(f"got {n} rows and {len(labels)} labels")
        if request.ids is None:
            coded = self._coded(labels, None, None)
            events = self.block.learn(self._rows(rows, coded.places, n), coded.codes, None, self._time)
            return self._outcomes(None, coded, [LEARNED] * len(events), list(events))
        ids = checked_ids(request.ids)
        check_number(ids, n, "rows")
        return self._learn_with_ids(rows, labels, ids)

    def _learn_with_ids(self, rows: Any, labels: list[Any], given: list[Id]) -> Callable[[Found], Result]:
        block, n = self.block, len(given)
        if block.are_new(given):
            coded = self._coded(labels, given, None)
            X = self._rows(rows, coded.places, n)
            learned = block.learn(X, coded.codes, coded.chosen(given), self._time)
            return self._outcomes(given, coded, [LEARNED] * len(learned), list(learned))
        coded = self._coded(labels, given, lambda i, seen: given[i] not in seen and self._is_open(given[i]))
        codes, ids = coded.codes, coded.chosen(given)
        statuses, events = [LEARNED] * len(ids), [0] * len(ids)
        new, seen = [], set()
        for i, key in enumerate(ids):
            if key not in seen and not block.waits(key) and self._is_open(key):
                new.append(i)
                seen.add(key)
        X = self._rows(rows, [coded.places[i] for i in new], n)
        place, n_new = 0, 0
        is_new = set(new)
        done = self.engine.done
        # Labels of these ids that were learned before or here, as the ids between may push them out.
        here: dict[Id, tuple[int, int]] = {key: done.entries[key] for key in ids if not self._is_open(key)}
        while place < len(ids):
            end = place
            while end < len(ids) and (end in is_new) == (place in is_new):
                end += 1
            part = slice(place, end)
            if place in is_new:
                X_part = X[n_new : n_new + end - place]
                events[part] = block.learn(X_part, codes[part], ids[part], self._time)
                n_new += end - place
            else:
                found, numbers = block.label(ids[part], codes[part], self._time)
                for i, status in enumerate(found):
                    code, event = here.get(ids[place + i], (0, 0))
                    if status == UNKNOWN_ID and event:
                        found[i], numbers[i] = ALREADY if code == codes[place + i] else OTHER_LABEL, event
                statuses[part], events[part] = found, numbers
            if len(ids) > done.capacity:
                for i in range(place, end):
                    if statuses[i] == LEARNED:
                        here[ids[i]] = codes[i], events[i]
            place = end
        return self._outcomes(given, coded, statuses, events)

    def _is_open(self, key: Id) -> bool:
        """Return whether a row with this id may be learned: it has had no label."""
        known = self.engine.done.get(key)
        return known is None or known[0] < 0

    def _outcomes(
        self, ids: list[Id] | None, coded: Coded, statuses: list[str], events: list[int]
    ) -> Callable[[Found], Result]:
        """Return what answers labels, given the statuses and events of those that were not refused."""
        if coded.refused:
            statuses, events = coded.spread(statuses, UNKNOWN_LABEL), coded.spread(events, 0)
        messages: list[str | None] = [None] * len(statuses)
        found: list[int | None] = [*events]
        if not {LEARNED, ALREADY}.issuperset(statuses):
            for i, status in enumerate(statuses):
                if status == UNKNOWN_LABEL:
                    messages[i] = coded.refused[i]
                elif status not in (LEARNED, ALREADY) and ids is not None:
                    messages[i] = self._message(status, ids[i], events[i])
            found = [event or None for event in events]
        result = Outcomes(ids, statuses, found, messages)
        return lambda found: result

    def _message(self, status: str, key: Id, event: int) -> str:
        name = short_repr(key)
        if status == OTHER_LABEL:
            return f"the row with the id {name} was learned with another label, in event {event}"
        if status == UNKNOWN_ID:
            why = "it was never predicted, its prediction was lost in a crash, or it was learned long ago"
            return f"no row is waiting with the id {name}: {why}"
        if status == DROPPED:
            most = self.engine.waiting.capacity
            return f"the row with the id {name} was dropped: more than {most:,} rows were waiting"
        assert status == EXPIRED
        return f"the row with the id {name} has waited too long for its label and was dropped"


class _Predicted:
    """The answer to rows that were predicted with ids."""

    def __init__(self, engine: Engine, ids: list[Id], sets: bool) -> None:
        self._engine, self._ids, self._wants_sets = engine, ids, sets
        self._new: Sequence[int] = ()
        self._places = range(0)
        self._statuses = [ALREADY] * len(ids)
        self._events: list[int | None] = [None] * len(ids)
        self._kept: list[tuple[int, Floats, int, bool, Any]] = []  # answers from before this block
        self._twice: list[tuple[int, int]] = []  # rows, and places of the rows in this block with their ids

    def predicted(self, new: list[int], first_event: int, places: range) -> None:
        """Take the rows that are new: their events, from the first one on, and their places in the block."""
        self._new, self._places = new, places
        if len(new) == len(self._ids):
            self._statuses = [PREDICTED] * len(new)
            self._events = [*range(first_event, first_event + len(new))]
            return
        for i, event in zip(new, range(first_event, first_event + len(new)), strict=True):
            self._statuses[i] = PREDICTED
            self._events[i] = event

    def keep(self, i: int, block: Block, rows: Any, place: int | None = None) -> None:
        """Find the answer to row `i`, whose id is known; read it if it is not kept.

        `place` is that of the row in this block, if it came with this request.
        """
        engine, key = self._engine, self._ids[i]
        place = block.place_of(key) if place is None else place
        if place is not None:
            self._twice.append((i, place))
            self._events[i] = block.event_of(place)
            return
        slot = engine.waiting.index.get(key)
        if slot is not None:
            said = engine.waiting.said(np.array([slot]))
            k, answer = int(said.fields["n_classes"][0]), int(said.fields["answer"][0])
            self._events[i] = int(said.fields["event"][0]) or None
            if answer >= 0:
                sets = None if said.sets is None else said.sets[0, :k]
                self._kept.append((i, said.p[0, :k], answer, bool(said.fields["asks"][0]), sets))
                return
        done = engine.done.get(key)
        self._events[i] = self._events[i] or (None if done is None else done[1])
        if slot is None:
            p = engine.read(chosen_rows(rows, [i]))
        else:  # it waits, and its answer is not known
            p = engine.learner.predict_proba_block(engine.waiting.rows(np.array([slot])))
        answer = int(engine.learner._answers(p)[0]) if p.shape[1] else -1
        self._kept.append((i, p[0], answer, False, engine.sets_of(p)[0] if engine.has_sets else None))

    def answer(self, found: Found) -> Predictions:
        """Return all answers, when the block has been learned."""
        if len(self._new) < len(self._ids):
            return self._result(*self._mixed(found))
        part = slice(self._places.start, self._places.stop)
        k = int(found.n_classes[part.start]) if self._ids else 0
        sets = None if found.sets is None else found.sets[part, :k]
        return self._result(found.p[part, :k], found.answers[part], found.asks[part], sets)

    def _mixed(self, found: Found) -> tuple[Floats, Ints, Mask, Mask]:
        """Return probabilities, answers, wishes for labels, and sets, where some rows were known."""
        n, places = len(self._ids), np.array(self._places, dtype=np.intp)
        k = max([*found.n_classes[places[:1]].tolist(), *(len(p) for _, p, *_ in self._kept),
                 *(int(found.n_classes[place]) for _, place in self._twice)], default=0)
        p, answers, asks = np.zeros((n, k)), np.full(n, -1, dtype=np.intp), np.zeros(n, dtype=bool)
        sets = np.zeros((n, k), dtype=bool)
        targets = np.array([*self._new, *(i for i, _ in self._twice)], dtype=np.intp)
        sources = np.concatenate([places, np.array([place for _, place in self._twice], dtype=np.intp)])
        p[targets], answers[targets] = found.p[sources, :k], found.answers[sources]
        asks[targets] = found.asks[sources]
        if found.sets is not None:
            sets[targets] = found.sets[sources, :k]
        for i, kept, answer, ask, kept_set in self._kept:
            p[i, : len(kept)], answers[i], asks[i] = kept, answer, ask
            if kept_set is not None:
                sets[i, : len(kept_set)] = kept_set
        return p, answers, asks, sets

    def _result(self, p: Floats, answers: Ints, asks: Mask, sets: Mask | None) -> Predictions:
        engine, k = self._engine, p.shape[1]
        classes = engine.classes if k == len(engine.classes) else engine.classes[:k]
        return Predictions(
            self._ids, answers, p, classes, self._events, self._statuses,
            sets_as_lists(sets, classes) if self._wants_sets else None,
            asks.tolist() if engine.budget is not None else None,
        )  # fmt: skip


def read(engine: Engine, requests: Sequence[PredictRequest]) -> list[Predictions | Exception]:
    """Answer pure reads as one block; this changes nothing. What one raises is the answer to it alone."""
    parts: list[Any] = []
    for request in requests:
        try:
            if request.sets and not engine.has_sets:
                raise no_sets()
            parts.append(engine.coder.rows(request.rows, False))
        except Exception as error:
            parts.append(error)
    p = engine.predict_parts([X for X in parts if not isinstance(X, Exception)])
    found: list[Predictions | Exception] = []
    start = 0
    for X, request in zip(parts, requests, strict=True):
        if isinstance(X, Exception):
            found.append(X)
            continue
        found.append(_only_read(engine, p[start : start + len(X)], request.sets))
        start += len(X)
    return found


def _only_read(engine: Engine, p: Floats, wants_sets: bool) -> Predictions:
    n, classes = len(p), engine.classes
    answers = engine.learner._answers(p) if len(classes) and n else np.full(n, -1, dtype=np.intp)
    sets = sets_as_lists(engine.sets_of(p), classes) if wants_sets else None
    return Predictions(None, answers, p, classes, [None] * n, [PREDICTED] * n, sets)


def sets_as_lists(sets: Any, classes: list[Any]) -> list[list[Any]]:
    """Return the labels in each set."""
    return [[label for label, is_in in zip(classes, row, strict=True) if is_in] for row in sets.tolist()]


def checked_ids(ids: Any) -> list[Id]:
    """Return ids as a list; raise RowError if one is neither text nor a whole number, or is too long."""
    try:
        found = as_ids(ids)
    except TypeError as error:
        raise RowError(str(error), None, "id") from error
    texts = [each for each in found or [] if type(each) is str]
    if texts and max(map(len, texts)) > LONGEST:
        i, each = next(pair for pair in enumerate(found or []) if len(str(pair[1])) > LONGEST)
        raise RowError(f"an id may have up to {LONGEST:,} characters, got {len(str(each)):,}", i, "id")
    return found or []


def checked_id(key: Any) -> Id:
    """Return one id; raise RowError if it is neither text nor a whole number."""
    found = [] if isinstance(key, list | tuple | dict | set) else checked_ids(key)
    if len(found) != 1:
        raise RowError(f"expected one id, text or a whole number, got {short_repr(key)}", None, "id")
    return found[0]


def check_number(ids: list[Id], n: int, what: str) -> None:
    """Raise RowError unless there are as many ids."""
    if len(ids) != n:
        raise RowError(f"got {len(ids)} ids for {n} {what}", None, "id")


def no_sets() -> RowError:
    """Return the error for sets that are asked of a learner that has none."""
    return RowError("there are no prediction sets: the learner is not a PredictionSets")
