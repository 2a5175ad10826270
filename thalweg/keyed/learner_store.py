"""Learners of any kind: one object a key, those not in use on disk."""

import pickle
import tracemalloc
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Floats, Ints, State
from thalweg.errors import StateError, set_rows_learned
from thalweg.keyed._native.slab import mix_rows
from thalweg.keyed.spill import Spill
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.saving.container import pack, unpack
from thalweg.saving.plain import from_json, to_json

AT_ONCE = 64  # keys whose rows threads share out
Group = tuple[int, Ints]


def measured_bytes(make: Callable[[], Any]) -> int:
    """Return how much memory an object takes that `make` returns, as Python and NumPy count it."""
    was_on = tracemalloc.is_tracing()
    make()  # what is imported or cached by the first one is not its own
    if not was_on:
        tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        made = make()
        return max(tracemalloc.get_traced_memory()[0] - before, 0) if made is not None else 0
    finally:
        if not was_on:
            tracemalloc.stop()


class LearnerStore:
    """A learner for each key, made when its first row is learned; `begins(number)` makes one.

    With `most_bytes`, learners that were used least recently are on disk, as far as the memory of all, which
    is estimated, would be above it.
    """

    n_learned: int | None = None  # not counted: the call that learns says so itself

    def __init__(
        self, begins: Callable[[int], StreamClassifier], shared: StreamClassifier | None, n_jobs: int,
        most_bytes: int | None, folder: str | None, skip: Callable[[int, Exception], None] | None,
    ) -> None:
        self._begins, self._shared, self.n_jobs, self._skip = begins, shared, n_jobs, skip
        self._like = begins(-1)
        self.bytes_per_key = measured_bytes(lambda: begins(-1))
        self._own = self.bytes_per_key - _array_bytes(self._like)  # all but arrays, which may grow
        self._learners: OrderedDict[int, StreamClassifier] = OrderedDict()
        self._balances: dict[int, Floats] = {}
        self._sizes: dict[int, int] = {}
        self._most = most_bytes
        self._spill = None if most_bytes is None else Spill(folder)
        self._on_disk: set[int] = set()
        self.nbytes = 0

    @property
    def n_in_memory(self) -> int:
        """Number of keys whose learners are in memory."""
        return len(self._learners)

    def extend(self, n: int) -> None:
        """Know keys up to `n` in all; learners are made later."""

    def learn(
        self, numbers: Ints, X: Floats, y: Ints, w: Floats, p: Floats,
        tested: NDArray[np.uint8] | None = None, ids: Any = None,
    ) -> None:
        """For each row: write its probabilities into `p`, then learn it; rows of key -1 are left out."""

        def learn(group: Group) -> None:
            number, rows = group
            learner = self._get(number)
            given = {} if ids is None else {"ids": ids[rows]}
            mask = None if tested is None else tested[rows]
            p[rows] = learner.test_then_train_coded(
                X[rows], y[rows], sample_weight=w[rows], tested=mask, **given
            )
            if self._shared is not None:
                mixed = np.ascontiguousarray(p[rows])
                q = self._shared.predict_proba_block(X[rows])
                mix_rows(self._balance(number), mixed, q, y[rows], w[rows])
                p[rows] = mixed

        self._run(learn, numbers, p)

    def predict(self, numbers: Ints, X: Floats, p: Floats, ids: Any = None) -> None:
        """Write the probabilities of each row into `p`; key -1 is one that has not come yet.

        With `ids` the rows are observed: their labels come later.
        """

        def predict(group: Group) -> None:
            number, rows = group
            learner = self._like if number < 0 else self._get(number)
            if ids is None or number < 0:
                p[rows] = learner.predict_proba_block(X[rows])
            else:
                p[rows] = learner.predict_then_observe(X[rows], ids=ids[rows])
            if self._shared is not None:
                mixed = np.ascontiguousarray(p[rows])
                q = self._shared.predict_proba_block(X[rows])
                balance = np.zeros(1) if number < 0 else self._balance(number)
                none = np.zeros(len(rows))
                mix_rows(balance, mixed, q, none.astype(np.intp), none)
                p[rows] = mixed

        self._run(predict, numbers, p, with_new=True)

    def _run(
        self, change: Callable[[Group], None], numbers: Ints, p: Floats, with_new: bool = False
    ) -> None:
        """Call `change` with the rows of each key; each key's are in their order."""

        def attempt(group: Group) -> None:
            try:
                change(group)
            except Exception as error:
                if self._skip is None:
                    raise
                self._skip(len(group[1]), error)
                p[group[1]] = np.nan

        groups = [group for group in _groups(numbers) if with_new or group[0] >= 0]
        size = 1 if self.n_jobs == 1 else AT_ONCE
        for start in range(0, len(groups), size):
            try:
                self._run_some(attempt, groups[start : start + size])
            except BaseException as error:
                # Not the first rows are learned, but those of some keys: none of them may be learned twice.
                set_rows_learned(error, len(numbers) if start or size > 1 else 0)
                raise

    def _run_some(self, attempt: Callable[[Group], None], groups: list[Group]) -> None:
        numbers = [number for number, _ in groups]
        for number in numbers:
            if number >= 0:
                self._get(number)
        if len(groups) == 1:
            attempt(groups[0])
        else:
            with ThreadPoolExecutor(self.n_jobs) as workers:
                list(workers.map(attempt, groups))
        self._settle(numbers)

    def _get(self, number: int) -> StreamClassifier:
        found = self._learners.get(number)
        if found is None:
            found = self._begins(number)
            if number in self._on_disk and self._spill is not None:
                ((_, data),) = self._spill.read([number])
                state, self._balances[number] = pickle.loads(data)
                found.restore(state)
            self._learners[number] = found
            self._sizes[number] = 0
        return found

    def _balance(self, number: int) -> Floats:
        return self._balances.setdefault(number, np.zeros(1))

    def _settle(self, numbers: list[int]) -> None:
        """Count the memory of learners that were used just now, and write others to disk."""
        for number in numbers:
            if number in self._learners:
                size = self._own + _array_bytes(self._learners[number])
                self.nbytes += size - self._sizes[number]
                self._sizes[number] = size
                self._learners.move_to_end(number)
        if self._most is None or self.nbytes <= self._most:
            return
        gone = []
        while self.nbytes > self._most and len(self._learners) > 1:
            number = next(iter(self._learners))
            gone.append((number, pickle.dumps(
                (self._learners[number].state(), self._balance(number)), protocol=5
            )))
            self._on_disk.add(number)
            self.nbytes -= self._sizes.pop(number)
            del self._learners[number], self._balances[number]
        if self._spill is not None:
            self._spill.write(gone)

    def learner(self, number: int) -> StreamClassifier:
        """Return a copy of the learner of a key, or a new one if that is -1."""
        return self._begins(-1) if number < 0 else self._get(number).copy()

    def put(self, number: int, learner: StreamClassifier) -> None:
        """Let the learner of a key be this one."""
        self._learners[number] = learner
        self._sizes.setdefault(number, 0)
        self._settle([number])

    def balance(self, number: int) -> float:
        """Return how far the shared model is trusted for a key: the log of its odds."""
        self._get(number)
        return float(self._balance(number)[0])

    def state(self, n: int) -> State:
        """Return the states of the learners of `n` keys, None where nothing was learned."""
        states: list[Any] = []
        for number in range(n):
            known = number in self._learners or number in self._on_disk
            states.append([self._get(number).state(), self._balance(number).copy()] if known else None)
            self._settle([number])
        return {"learners": states}

    def records(self, numbers: Ints) -> list[bytes]:
        """Return the states of keys as bytes."""
        found = []
        for number in numbers.tolist():
            arrays: list[Any] = []
            content = to_json([self._get(number).state(), self._balance(number)], arrays)
            found.append(pack({"content": content}, arrays))
            self._settle([number])
        return found

    def set_records(self, numbers: Ints, records: Sequence[bytes]) -> None:
        """Let the states of keys be what `records` returned; raise StateError if they do not fit."""
        for number, data in zip(numbers.tolist(), records, strict=True):
            description, arrays = unpack(data)
            self._restore_one(number, from_json(description["content"], arrays))

    def _restore_one(self, number: int, found: Any) -> None:
        learner, like = self._get(number).restore(found[0]), self._like
        is_alike = "classes" in found[0] and learner.n_features_in_ == like.n_features_in_
        if not is_alike or not np.array_equal(learner.classes_, like.classes_):
            raise StateError("Bank: the learner of a key has other inputs or classes than the bank")
        self._balances[number] = np.clip(np.asarray(found[1], dtype=np.float64).reshape(1), -30, 30)
        self._settle([number])

    def restore(self, state: State, n: int) -> None:
        """Go on from what `state` returned for `n` keys; raise StateError if it does not fit."""
        states = state["learners"]
        if not isinstance(states, list) or len(states) != n:
            raise StateError(f"Bank: the state must hold a learner for each of {n} keys")
        for number, found in enumerate(states):
            if found is not None:
                self._restore_one(number, found)


def _array_bytes(learner: StreamClassifier) -> int:
    kernel = getattr(learner, "_kernel", None)
    return 0 if kernel is None else int(kernel.bytes)


def _groups(numbers: Ints) -> Iterator[Group]:
    """Yield each key and its rows, in order."""
    order = np.argsort(numbers, kind="stable")
    sorted_numbers = numbers[order]
    borders = np.flatnonzero(np.diff(sorted_numbers)) + 1
    for rows in np.split(order, borders) if len(order) else ():
        yield int(numbers[rows[0]]), rows
