"""Rows that wait for their labels, by the ids that a user gives them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from thalweg._types import Floats, Ints, State
from thalweg.errors import WaitingError
from thalweg.learners.base.arguments import clipped_rows
from thalweg.rows.sparse_rows import SparseRows, joined
from thalweg.waiting import Ids, WaitingRows

FAR = 2**52


class LateRows:
    """A bounded store of rows; each gets a number, by which the learner knows it.

    An id is text or a whole number. The row that has waited longest is dropped to make room.
    """

    def __init__(self, n_features: int, capacity: int, sparse: bool) -> None:
        self.n_features, self._sparse = n_features, sparse
        self._rows = WaitingRows(None if sparse else n_features, capacity=capacity)
        self._next = 1

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def n_dropped(self) -> int:
        """Number of rows that were dropped to make room."""
        return self._rows.n_dropped

    @property
    def is_sparse(self) -> bool:
        """Whether the rows are sparse."""
        return self._sparse

    def column(self, j: int) -> Floats:
        """Return one input of all rows, which are not sparse."""
        return self._rows.rows().X[:, j]

    def check_new(self, ids: Ids) -> None:
        """Raise WaitingError if an id waits already, or is there twice."""
        if len(set(ids)) < len(ids):
            raise WaitingError("an id occurs twice among those of the rows")
        waits = self._rows.contains(ids)
        if waits.any():
            raise WaitingError(f"a row with the id {ids[int(np.argmax(waits))]!r} is waiting already")

    @contextmanager
    def added(self, X: Any, ids: Ids) -> Iterator[Ints]:
        """Store rows, and give their numbers; remove them again if what follows raises.

        Raise WaitingError if an id waits already.
        """
        numbers = self._new(len(ids))
        self._store(X, ids, numbers)
        try:
            yield numbers
        except BaseException:
            self._rows.resolve([each for each, there in zip(ids, self.contains(ids), strict=True) if there])
            raise

    @contextmanager
    def taken(self, ids: Ids, all_wait: bool = False) -> Iterator[tuple[Any, Ints]]:
        """Remove rows; give those that waited, and the numbers of all, new ones of those that did not wait.

        `all_wait` says that `check` has passed. If what follows raises, rows beyond the `rows_learned` of
        the exception wait again.
        """
        waits = np.ones(len(ids), dtype=bool) if all_wait else self.contains(ids)
        places, numbers = np.flatnonzero(waits), np.empty(len(ids), dtype=np.int64)
        found = self._rows.resolve(ids if all_wait else [ids[i] for i in places.tolist()])
        X = joined([each["row"] for each in found.X], self.n_features) if self._sparse else found.X
        numbers[places], numbers[~waits] = found.times, self._new(len(ids) - len(places))
        try:
            yield X, numbers
        except BaseException as error:
            n = int(np.searchsorted(places, getattr(error, "rows_learned", 0)))
            self._store(X[n:], found.ids[n:], numbers[places[n:]])
            raise

    def _new(self, n: int) -> Ints:
        # Far from those of the rows of a stream, so that an evaluation does not meet rows that wait.
        first = -FAR - self._next
        numbers = np.arange(first, first - n, -1, dtype=np.int64)
        self._next += n
        return numbers

    def contains(self, ids: Ids) -> Any:
        """Return for each id whether its row waits."""
        return self._rows.contains(ids)

    def waiting(self, ids: list[Any], labels: list[Any]) -> tuple[list[Any], list[Any]]:
        """Return those ids whose rows wait, each once, and their labels: of several the first."""
        found: dict[Any, Any] = {}
        for each, label, there in zip(ids, labels, self.contains(ids), strict=True):
            if there:
                found.setdefault(each, label)
        return [*found], [*found.values()]

    def check(self, ids: Ids) -> None:
        """Raise WaitingError if a row does not wait, or an id is there twice."""
        if not self._rows.contains(ids).all() or len(set(ids)) < len(ids):
            self._rows.resolve(ids)

    def _store(self, X: Any, ids: Ids, numbers: Ints) -> None:
        rows = X
        if self._sparse:
            X = X if isinstance(X, SparseRows) else SparseRows.of_dense(X)
            rows = [{"row": row} for row in X.each()]
        self._rows.add(rows, ids=ids, now=numbers)

    def state(self) -> State:
        """Return the rows and their numbers as plain data."""
        rows = self._rows.state()
        if self._sparse:
            found = [each["row"] for each in rows["X"]]
            rows["X"] = [{"columns": row.columns.copy(), "values": row.values.copy()} for row in found]
        return {"n_features": self.n_features, "sparse": self._sparse, "next": self._next, "rows": rows}

    @classmethod
    def from_state(cls, state: State) -> "LateRows":
        """Return a store with the state that `state` returned; raise an error if it is damaged."""
        store = cls(int(state["n_features"]), 1, bool(state["sparse"]))
        rows = state["rows"]
        if store._sparse:
            rows = rows | {"X": [{"row": row} for row in _checked(rows["X"], store.n_features).each()]}
        else:
            X, _has_missing = clipped_rows(np.ascontiguousarray(rows["X"]), (), "rows that wait")
            rows = rows | {"X": X}
        if not _are_numbers(rows["times"]):
            raise ValueError("rows that wait have other numbers than a learner gives")
        store._rows, store._next = WaitingRows.from_state(rows), int(state["next"])
        wanted = None if store._sparse else store.n_features
        if store._rows.n_features != wanted or not 1 <= store._next <= FAR:
            raise ValueError("rows that wait have another number of inputs")
        return store


def _checked(rows: list[dict[str, Any]], n_features: int) -> SparseRows:
    """Return what is stored of sparse rows as SparseRows; raise ValueError if it is damaged."""
    columns, values = [each["columns"] for each in rows], [each["values"] for each in rows]
    lengths = [len(each) for each in values]
    if lengths != [len(each) for each in columns]:
        raise ValueError("a row that waits has another number of columns than of values")
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.intp)
    whole = np.concatenate([np.empty(0, dtype=np.intp), *columns]), np.concatenate([np.empty(0), *values])
    return SparseRows(starts, *whole, n_features)


def _are_numbers(times: Any) -> bool:
    return bool((np.floor(times) == times).all() and (np.abs(times) <= 2 * FAR).all())
