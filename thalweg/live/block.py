"""A block of events that is being formed, and what the learner makes of it."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Floats, Ints, Mask
from thalweg.learners.base.sparse_rows import SparseRows, joined
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.live.events import LABEL, LEARN, LEARN_WITHOUT_ID, PREDICT, Group
from thalweg.live.ids import Id
from thalweg.live.requests import ALREADY, LEARNED, OTHER_LABEL, UNKNOWN_ID
from thalweg.live.requests import DROPPED as DROPPED_STATUS
from thalweg.live.requests import EXPIRED as EXPIRED_STATUS
from thalweg.live.waiting import DROPPED, EXPIRED, Said
from thalweg.live.watching import feed

if TYPE_CHECKING:
    from thalweg.live.engine import Engine

Time: TypeAlias = float | list[float]
GONE = {DROPPED: DROPPED_STATUS, EXPIRED: EXPIRED_STATUS}


class Found(NamedTuple):
    """What the rows of a block were answered: an entry for each row that was predicted or learned.

    Entries of rows that were learned without a prediction are undefined.
    """

    p: Floats
    answers: Ints
    asks: Mask
    sets: Mask | None
    n_classes: Ints


class Block:
    """Events in order, not yet learned.

    Rows that came at `latest` or before are too old: their labels are refused. While a block is open, the ids
    in the engine's stores are those after all its events: `predict`, `label` and `learn` decide at once what
    becomes of each row. `finish` passes the rows to the learner.
    """

    def __init__(self, engine: "Engine", latest: float = -math.inf) -> None:
        self._engine, self._latest = engine, latest
        self.first = engine.event + 1
        self.kinds: list[int] = []
        self.ids: list[Id] = []
        self.codes: list[int] = []
        self.times: list[float] = []
        self._parts: list[Any] = []  # rows of these events
        self._n_rows = 0
        self._sources: list[int] = []  # of each event: its place among these rows, or among `_taken` after -1
        self._taken: list[int] = []  # slots of rows that waited before this block
        self._freed: list[int] = []  # slots of rows that were dropped
        self._pending: dict[Id, int] = {}  # places of rows that wait since this block
        self._row_event: list[int] = []  # of each row
        self._counts: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.kinds)

    @property
    def _next(self) -> int:
        return self.first + len(self.kinds)

    def new_places(self, ids: list[Id]) -> list[int]:
        """Return the places of ids with which rows may be predicted: none waits with it, or was learned.

        Of equal ids only the first is new.
        """
        unique, entries = set(ids), self._engine.done.entries
        known = unique & self._pending.keys() | unique & self._engine.waiting.index.keys()
        known |= {key for key in unique & entries.keys() if entries[key][0] >= 0}
        if not known and len(unique) == len(ids):
            return [*range(len(ids))]
        first: dict[Id, int] = {}
        for i, key in enumerate(ids):
            if key not in known:
                first.setdefault(key, i)
        return [*first.values()]

    def place_of(self, key: Id) -> int | None:
        """Return the place of a row that was predicted in this block and waits."""
        return self._pending.get(key)

    def event_of(self, place: int) -> int:
        """Return the event of a row of this block."""
        return self._row_event[place]

    def _add_rows(self, X: Any) -> None:
        self._parts.append(X)
        n = len(X)
        self._sources.extend(range(self._n_rows, self._n_rows + n))
        self._row_event.extend(range(self._next, self._next + n))
        self._n_rows += n

    def predict(self, ids: Sequence[Id], X: Any, time: Time) -> range:
        """Add rows to be predicted, whose ids are new, and that came at one time or each at its own.

        Return their places.
        """
        start, store, pending = self._n_rows, self._engine.waiting, self._pending
        self._add_rows(X)
        if (len(ids) > 1 and not self._engine.done.entries.keys().isdisjoint(ids)) or len(ids) == 1:
            for key in ids:
                self._engine.done.discard(key)
        if len(pending) + len(store.index) + len(ids) <= store.capacity:
            pending.update(zip(ids, range(start, self._n_rows), strict=True))
        else:
            for place, key in enumerate(ids, start):
                pending[key] = place
                if len(pending) + len(store.index) > store.capacity:
                    self._drop(1, DROPPED, self._next + place - start)
        self.kinds.extend([PREDICT] * len(ids))
        self.ids.extend(ids)
        self.times.extend(_repeated(time, len(ids)))
        return range(start, self._n_rows)

    def _drop(self, n: int, why: int, event: int) -> None:
        """Remove the `n` rows that have waited longest."""
        index = self._engine.waiting.index
        for _ in range(n):
            if index:
                key, slot = index.popitem(last=False)
                self._freed.append(slot)
            else:
                key = next(iter(self._pending))
                del self._pending[key]
            self._engine.done.add(key, why, event)
        name = "dropped" if why == DROPPED else "expired"
        self._counts[name] = self._counts.get(name, 0) + n

    def expire(self, n: int | None = None) -> int:
        """Remove the `n` rows that waited longest, by default those that are too old; return how many."""
        if n is None:
            n = self._engine.waiting.n_aged(self._latest) if self._latest > -math.inf else 0
        if n:
            self._drop(n, EXPIRED, self._next)
        return n

    def label(self, ids: Sequence[Id], codes: Sequence[int], time: Time) -> tuple[list[str], list[int]]:
        """Add the labels of those rows that wait; return for each label its status and event, 0 if none."""
        statuses, events = [LEARNED] * len(ids), [0] * len(ids)
        if self._latest == -math.inf and len(ids) > 1:
            unique = set(ids)
            if len(unique) == len(ids) and unique <= self._engine.waiting.index.keys():
                return statuses, self._label_all(ids, codes, time)
        add, index, pending = self._engine.done.add, self._engine.waiting.index, self._pending
        event, times, learned = self._next, _repeated(time, len(ids)), []
        ages = self._latest > -math.inf
        for i, (key, code) in enumerate(zip(ids, codes, strict=True)):
            slot = index.get(key)
            if slot is not None:
                if ages and self._is_aged(slot):
                    statuses[i] = EXPIRED_STATUS
                    continue
                del index[key]
                self._taken.append(slot)
                self._sources.append(-len(self._taken))
            elif key in pending:
                self._sources.append(pending.pop(key))
            else:
                statuses[i], events[i] = self._status(key, code)
                continue
            learned.append(i)
            add(key, code, event)
            events[i] = event
            event += 1
        self._add_labels(ids, codes, times, learned)
        return statuses, events

    def _label_all(self, ids: Sequence[Id], codes: Sequence[int], time: Time) -> list[int]:
        """Do what `label` does for rows all of which waited before this block."""
        event, n = self._next, len(self._taken)
        self._taken.extend(map(self._engine.waiting.index.pop, ids))
        self._sources.extend(range(-n - 1, -n - 1 - len(ids), -1))
        self._engine.done.add_many(ids, codes, event)
        self._add_labels(ids, codes, _repeated(time, len(ids)), range(len(ids)))
        return [*range(event, event + len(ids))]

    def _add_labels(
        self, ids: Sequence[Id], codes: Sequence[int], times: list[float], learned: Sequence[int]
    ) -> None:
        self.kinds.extend([LABEL] * len(learned))
        if len(learned) == len(ids):
            self.ids.extend(ids)
            self.codes.extend(codes)
            self.times.extend(times)
        else:
            self.ids.extend(ids[i] for i in learned)
            self.codes.extend(codes[i] for i in learned)
            self.times.extend(times[i] for i in learned)

    def _status(self, key: Id, code: int) -> tuple[str, int]:
        """Return what becomes of a label whose row does not wait, and the event that learned the row."""
        known = self._engine.done.get(key)
        if known is None:
            return UNKNOWN_ID, 0
        if known[0] < 0:
            return GONE[known[0]], 0
        return (ALREADY if known[0] == code else OTHER_LABEL), known[1]

    def waits(self, key: Id) -> bool:
        """Return whether a row with this id waits, and is not too old."""
        if key in self._pending:
            return True
        slot = self._engine.waiting.index.get(key)
        return slot is not None and not self._is_aged(slot)

    def _is_aged(self, slot: int) -> bool:
        return self._latest > -math.inf and self._engine.waiting.time_of(slot) <= self._latest

    def learn(self, X: Any, codes: Sequence[int], ids: Sequence[Id] | None, time: Time) -> range:
        """Add rows with their labels, with ids that are new or None; return their events."""
        events = range(self._next, self._next + len(codes))
        self._add_rows(X)
        self.codes.extend(codes)
        self.times.extend(_repeated(time, len(codes)))
        self.kinds.extend([LEARN_WITHOUT_ID if ids is None else LEARN] * len(codes))
        if ids is not None:
            self.ids.extend(ids)
            self._forget_aged(ids)
            self._engine.done.add_many(ids, codes, events[0] if ids else 0)
        return events

    def _forget_aged(self, ids: Sequence[Id]) -> None:
        """Remove rows that wait with ids that are learned again: they were too old when that was decided."""
        index = self._engine.waiting.index
        for key in () if index.keys().isdisjoint(ids) else ids:
            slot = index.pop(key, None)
            if slot is not None:
                self._freed.append(slot)
        for key in () if self._pending.keys().isdisjoint(ids) else ids:
            self._pending.pop(key, None)  # in a replay, where several groups are one block

    def group(self, time: float, n_expired: int, growth: dict[str, Any]) -> Group:
        """Return the events as a group of the log."""
        kinds, codes = np.array(self.kinds, dtype=np.uint8), np.array(self.codes, dtype=np.intp)
        return Group(time, kinds, list(self.ids), self._own_rows(), codes, n_expired, growth)

    def _own_rows(self) -> Any:
        store = self._engine.waiting
        if store.sparse:
            return joined(self._parts, store.n_features)
        if len(self._parts) == 1:
            return self._parts[0]
        return np.concatenate([np.empty((0, store.n_features)), *self._parts])

    def _all_rows(self) -> Any:
        """Return the rows of all events, in their order."""
        X, store = self._own_rows(), self._engine.waiting
        if not self._taken and self._sources == list(range(len(self._sources))):
            return X
        taken = store.rows(np.array(self._taken, dtype=np.intp))
        sources = np.array(self._sources, dtype=np.intp)
        sources[sources < 0] = self._n_rows - 1 - sources[sources < 0]
        if isinstance(X, SparseRows):
            return joined([X, taken], store.n_features)[sources]
        return (np.concatenate([X, taken]) if len(taken) else X)[sources]

    def finish(self) -> Found:
        """Pass all rows to the learner; keep those that wait; return what was said."""
        engine = self._engine
        kinds, sources = np.array(self.kinds, dtype=np.uint8), np.array(self._sources, dtype=np.intp)
        codes = np.zeros(len(kinds), dtype=np.intp)
        codes[kinds != PREDICT] = self.codes
        numbers = self._numbers(sources)
        X, taken = self._all_rows(), engine.waiting.said(np.array(self._taken, dtype=np.intp))
        found = self._run(X, kinds, codes, numbers, sources)
        engine.waiting.free([*self._taken, *self._freed])
        rows = self._keep(found, sources, kinds)
        if engine.watch is not None:
            feed(engine, self.times, X, kinds, codes, sources, found, taken, rows, self._counts)
        engine.event += len(kinds)
        return found

    def _numbers(self, sources: Ints) -> NDArray[np.int64]:
        """Return the numbers by which the learner knows the rows."""
        engine = self._engine
        own = engine.number_of(np.array(self._row_event, dtype=np.int64))
        taken = engine.waiting.field("number", np.array(self._taken, dtype=np.intp))
        return np.concatenate([own, taken[::-1]])[sources]

    def _keep(self, found: Found, sources: Ints, kinds: Any) -> Ints:
        """Store the rows that wait from now on; return for each row how many were predicted before it."""
        engine = self._engine
        if PREDICT not in self.kinds:
            return np.zeros(self._n_rows, dtype=np.intp)
        predicted = np.zeros(self._n_rows, dtype=bool)
        predicted[sources[kinds == PREDICT]] = True
        row: Ints = engine.n_predicted + np.cumsum(predicted) - 1
        engine.n_predicted += int(predicted.sum())
        if not self._pending:
            return row
        places = np.array(list(self._pending.values()), dtype=np.intp)
        events = np.array(self._row_event, dtype=np.int64)[places]
        fields = {
            "number": engine.number_of(events), "event": events, "row": row[places],
            "time": np.array(self.times)[events - self.first], "answer": found.answers[places],
            "n_classes": found.n_classes[places], "asks": found.asks[places],
        }  # fmt: skip
        sets = None if found.sets is None else found.sets[places]
        X = self._own_rows()[places]
        engine.waiting.add(list(self._pending), X, Said(fields, found.p[places], sets))
        return row

    def _run(self, X: Any, kinds: Any, codes: Ints, numbers: Any, sources: Ints) -> Found:
        engine = self._engine
        n_after = len(engine.model._coding.labels)
        n = self._n_rows
        found = Found(
            np.zeros((n, n_after)), np.full(n, -1, dtype=np.intp), np.zeros(n, dtype=bool),
            np.zeros((n, n_after), dtype=bool) if engine.has_sets else None, np.zeros(n, dtype=np.int32),
        )
        if self._is_one_call(kinds):
            self._in_one_call(X, kinds, codes, sources, found)
            return found
        for part, is_predicted in _runs(kinds == PREDICT):
            if is_predicted:
                self._predict_run(X[part], numbers[part], sources[part], found)
            else:
                self._learn_run(X[part], codes[part], numbers[part])
        return found

    def _is_one_call(self, kinds: Any) -> bool:
        """Return whether one call of the learner can predict some rows and learn others."""
        learner = self._engine.learner
        plain = type(learner)._answers is StreamClassifier._answers
        return plain and not learner.observes and bool(len(learner.classes_)) and len(set(kinds.tolist())) > 1

    def _in_one_call(self, X: Any, kinds: Any, codes: Ints, sources: Ints, found: Found) -> None:
        engine = self._engine
        predicted = kinds == PREDICT
        before = len(engine.learner.classes_)
        known = np.maximum.accumulate(np.concatenate([[before], codes + 1]))[:-1]
        p = engine.learner.test_then_train_coded(
            X, codes, sample_weight=(~predicted).astype(np.float64), tested=predicted,
            classes=engine.new_classes(),
        )  # fmt: skip
        places = sources[predicted]
        found.p[places, : p.shape[1]] = p[predicted]
        found.n_classes[places] = known[predicted]
        found.answers[places] = engine.learner._answers(p[predicted])
        if engine.budget is not None and len(places):
            found.asks[places] = engine.asks(found.p[places], found.n_classes[places])

    def _predict_run(self, X: Any, numbers: Any, places: Ints, found: Found) -> None:
        engine = self._engine
        learner = engine.learner
        observes = learner.observes
        p = learner.predict_then_observe(X, ids=numbers) if observes else learner.predict_proba_block(X)
        k = p.shape[1]
        found.p[places, :k], found.n_classes[places] = p, k
        if k:
            found.answers[places] = learner._answers(p)
            if found.sets is not None:
                found.sets[places, :k] = engine.sets_of(p)
        if engine.budget is not None:
            found.asks[places] = engine.asks(p, found.n_classes[places])

    def _learn_run(self, X: Any, codes: Ints, numbers: Any) -> None:
        engine = self._engine
        engine.learner.test_then_train_coded(
            X, codes, tested=np.zeros(len(codes), dtype=bool), classes=engine.new_classes(),
            ids=numbers if engine.learner.observes else None,
        )  # fmt: skip


def _repeated(time: Time, n: int) -> list[float]:
    return time if isinstance(time, list) else [time] * n


def _runs(mask: Mask) -> Iterator[tuple[slice, bool]]:
    """Yield the parts of a mask within which it does not change."""
    inner = np.flatnonzero(mask[1:] != mask[:-1]) + 1 if len(mask) > 1 else mask[:0]
    for start, stop in pairwise([0, *inner.tolist(), len(mask)]):
        if stop > start:
            yield slice(start, stop), bool(mask[start])
