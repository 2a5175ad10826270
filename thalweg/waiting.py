"""Rows that wait for their labels: their inputs, what was predicted, and when."""

import time
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg._parameters import is_whole
from thalweg._stateful import Stateful
from thalweg._types import Floats, Ints, Mask, RowsLike, State
from thalweg.errors import StateError, WaitingError, short_repr

__all__ = ["Rows", "WaitingRows"]

_KINDS = {int, str}
_PARAMETERS = ("n_features", "n_classes", "capacity", "when_full")
Ids: TypeAlias = Sequence[int | str] | NDArray[Any]


class Rows(NamedTuple):
    """Rows of a store, with one entry for each row.

    `ids` are their ids, `X` their inputs as rows × inputs or as an array of dicts, `p` the probabilities that
    were predicted for them, `times` when they were added.
    """

    ids: list[int | str]
    X: NDArray[Any]
    p: Floats
    times: Floats


class WaitingRows(Stateful):
    """A bounded store of predicted rows whose labels come later, by id or in order.

    Add rows when they are predicted. When labels arrive, `resolve` (by id) or `resolve_oldest` (first in,
    first out) removes their rows and returns them, ready to be learned. A call costs about ten microseconds
    and less than one more per row, however many rows wait. A call that raises changes nothing; one that is
    interrupted has added or removed all its rows or none. Threads may share a store.

    Memory: up to twice the waiting rows, each 8 (`n_features` + `n_classes` + 1) bytes and its id; dict rows
    are kept once.

    Parameters
    ----------
    n_features : int or None, default=None
        Inputs a row has; None if rows are dicts of named inputs.
    n_classes : int, default=0
        Probabilities kept with a row; 0 keeps none.
    capacity : int or None, default=None
        Most rows that may wait; None for no bound.
    when_full : {"drop", "raise"}, default="drop"
        What rows beyond the capacity do: remove the oldest, which `dropped` has, or raise WaitingError.

    Attributes
    ----------
    n_dropped, n_expired : int
        Rows removed to make room for others, and rows removed by `expire`.
    dropped : Rows
        The rows that the last call of `add` removed to make room, oldest first, and those it could not keep.

    Examples
    --------
    >>> from thalweg.waiting import WaitingRows
    >>> waiting = WaitingRows(n_features=2, capacity=1000)
    >>> waiting.add([[1.0, 2.0], [3.0, 4.0]], ids=["order 7", "order 8"])
    ['order 7', 'order 8']
    >>> waiting.resolve(["order 8"]).X
    array([[3., 4.]])
    >>> len(waiting)
    1

    Dict rows, of which at most two may wait:

    >>> waiting = WaitingRows(capacity=2)
    >>> ids = waiting.add([{"wind": 3.0}, {"wind": 22.0, "sky": "grey"}, {"wind": 7.0}])
    >>> waiting.dropped.ids, waiting.resolve([1]).X[0]
    ([0], {'wind': 22.0, 'sky': 'grey'})
    """

    def __init__(
        self,
        n_features: int | None = None,
        n_classes: int = 0,
        *,
        capacity: int | None = None,
        when_full: Literal["drop", "raise"] = "drop",
    ) -> None:
        if when_full not in ("drop", "raise"):
            raise ValueError(f'WaitingRows: when_full must be "drop" or "raise", got {when_full!r}')
        if capacity is not None and (not is_whole(capacity) or capacity < 1):
            raise ValueError(f"WaitingRows: capacity must be at least 1 or None, got {capacity!r}")
        self.n_features, self.n_classes = n_features, n_classes
        self.capacity, self.when_full = capacity, when_full
        self.n_dropped = self.n_expired = self._next_id = 0
        self._n = self._first = self._end = 0
        # Slots fill up in the order of arrival, and a row waits if its slot is live. An interrupted call may
        # leave entries in the index; they point to slots that are not live.
        self._index: dict[int | str, int] = {}
        self._slots = self._new_slots(0)
        self.dropped = self._at(np.empty(0, dtype=np.intp))
        self._live = np.zeros(0, dtype=bool)

    def __len__(self) -> int:
        return self._n

    def __repr__(self) -> str:
        room = "" if self.capacity is None else f" of at most {self.capacity:,}"
        gone = f"{self.n_dropped:,} dropped, {self.n_expired:,} expired"
        kind = "dict rows" if self.n_features is None else f"{self.n_features:,} inputs"
        return f"<WaitingRows: {self._n:,} waiting{room}, {gone}; {kind}>"

    def _repr_html_(self) -> str:
        counts = {"waiting": self._n, "capacity": self.capacity, "dropped": self.n_dropped,
                  "expired": self.n_expired, "inputs": self.n_features, "classes": self.n_classes}
        known = {name: value for name, value in counts.items() if value is not None}
        rows = "".join(f"<tr><th>{name}</th><td>{value:,}</td></tr>" for name, value in known.items())
        return f"<p><b>WaitingRows</b></p><table>{rows}</table>"

    def add(
        self, X: RowsLike, p: ArrayLike | None = None, *, ids: Ids | None = None, now: ArrayLike | None = None
    ) -> list[int | str]:
        """Store rows until their labels come; return their ids.

        Parameters
        ----------
        X : array of rows × inputs, or sequence of dicts
            The rows that were predicted.
        p : array of rows × classes or None
            The probabilities predicted; NaN is stored if None.
        ids : sequence of int or str, or None
            Ids that no waiting row has; by default 0, 1, 2, …
        now : float, array of float or None
            When the rows came: one time for all, or one for each row; `time.time()` if None.
        """
        rows = _as_dicts(X) if self.n_features is None else _as_array(X, self.n_features)
        n = len(rows)
        p = np.full((n, self.n_classes), np.nan) if p is None else np.asarray(p, dtype=np.float64)
        if p.shape != (n, self.n_classes):
            raise ValueError(f"WaitingRows: expected p of shape {(n, self.n_classes)}, got {p.shape}")
        times = np.asarray(time.time() if now is None else now, dtype=np.float64)
        times = times if times.shape == (n,) else np.broadcast_to(times, (n,))
        with self._own_lock().write:
            if ids is None:
                ids = list(range(self._next_id, self._next_id + n))
                self._next_id += n
            new = Rows(_as_ids(ids), rows, p, times)
            self._check_new(new.ids, n)
            n_dropped = self._n_excess(n)
            removed, n_kept = self._make_room(n, n_dropped)
            dropped = _joined(removed, _part(new, 0, n - n_kept))
            self.dropped, self.n_dropped = dropped, self.n_dropped + n_dropped
            self._append(_part(new, n - n_kept, n))
            return new.ids

    def contains(self, ids: Ids) -> Mask:
        """Return for each id whether its row is waiting."""
        with self._own_lock().read:
            slots = map(self._index.get, _as_ids(ids))
            return np.array([slot is not None and bool(self._live[slot]) for slot in slots], dtype=bool)

    def resolve(self, ids: Ids) -> Rows:
        """Remove the rows with these ids, because their labels have come; return them in the order of `ids`.

        Raises WaitingError, and removes nothing, if one of them is not waiting: see `contains`.
        """
        ids = _as_ids(ids)
        with self._own_lock().write:
            slots = np.array([self._index.get(each, -1) for each in ids], dtype=np.intp)
            if len(slots) and (slots.min() < 0 or not self._live[slots].all()):
                unknown = ids[int(np.argmin(self.contains(ids)))]
                why = "it was never added, or has been resolved, dropped or expired"
                raise WaitingError(f"no row is waiting with the id {unknown!r}: {why}")
            if len(set(ids)) < len(ids):
                raise WaitingError("an id occurs twice among those to resolve")
            return self._remove(slots)

    def resolve_oldest(self, n: int = 1) -> Rows:
        """Remove the `n` oldest rows and return them, for labels that come in the order of their rows."""
        with self._own_lock().write:
            if n > self._n:
                raise WaitingError(f"cannot resolve {n} rows: only {self._n} are waiting")
            return self._remove(self._oldest(n))

    def rows(self, age: float | None = None, now: float | None = None) -> Rows:
        """Return the waiting rows, oldest first, or only those that have waited at least `age`."""
        with self._own_lock().read:
            return self._at(self._aged(age, now))

    def expire(self, age: float, now: float | None = None) -> Rows:
        """Remove the rows that have waited at least `age` and return them: their labels are overdue."""
        with self._own_lock().write:
            removed = self._remove(self._aged(age, now))
            self.n_expired += len(removed.ids)
            return removed

    @classmethod
    def from_state(cls, state: State) -> Self:
        """Return a store with the state that `state()` returned."""
        return cls().restore(state)

    def _content(self) -> State:
        rows = self._at(self._aged())
        state = {name: getattr(self, name) for name in (*_PARAMETERS, "n_dropped", "n_expired")}
        X = rows.X.tolist() if self.n_features is None else rows.X
        return state | {"next_id": self._next_id} | rows._replace(X=X)._asdict()

    def _set_content(self, state: State) -> None:
        store = type(self)(**{name: state[name] for name in _PARAMETERS})
        store.add(state["X"], state["p"], ids=state["ids"], now=state["times"])
        if store.n_dropped:
            raise StateError(f"WaitingRows: more rows are waiting than the capacity of {store.capacity}")
        store.n_dropped, store.n_expired = int(state["n_dropped"]), int(state["n_expired"])
        store._next_id = int(state["next_id"])
        vars(self).update(vars(store) | {"_lock": self._lock})

    def _check_new(self, ids: list[int | str], n: int) -> None:
        if len(ids) != n:
            raise ValueError(f"WaitingRows: got {n} rows but {len(ids)} ids")
        if len(set(ids)) < n:
            raise WaitingError("an id occurs twice among those to add")
        if not self._index.keys().isdisjoint(ids):
            waits = self.contains(ids)
            if waits.any():
                raise WaitingError(f"a row with the id {ids[int(np.argmax(waits))]!r} is waiting already")

    def _n_excess(self, n: int) -> int:
        """Return how many rows must go if `n` more come; raise WaitingError if none may."""
        excess = 0 if self.capacity is None else max(0, self._n + n - self.capacity)
        if excess and self.when_full == "raise":
            there = f"{self._n} are waiting, and the capacity is {self.capacity}"
            raise WaitingError(f"cannot add {n} rows: {there}")
        return excess

    def _make_room(self, n: int, n_dropped: int) -> tuple[Rows, int]:
        """Make room for `n` rows; return the rows removed, and how many of the new ones fit."""
        kept = n if self.capacity is None else min(n, self.capacity)
        removed = self._remove(self._oldest(n_dropped)) if n_dropped else self._at(slice(0, 0))
        if self._end + kept > len(self._live):
            self._compact(2 * (self._n + kept) + 16)
        return removed, kept

    def _compact(self, n_slots: int) -> None:
        """Move the waiting rows to the front of `n_slots` slots."""
        rows, n = self._at(self._aged()), self._n
        slots, live = self._new_slots(n_slots), np.zeros(n_slots, dtype=bool)
        for new, old in zip(slots, rows, strict=True):
            new[:n] = old
        live[:n] = True
        index = dict(zip(rows.ids, range(n), strict=True))
        # One statement without a call: Ctrl-C cannot come between these assignments.
        self._slots, self._live, self._index, self._first, self._end = slots, live, index, 0, n

    def _append(self, rows: Rows) -> None:
        start, n = self._end, len(rows.ids)
        part, n_waiting = slice(start, start + n), self._n + n
        for slots, values in zip(self._slots, rows, strict=True):
            slots[part] = values
        self._end = start + n
        self._index.update(zip(rows.ids, range(start, start + n), strict=True))
        self._live[part] = True
        self._n = n_waiting

    def _remove(self, slots: Ints) -> Rows:
        rows, n_waiting = self._at(slots), self._n - len(slots)
        self._live[slots] = False
        self._n = n_waiting
        for name in rows.ids:
            del self._index[name]
        if self.n_features is None:
            self._slots[1][slots] = None  # a dict is not kept longer than its row
        return rows

    def _at(self, slots: Ints | slice) -> Rows:
        ids, X, p, times = self._slots
        return Rows(ids[slots].tolist(), X[slots], p[slots], times[slots])

    def _oldest(self, n: int) -> Ints:
        """Return the slots of the `n` oldest rows, or of all rows if there are fewer."""
        width = 2 * n + 64
        while True:
            slots = np.flatnonzero(self._live[self._first : self._first + width]) + self._first
            if len(slots) >= n or self._first + width >= self._end:
                break
            width *= 2
        # All slots before the first live one stay unused.
        self._first = int(slots[0]) if len(slots) else self._end
        return slots[:n]

    def _aged(self, age: float | None = None, now: float | None = None) -> Ints:
        waits = self._live[: self._end]
        if age is not None:
            latest = (time.time() if now is None else now) - age
            waits = waits & (self._slots[3][: self._end] <= latest)
        return np.flatnonzero(waits)

    def _new_slots(self, n: int) -> tuple[NDArray[Any], ...]:
        ids = np.empty(n, dtype=object)
        rows = np.empty(n, dtype=object) if self.n_features is None else np.empty((n, self.n_features))
        return ids, rows, np.empty((n, self.n_classes)), np.empty(n)


