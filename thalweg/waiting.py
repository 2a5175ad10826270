"""Rows that wait for their labels: what was asked, what was answered and when."""

import time
from typing import NamedTuple

import numpy as np

from thalweg.errors import StateError, WaitingError

__all__ = ["Rows", "WaitingRows"]

_KINDS = {int, str}


class Rows(NamedTuple):
    """Rows of a store, one entry each: their ids, inputs, predicted probabilities and times."""

    ids: list[int | str]
    X: np.ndarray
    p: np.ndarray
    times: np.ndarray


class WaitingRows:
    """A bounded store of rows that were predicted and whose labels come later, by id or in order.

    Add rows when they are predicted; when labels come, `resolve` (by id) or `resolve_oldest` (first in, first
    out) removes their rows and returns them, ready to be learned. A call costs about ten microseconds and a
    row a fraction of one, however many wait. A call that is refused changes nothing; one that is interrupted
    has added or removed all its rows, or none. Threads that share a store need a lock around it.

    Memory: up to twice the rows that wait, each 8 (`n_features` + `n_classes` + 1) bytes and its id.

    Parameters
    ----------
    n_features : int
        Inputs a row has.
    n_classes : int, default=0
        Probabilities kept with a row; with 0 what was answered is not kept.
    capacity : int or None, default=None
        Rows that wait at most; None for no bound.
    when_full : {"drop", "raise"}, default="drop"
        Whether rows beyond the capacity push out the oldest, counted in `n_dropped`, or raise WaitingError.

    Attributes
    ----------
    n_dropped, n_expired : int
        Rows so far that made room for others, and that `expire` removed.

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
    """

    def __init__(self, n_features, n_classes=0, capacity=None, when_full="drop"):
        if when_full not in ("drop", "raise"):
            raise ValueError(f'WaitingRows: when_full must be "drop" or "raise", got {when_full!r}')
        if capacity is not None and capacity < 1:
            raise ValueError(f"WaitingRows: capacity must be at least 1 or None, got {capacity!r}")
        self.n_features, self.n_classes = n_features, n_classes
        self.capacity, self.when_full = capacity, when_full
        self.n_dropped = self.n_expired = self._next_id = 0
        self._n = self._first = self._end = 0
        # Slots fill up in the order of arrival. A row waits if its slot is live; what an interrupted call may
        # leave in the index points to other slots and does not count.
        self._index = {}
        self._slots = self._new_slots(0)
        self._live = np.zeros(0, dtype=bool)

    def __len__(self):
        return self._n

    def add(self, X, p=None, ids=None, now=None):
        """Let rows wait; return their ids.

        Parameters
        ----------
        X : array of rows × inputs
            What was asked.
        p : array of rows × classes or None
            What was answered; NaN is kept if None.
        ids : sequence of int or str, or None
            Ids that no waiting row has; the next whole numbers from 0 on if None.
        now : float, array of float or None
            When the rows came, one time for all or one each; `time.time()` if None.
        """
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(f"WaitingRows: expected rows of {self.n_features} inputs, got shape {X.shape}")
        n = len(X)
        p = np.full((n, self.n_classes), np.nan) if p is None else np.asarray(p, dtype=np.float64)
        if p.shape != (n, self.n_classes):
            raise ValueError(f"WaitingRows: expected p of shape {(n, self.n_classes)}, got {p.shape}")
        times = np.broadcast_to(np.asarray(_time(now), dtype=np.float64), (n,))
        if ids is None:
            ids = list(range(self._next_id, self._next_id + n))
            self._next_id += n
        ids = _as_ids(ids)
        self._check_new(ids, n)
        kept = slice(n - self._make_place(n), n)
        self._append(Rows(ids[kept], X[kept], p[kept], times[kept]))
        return ids

    def contains(self, ids):
        """Return for each id whether its row waits."""
        slots = map(self._index.get, _as_ids(ids))
        return np.array([slot is not None and bool(self._live[slot]) for slot in slots], dtype=bool)

    def resolve(self, ids):
        """Remove the rows of these ids, whose labels have come; return them in the order of `ids`.

        Raises WaitingError, and removes none, unless all of them wait: see `contains`.
        """
        ids = _as_ids(ids)
        slots = np.array([self._index.get(each, -1) for each in ids], dtype=np.intp)
        if len(slots) and (slots.min() < 0 or not self._live[slots].all()):
            unknown = ids[int(np.argmin(self.contains(ids)))]
            why = "it was never added, or resolved, dropped or expired before"
            raise WaitingError(f"no row waits under the id {unknown!r}: {why}")
        if len(set(ids)) < len(ids):
            raise WaitingError("an id stands twice among those to resolve")
        return self._remove(slots)

    def resolve_oldest(self, n=1):
        """Remove the `n` rows that came first and return them, for labels that come in the rows' order."""
        if n > self._n:
            raise WaitingError(f"cannot resolve {n} rows: {self._n} wait")
        return self._remove(self._oldest(n))

    def rows(self, age=None, now=None):
        """Return the rows that wait, the oldest first, or those that wait at least `age`; remove none."""
        return self._at(self._aged(age, now))

    def expire(self, age, now=None):
        """Remove the rows that wait at least `age` and return them: their labels are no longer expected."""
        removed = self._remove(self._aged(age, now))
        self.n_expired += len(removed.ids)
        return removed

    def state(self):
        """Return all there is to this store as a plain dict of arrays, numbers and lists."""
        rows = self.rows()
        names = ("n_features", "n_classes", "capacity", "when_full", "n_dropped", "n_expired")
        state = {name: getattr(self, name) for name in names}
        return state | {"next_id": self._next_id} | rows._asdict()

    @classmethod
    def from_state(cls, state):
        """Return a store that goes on from what `state` returned."""
        try:
            store = cls(*(state[name] for name in ("n_features", "n_classes", "capacity", "when_full")))
            store.add(state["X"], state["p"], state["ids"], state["times"])
            if store.n_dropped:
                raise StateError(f"WaitingRows: more rows wait than the capacity of {store.capacity}")
            store.n_dropped, store.n_expired = int(state["n_dropped"]), int(state["n_expired"])
            store._next_id = int(state["next_id"])
        except (KeyError, TypeError, ValueError) as error:
            raise StateError(f"WaitingRows: the state is damaged: {error}") from error
        return store

    def _check_new(self, ids, n):
        if len(ids) != n:
            raise ValueError(f"WaitingRows: got {n} rows but {len(ids)} ids")
        if len(set(ids)) < n:
            raise WaitingError("an id stands twice among those to add")
        if not self._index.keys().isdisjoint(ids):
            waits = self.contains(ids)
            if waits.any():
                raise WaitingError(f"a row waits already under the id {ids[int(np.argmax(waits))]!r}")

    def _make_place(self, n):
        """Make place for `n` rows; return how many of them, the last, can be kept."""
        kept = n if self.capacity is None else min(n, self.capacity)
        n_excess = 0 if self.capacity is None else max(0, self._n + n - self.capacity)
        if n_excess:
            if self.when_full == "raise":
                there = f"{self._n} wait, and the capacity is {self.capacity}"
                raise WaitingError(f"cannot add {n} rows: {there}")
            self._remove(self._oldest(n_excess))
            self.n_dropped += n_excess
        if self._end + kept > len(self._live):
            self._compact(2 * (self._n + kept) + 16)
        return kept

    def _compact(self, n_slots):
        """Move the rows that wait to the front of `n_slots` slots."""
        rows, n = self._at(self._aged()), self._n
        slots, live = self._new_slots(n_slots), np.zeros(n_slots, dtype=bool)
        for new, old in zip(slots, rows, strict=True):
            new[:n] = old
        live[:n] = True
        index = dict(zip(rows.ids, range(n), strict=True))
        # No call between these: Ctrl-C finds all of it done or none.
        self._slots, self._live, self._index, self._first, self._end = slots, live, index, 0, n

    def _append(self, rows):
        start, n = self._end, len(rows.ids)
        part, n_waiting = slice(start, start + n), self._n + n
        for slots, values in zip(self._slots, rows, strict=True):
            slots[part] = values
        self._end = start + n
        self._index.update(zip(rows.ids, range(start, start + n), strict=True))
        self._live[part] = True
        self._n = n_waiting

    def _remove(self, slots):
        rows, n_waiting = self._at(slots), self._n - len(slots)
        self._live[slots] = False
        self._n = n_waiting
        for name in rows.ids:
            del self._index[name]
        return rows

    def _at(self, slots):
        ids, X, p, times = self._slots
        return Rows(ids[slots].tolist(), X[slots], p[slots], times[slots])

    def _oldest(self, n):
        """Return the slots of the `n` rows that came first, or of all if there are fewer."""
        width = 2 * n + 64
        while True:
            slots = np.flatnonzero(self._live[self._first : self._first + width]) + self._first
            if len(slots) >= n or self._first + width >= self._end:
                break
            width *= 2
        # All slots before the first live one stay empty.
        self._first = int(slots[0]) if len(slots) else self._end
        return slots[:n]

    def _aged(self, age=None, now=None):
        waits = self._live[: self._end]
        if age is not None:
            waits = waits & (self._slots[3][: self._end] <= _time(now) - age)
        return np.flatnonzero(waits)

    def _new_slots(self, n):
        ids = np.empty(n, dtype=object)
        return ids, np.empty((n, self.n_features)), np.empty((n, self.n_classes)), np.empty(n)


def _time(now):
    return time.time() if now is None else now


def _as_ids(ids):
    """Return ids as a list of int and str."""
    if isinstance(ids, str) or not hasattr(ids, "__len__"):
        raise TypeError(f"WaitingRows: ids must be a sequence of int or str, got {ids!r}")
    if isinstance(ids, np.ndarray) and ids.dtype.kind in "iuU" and ids.ndim == 1:
        return ids.tolist()
    ids = list(ids)
    if not _KINDS.issuperset(map(type, ids)):
        ids = [each.item() if isinstance(each, np.generic) else each for each in ids]
        for each in ids:
            if type(each) not in _KINDS:
                raise TypeError(f"WaitingRows: an id must be an int or a str, got {each!r}")
    return ids
