"""A block of events that is being formed, and what the learner makes of it."""

import math
from collections import OrderedDict
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Ints
from thalweg.live.events import LABEL, LEARN, LEARN_WITHOUT_ID, PREDICT, Group
from thalweg.live.ids import Id
from thalweg.live.learning import Found, Rows, run
from thalweg.live.requests import ALREADY, LEARNED, OTHER_LABEL, UNKNOWN_ID
from thalweg.live.requests import DROPPED as DROPPED_STATUS
from thalweg.live.requests import EXPIRED as EXPIRED_STATUS
from thalweg.live.waiting import DROPPED, EXPIRED, Said
from thalweg.live.watch.watching import Taken, feed
from thalweg.rows.sparse_rows import SparseRows, joined

if TYPE_CHECKING:
    from thalweg.live.engine import Engine

Time: TypeAlias = float | list[float]
GONE = {DROPPED: DROPPED_STATUS, EXPIRED: EXPIRED_STATUS}


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

        Of equal ids only the first is new, unless its row is dropped to make room for those between.
        """
        unique, index = set(ids), self._engine.waiting.index
        known, aged = self._known(unique)
        if not known and len(unique) == len(ids):
            return [*range(len(ids))]
        room = self._engine.waiting.capacity - len(self._pending) - len(index)
        oldest = chain(index, self._pending)  # which are dropped first
        new: list[int] = []
        waiting: OrderedDict[Id, None] = OrderedDict()
        gone: set[Id] = set()
        for i, key in enumerate(ids):
            if key in known or key in waiting:
                continue
            new.append(i)
            waiting[key] = None
            if key not in aged or key in gone:
                room -= 1
            gone.add(key)  # if its old row was there, it goes
            if room < 0:
                room = 0
                dropped = next((each for each in oldest if each not in gone), None)
                if dropped is None:
                    waiting.popitem(last=False)
                else:
                    gone.add(dropped)
                    known.discard(dropped)
        return new

    def are_new(self, ids: list[Id]) -> bool:
        """Return whether these ids are different, no row waits with one of them, and none was learned."""
        unique = set(ids)
        return len(unique) == len(ids) and not self._known(unique)[0]

    def _known(self, unique: set[Id]) -> tuple[set[Id], set[Id]]:
        """Return which ids wait or were learned, and which belong to rows that are too old."""
        entries, index = self._engine.done.entries, self._engine.waiting.index
        aged = {key for key in unique & index.keys() if self._is_aged(index[key])}
        known = (unique & self._pending.keys() | unique & index.keys()) - aged
        return known | {key for key in unique & entries.keys() if entries[key][0] >= 0}, aged

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
        done = self._engine.done
        is_easy = len(pending) + len(store.index) + len(ids) <= store.capacity
        if is_easy and (len(ids) == 1 or len(set(ids)) == len(ids)):
            self._forget_aged(ids)
            if len(ids) == 1 or not done.entries.keys().isdisjoint(ids):
                for key in ids:
                    done.discard(key)
            pending.update(zip(ids, range(start, self._n_rows), strict=True))
        else:
            for place, key in enumerate(ids, start):
                if key in store.index or key in pending:
                    self._forget_aged([key])
                done.discard(key)
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
        self._engine.n_dropped += n if why == DROPPED else 0
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

    @property
    def n_waiting(self) -> int:
        """Number of rows that wait after the events so far."""
        return len(self._pending) + len(self._engine.waiting.index)

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
        """Remove rows that wait with ids that come again: they were too old when that was decided."""
        index, n = self._engine.waiting.index, 0
        for key in () if index.keys().isdisjoint(ids) else ids:
            slot = index.pop(key, None)
            if slot is not None:
                self._freed.append(slot)
                n += 1
        for key in () if self._pending.keys().isdisjoint(ids) else ids:
            n += self._pending.pop(key, None) is not None  # in a replay, where several groups are one block
        if n:
            self._counts["expired"] = self._counts.get("expired", 0) + n

    def group(self, time: float, n_expired: int, growth: dict[str, Any]) -> Group:
        """Return the events as a group of the log."""
        kinds, codes = np.array(self.kinds, dtype=np.uint8), np.array(self.codes, dtype=np.intp)
        return Group(time, kinds, list(self.ids), self._own_rows(), codes, n_expired, growth)

    def _own_rows(self) -> Any:
        """Return the rows that came with this block."""
        store = self._engine.waiting
        if len(self._parts) > 1 or not self._parts:
            if store.sparse:
                self._parts = [joined(self._parts, store.n_features)]
            else:
                self._parts = [np.concatenate([np.empty((0, store.n_features)), *self._parts])]
        return self._parts[0]

    def _all_rows(self, sources: Ints, slots: Ints) -> Any:
        """Return the rows of all events, in their order."""
        store = self._engine.waiting
        if len(slots) == len(sources):
            return store.rows(slots)  # all waited before this block, and are in the order of their labels
        X = self._own_rows()
        if not len(slots) and len(sources) == self._n_rows:
            return X
        if isinstance(X, SparseRows):
            places = np.where(sources < 0, self._n_rows - 1 - sources, sources)
            return joined([X, store.rows(slots)], store.n_features)[places]
        return np.concatenate([X, store.rows(slots)[::-1]])[sources]

    def finish(self) -> Found:
        """Pass all rows to the learner; keep those that wait; return what was said."""
        engine, kinds_here = self._engine, set(self.kinds)
        kinds, places = np.array(self.kinds, dtype=np.uint8), np.array(self._sources, dtype=np.intp)
        codes = np.zeros(len(kinds), dtype=np.intp)
        if self.codes:
            codes[kinds != PREDICT] = self.codes
        slots = np.array(self._taken, dtype=np.intp)
        numbers = self._numbers(places, slots) if engine.learner.observes else None
        rows = Rows(self._all_rows(places, slots), kinds, codes, numbers, places)
        taken = None
        if engine.watch is not None:
            taken = Taken(*(engine.waiting.field(name, slots) for name in Taken._fields))
        found = run(engine, rows, kinds_here, self._n_rows)
        if self._taken or self._freed:
            engine.waiting.free([*self._taken, *self._freed])
        before = self._keep(found, places, kinds) if PREDICT in kinds_here else None
        if taken is not None:
            feed(engine, self.times, rows, found, taken, before, self._counts)
        engine.event += len(kinds)
        engine.note_labels(len(self.codes))
        return found

    def _numbers(self, places: Ints, slots: Ints) -> NDArray[np.int64]:
        """Return the numbers by which the learner knows the rows."""
        engine = self._engine
        own = engine.number_of(np.array(self._row_event, dtype=np.int64))
        taken = engine.waiting.field("number", slots)
        return np.concatenate([own, taken[::-1]])[places]

    def _keep(self, found: Found, sources: Ints, kinds: Any) -> Ints:
        """Store the rows that wait from now on; return for each row how many were predicted before it."""
        engine, n = self._engine, self._n_rows
        if self.kinds.count(PREDICT) == n:  # every row that came
            row: Ints = np.arange(engine.n_predicted, engine.n_predicted + n)
        else:
            predicted = np.zeros(n, dtype=bool)
            predicted[sources[kinds == PREDICT]] = True
            row = engine.n_predicted + np.cumsum(predicted) - 1
        engine.n_predicted = int(row[-1]) + 1
        if not self._pending:
            return row
        all_wait = len(self._pending) == n  # then they are in order
        places: Any = slice(None) if all_wait else np.array(list(self._pending.values()), dtype=np.intp)
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


def _repeated(time: Time, n: int) -> list[float]:
    return time if isinstance(time, list) else [time] * n