def _as_array(X: Any, n_features: int) -> Floats:
    if isinstance(X, list | tuple) and len(X) and isinstance(X[0], dict):
        raise ValueError("WaitingRows: rows are dicts; leave out n_features to store such rows")
    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != n_features:
        raise ValueError(f"WaitingRows: expected rows of {n_features} inputs, got shape {rows.shape}")
    return rows


def _as_dicts(X: Any) -> NDArray[Any]:
    """Return copies of dict rows as an array of objects."""
    if isinstance(X, dict) or not isinstance(X, Sequence | np.ndarray):
        raise ValueError(f"WaitingRows: expected a list of dicts, one for each row, got a {type(X).__name__}")
    rows = np.empty(len(X), dtype=object)
    for i, row in enumerate(X):
        if not isinstance(row, dict):
            seen = type(row).__name__
            raise ValueError(f"WaitingRows: row {i} is a {seen}, not a dict; for arrays, give n_features")
        rows[i] = dict(row)
    return rows


def _part(rows: Rows, start: int, stop: int) -> Rows:
    ids, X, p, times = rows
    return Rows(ids[start:stop], X[start:stop], p[start:stop], times[start:stop])


def _joined(first: Rows, second: Rows) -> Rows:
    if not first.ids or not second.ids:
        return first if first.ids else second
    arrays = [np.concatenate(pair) for pair in zip(first[1:], second[1:], strict=True)]
    return Rows(first.ids + second.ids, *arrays)


def _as_ids(ids: Ids) -> list[int | str]:
    """Return ids as a list of int and str."""
    if isinstance(ids, str) or not hasattr(ids, "__len__"):
        raise TypeError(f"WaitingRows: ids must be a sequence of int or str, got {ids!r}")
    if isinstance(ids, np.ndarray) and ids.dtype.kind in "iuU" and ids.ndim == 1:
        return ids.tolist()
    return plain_ids(list(ids), "WaitingRows")


def plain_ids(ids: list[Any], who: str) -> list[int | str]:
    """Return ids as int and str; raise TypeError, in the name of `who`, for any other type."""
    if not _KINDS.issuperset(map(type, ids)):
        ids = [each.item() if isinstance(each, np.generic) else each for each in ids]
        for each in ids:
            if type(each) not in _KINDS:
                raise TypeError(f"{who}: an id must be a whole number or text, got {short_repr(each)}")
    return ids


def __dir__() -> list[str]:
    return __all__
