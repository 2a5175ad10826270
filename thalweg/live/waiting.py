"""Rows that wait for their labels, with what was said about them; and ids that wait no longer."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Floats, Ints, Mask, State
from thalweg.errors import StateError
from thalweg.learners.base.arguments import clipped_rows
from thalweg.live.ids import Id, ids_from_bytes, ids_to_bytes
from thalweg.rows.sparse_rows import SparseRows, joined

DROPPED, EXPIRED = -1, -2  # instead of the code of a label
NO_LABEL = 2**31 - 1  # instead of the code of a label that the model does not know
FIELDS: dict[str, Any] = {
    "number": np.int64,  # by which the learner knows the row
    "event": np.int64,  # that predicted it
    "row": np.int64,  # how many rows were predicted with ids before it
    "time": np.float64,
    "answer": np.int32,  # code, -1 if there was none
    "n_classes": np.int32,  # that there were
    "asks": np.bool_,
}


class Said(NamedTuple):
    """What is kept of rows besides their inputs: see `FIELDS`, and their probabilities and sets."""

    fields: dict[str, NDArray[Any]]
    p: Floats
    sets: Mask | None


class WaitingStore:
    """A bounded store of waiting rows by id, in the order in which they came.

    Memory: for each row 8 (inputs + classes) + 41 bytes and its id, for up to twice the most that waited.
    """

    def __init__(self, n_features: int, capacity: int, sparse: bool) -> None:
        self.n_features, self.capacity, self.sparse = n_features, capacity, sparse
        self.index: OrderedDict[Id, int] = OrderedDict()  # slots, oldest row first
        self._free: list[int] = []
        self._fields = {name: np.zeros(0, dtype=kind) for name, kind in FIELDS.items()}
        self._p, self._sets = np.zeros((0, 0)), np.zeros((0, 0), dtype=bool)
        self._X: Any = [] if sparse else np.zeros((0, n_features))

    def __len__(self) -> int:
        return len(self.index)

    def add(self, ids: Sequence[Id], X: Any, said: Said) -> None:
        """Store rows with new ids; the caller has made room."""
        slots = self._new_slots(len(ids))
        self.index.update(zip(ids, slots.tolist(), strict=True))
        self._widen(said.p.shape[1])
        for name, values in said.fields.items():
            self._fields[name][slots] = values
        k = said.p.shape[1]
        self._p[slots, :k], self._p[slots, k:] = said.p, 0.0
        if said.sets is not None:
            self._sets[slots, :k], self._sets[slots, k:] = said.sets, False
        if self.sparse:
            for slot, row in zip(slots.tolist(), X.each(), strict=True):
                self._X[slot] = row
        else:
            self._X[slots] = X

    def rows(self, slots: Ints) -> Any:
        """Return the inputs in these slots."""
        if self.sparse:
            return joined([self._X[slot] for slot in slots.tolist()], self.n_features)
        return self._X[slots]

    def said(self, slots: Ints) -> Said:
        """Return what else is kept in these slots."""
        fields = {name: values[slots] for name, values in self._fields.items()}
        return Said(fields, self._p[slots], self._sets[slots])

    def field(self, name: str, slots: Ints) -> NDArray[Any]:
        """Return one field of these slots."""
        return self._fields[name][slots]

    def time_of(self, slot: int) -> float:
        """Return when the row in a slot came."""
        return float(self._fields["time"][slot])

    def newest_row(self) -> int:
        """Return the highest `row` of those that wait, -1 if there is none."""
        return max((int(self._fields["row"][slot]) for slot in self.index.values()), default=-1)

    def free(self, slots: Sequence[int]) -> None:
        """Use these slots, which are no longer in the index, for other rows."""
        if self.sparse:
            for slot in slots:
                self._X[slot] = None
        else:
            self._X[list(slots)] = 0.0
        self._free.extend(slots)

    def set_input(self, slots: Ints, place: int, values: Floats) -> None:
        """Change one input of dense rows."""
        self._X[slots, place] = values

    def recode(self, codes: Sequence[int], n_classes: int) -> None:
        """Give what was predicted the codes of another model: `codes` has that of each class, -1 for none.

        A row whose answer is none of its classes has no answer any more.
        """
        n_same = next((k for k, code in enumerate(codes) if code != k), len(codes))
        changed = np.flatnonzero(self._fields["n_classes"] > n_same)
        if not len(changed):
            return
        self._widen(n_classes)
        known = np.array(codes[: self._p.shape[1]], dtype=np.intp)
        places = np.flatnonzero(known >= 0)
        targets = known[places]
        for values in (self._p, self._sets):
            found = np.zeros((len(changed), values.shape[1]), dtype=values.dtype)
            found[:, targets] = values[changed][:, places]
            values[changed] = found
        answers = self._fields["answer"][changed]
        self._fields["answer"][changed] = np.array([*codes, -1])[np.where(answers < 0, len(codes), answers)]
        self._fields["n_classes"][changed] = n_classes

    def n_aged(self, latest: float) -> int:
        """Return how many of the oldest rows came at `latest` or before."""
        n = 0
        times = self._fields["time"]
        for slot in self.index.values():
            if times[slot] > latest:
                break
            n += 1
        return n

    def _new_slots(self, n: int) -> Ints:
        if n > len(self._free):
            size = len(self._fields["event"])
            self._grow(max(n, 64, min(size, self.capacity - size)))
        taken = self._free[-n:] if n else []
        if n:
            del self._free[-n:]
        return np.array(taken[::-1], dtype=np.intp)

    def _grow(self, more: int) -> None:
        start = len(self._fields["event"])
        end = start + more
        for name, values in self._fields.items():
            self._fields[name] = np.concatenate([values, np.zeros(end - start, dtype=values.dtype)])
        self._p = np.concatenate([self._p, np.zeros((end - start, self._p.shape[1]))])
        self._sets = np.concatenate([self._sets, np.zeros((end - start, self._sets.shape[1]), dtype=bool)])
        if self.sparse:
            self._X += [None] * (end - start)
        else:
            self._X = np.concatenate([self._X, np.zeros((end - start, self.n_features))])
        self._free[:0] = range(end - 1, start - 1, -1)

    def _widen(self, n_classes: int) -> None:
        more = n_classes - self._p.shape[1]
        if more > 0:
            self._p = np.pad(self._p, ((0, 0), (0, more)))
            self._sets = np.pad(self._sets, ((0, 0), (0, more)))

    def state(self) -> State:
        """Return the rows, oldest first, as plain data; arrays are copies."""
        ids, slots = list(self.index), np.array(list(self.index.values()), dtype=np.intp)
        X = self.rows(slots)
        rows = [X.starts, X.columns, X.values] if isinstance(X, SparseRows) else [X]
        said = self.said(slots)
        k = int(said.fields["n_classes"].max()) if len(slots) else 0  # whatever it was for rows before
        said = said._replace(p=said.p[:, :k], sets=None if said.sets is None else said.sets[:, :k])
        return {"n_features": self.n_features, "capacity": self.capacity, "sparse": self.sparse, "ids": ids,
                "rows": rows, "p": said.p, "sets": said.sets, **said.fields}

    @classmethod
    def from_state(cls, state: State) -> "WaitingStore":
        """Return a store with what `state` returned."""
        made = cls(int(state["n_features"]), int(state["capacity"]), bool(state["sparse"]))
        ids, rows = known_ids(state["ids"]), state["rows"]
        X: Any = rows[0]
        if made.sparse:
            starts, columns, values = rows
            X = SparseRows(starts, columns, values, made.n_features)
        fields = {name: np.asarray(state[name], dtype=kind) for name, kind in FIELDS.items()}
        p, sets = state["p"], state["sets"]
        shapes = [(len(ids), made.n_features), *[(len(ids),)] * len(fields), (len(ids), p.shape[1])]
        if [each.shape for each in (X, *fields.values(), p)] != shapes or len(set(ids)) < len(ids):
            raise StateError("the waiting rows of a checkpoint contradict each other")
        if sets is not None and sets.shape != p.shape:
            raise StateError("the sets of the waiting rows of a checkpoint are those of other rows")
        if not made.sparse:
            clipped_rows(np.ascontiguousarray(X, dtype=np.float64), (), "waiting rows")
        answer, n_classes = fields["answer"], fields["n_classes"]
        if ((answer < -1) | (answer >= np.maximum(n_classes, 1)) | (n_classes < 0)).any() or (
            n_classes.max(initial=0) > p.shape[1]
        ):
            raise StateError("the waiting rows of a checkpoint have answers that are no classes")
        made.add(ids, X, Said(fields, p, sets))
        return made


class DoneIds:
    """The latest ids that wait no longer: which label was learned, or that the row was dropped or expired."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.entries: OrderedDict[Id, tuple[int, int]] = OrderedDict()
        self.get = self.entries.get

    def __len__(self) -> int:
        return len(self.entries)

    def add(self, key: Id, code: int, event: int) -> None:
        """Remember what became of an id, and the event; if full, forget the oldest entry."""
        entries = self.entries
        if key in entries:
            del entries[key]
        entries[key] = code, event
        if len(entries) > self.capacity:
            entries.popitem(last=False)

    def add_many(self, keys: Sequence[Id], codes: Sequence[int], event: int) -> None:
        """Do what `add` does for different ids, the codes of their labels, and events from `event` on."""
        if len(self.entries) + len(keys) <= self.capacity and self.entries.keys().isdisjoint(keys):
            values = zip(codes, range(event, event + len(keys)), strict=True)
            self.entries.update(zip(keys, values, strict=True))
            return
        for i, (key, code) in enumerate(zip(keys, codes, strict=True)):
            self.add(key, code, event + i)

    def resize(self, capacity: int) -> None:
        """Remember so many entries from now on."""
        self.capacity = capacity
        while len(self.entries) > capacity:
            self.entries.popitem(last=False)

    def recode(self, codes: list[int]) -> None:
        """Give labels their codes in another model: `codes` has that of each old code."""
        for key, (code, event) in self.entries.items():
            if 0 <= code < len(codes):
                self.entries[key] = (codes[code], event)

    def discard(self, key: Id) -> bool:
        """Forget an id; return whether it was known."""
        return self.entries.pop(key, None) is not None

    def state(self) -> State:
        """Return the entries, oldest first, as plain data."""
        values = np.array(list(self.entries.values()), dtype=np.int64).reshape(-1, 2)
        return {"capacity": self.capacity, "ids": list(self.entries), "values": values}

    @classmethod
    def from_state(cls, state: State) -> "DoneIds":
        """Return what `state` returned."""
        made = cls(int(state["capacity"]))
        if state["values"].dtype != np.int64 or state["values"].shape[1:] != (2,):
            raise StateError("the ids that wait no longer are damaged in a checkpoint")
        values = map(tuple, state["values"].tolist())
        made.entries.update(zip(known_ids(state["ids"]), values, strict=True))
        return made


def packed_ids(state: State) -> State:
    """Return a state with its ids as one array of bytes, which is much faster to save."""
    return state | {"ids": np.frombuffer(ids_to_bytes(state["ids"]), dtype=np.uint8)}


def known_ids(ids: Any) -> list[Id]:
    """Return ids that may be packed as a list."""
    return ids_from_bytes(ids.tobytes())[0] if isinstance(ids, np.ndarray) else list(ids)
