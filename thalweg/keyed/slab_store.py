"""Learners of fixed size: their states lie in one slab of memory, and those not in use on disk."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._native.kernel import Kernel, call_counted
from thalweg._native.layout import Array, checked_arrays
from thalweg._types import Floats, Ints, State
from thalweg.errors import StateError
from thalweg.keyed._native.slab import Slab
from thalweg.keyed._native.slots import SlotKernel, obstacle
from thalweg.keyed.spill import Spill
from thalweg.learners.base.native import NativeClassifier
from thalweg.learners.base.one_hot import NativeOneHot
from thalweg.learners.base.sparse_one_hot import SparseOneHot
from thalweg.learners.base.stream_classifier import StreamClassifier

WIDENED = 1 << 20  # numbers of rows widened at a time
USUAL = (NativeClassifier._learn, NativeOneHot._learn, SparseOneHot._learn)


def slab_obstacle(learner: StreamClassifier) -> str | None:
    """Return why the states of a learner that has begun cannot lie in a slab, or None if they can."""
    if not isinstance(learner, NativeClassifier) or type(learner)._learn not in USUAL:
        return "is more than one kernel"
    if (found := obstacle(learner._kernel)) is not None:
        return found
    if hasattr(learner, "random_state"):
        return "has a seed"
    if learner._means is not None:
        return "fills in missing values outside its kernel"
    if isinstance(learner, SparseOneHot) and learner._own is not None:
        return "has rows of categories that are mostly 0"
    return None


class SlabStore:
    """The states of the keys 0, 1, 2, …; key i has slot i + 1, and slot 0 is that of a new key.

    With at most `most` states in memory, slots and keys change: the states used least recently go to disk.
    `n_learned` counts rows, wherever Ctrl-C comes.
    """

    n_learned = 0

    def __init__(
        self, begins: Callable[[], Any], start: State | None, shared: Kernel | None, n_jobs: int,
        most_bytes: int | None, folder: str | None,
    ) -> None:
        self._begins, self.n_jobs = begins, n_jobs
        self._like: Any = begins()
        self.slab = Slab([SlotKernel(begins()._kernel) for _ in range(n_jobs)], shared)
        self._kernel = self.slab.kernels[0]
        self.slab.extend(1)
        if start is not None:
            self._fill(0, {name: array[None] for name, array in start.items()})
            self.slab.template[:] = self.slab.slot(0)
        self._pages = None if most_bytes is None else Pages(self.slab, most_bytes, folder)
        self._n = 0

    @property
    def bytes_per_key(self) -> int:
        """Bytes of the state of a key."""
        return self.slab.stride

    @property
    def nbytes(self) -> int:
        """Bytes of the states in memory."""
        return self.slab.nbytes

    @property
    def n_in_memory(self) -> int:
        """Number of keys whose states are in memory."""
        return self._n if self._pages is None else self._pages.n_used

    def extend(self, n: int) -> None:
        """Make states for keys up to `n` in all."""
        if self._pages is None:
            self.slab.extend(n + 1)
        else:
            self._pages.extend(n)
        self._n = max(self._n, n)

    def learn(
        self, numbers: Ints, X: Floats, y: Ints, w: Floats, p: Floats,
        tested: NDArray[np.uint8] | None = None, ids: Any = None,
    ) -> None:
        """For each row: write its probabilities into `p`, then learn it; rows of key -1 are left out."""
        for rows in self._parts(numbers):
            mask = None if tested is None else tested[rows]
            slots = self._slots(numbers[rows], writes=True)
            rows_in = self._like._widened(X[rows]) if isinstance(self._like, NativeOneHot) else X[rows]
            part = slots, rows_in, y[rows], w[rows], p[rows], mask, self.n_jobs
            call_counted(self, "n_learned", len(slots), self.slab.learn, *part)

    def predict(self, numbers: Ints, X: Floats, p: Floats, ids: Any = None) -> None:
        """Write the probabilities of each row into `p`; key -1 is one that has not come yet."""
        for rows in self._parts(numbers):
            rows_in = self._like._widened(X[rows]) if isinstance(self._like, NativeOneHot) else X[rows]
            self.slab.predict(self._slots(numbers[rows], new=0), rows_in, p[rows], self.n_jobs)

    def slot_of(self, number: int, writes: bool) -> int:
        """Return where the state of one key lies, which is in memory from now on."""
        if self._pages is None or number < 0:
            return number + 1
        return int(self._slots(np.array([number]), writes)[0])

    def _slots(self, numbers: Ints, writes: bool = False, new: int = -1) -> Ints:
        slots = numbers + 1 if self._pages is None else self._pages.slots(numbers, writes)
        if new != 0 or len(numbers) == 0 or numbers.min() < 0:
            slots[numbers < 0] = new
        return slots

    def _parts(self, numbers: Ints) -> list[slice]:
        """Return the rows to do at once: not more keys than there are slots, nor too wide rows."""
        n, width = len(numbers), getattr(self._like, "_row_width", None)
        size = n if width is None else max(WIDENED // width, 1)
        parts = [slice(start, min(start + size, n)) for start in range(0, n, max(size, 1))]
        if self._pages is None:
            return parts
        return [part for each in parts for part in self._pages.parts(numbers, each.start, each.stop)]

    def learner(self, number: int) -> StreamClassifier:
        """Return a learner with a copy of the state of a key, or of a new one if that is -1."""
        found: Any = self._begins()
        arrays = self._kernel.arrays_in(self.slab.slot(self.slot_of(number, False)))
        found._kernel.reset({name: arrays[name].copy() for name in self._kernel.kernel.layout})
        return found

    def put(self, number: int, learner: Any) -> None:
        """Let the state of a key be that of a learner."""
        arrays = {name: learner._kernel.arrays[name][None] for name in self._kernel.kernel.layout}
        self._fill(self.slot_of(number, True), arrays)

    def balance(self, number: int) -> float:
        """Return how far the shared model is trusted for a key: the log of its odds."""
        slot = self.slab.slot(self.slot_of(number, False))
        return float(slot[self._kernel.size :].view(np.float64)[0])

    def state(self) -> State:
        """Return the states of all keys: an array with one more axis for each array of the kernel."""
        whole = np.empty((self._n, self.slab.stride), dtype=np.uint8)
        for start in range(0, self._n, self.slab.chunk_slots):
            stop = min(start + self.slab.chunk_slots, self._n)
            if self._pages is None:
                whole[start:stop] = self.slab.read(np.arange(start + 1, stop + 1))
            else:
                self._pages.read(np.arange(start, stop), whole[start:stop])
        arrays = self._kernel.state_in(whole)
        state = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        if self.slab.stride > self._kernel.size:
            tail = np.ascontiguousarray(whole[:, self._kernel.size : self._kernel.size + 8])
            state["balance"] = tail.view(np.float64)[:, 0]
        return state

    def records(self, numbers: Ints) -> NDArray[np.uint8]:
        """Return the states of keys as bytes, a row each: the numbers that are saved, and the balance."""
        whole = np.empty((len(numbers), self.slab.stride), dtype=np.uint8)
        if self._pages is None:
            whole = self.slab.read(np.ascontiguousarray(numbers + 1))
        else:
            self._pages.read(numbers, whole)
        parts = [_flat_bytes(array) for array in self._kernel.state_in(whole).values()]
        if self.slab.stride > self._kernel.size:
            parts.append(whole[:, self._kernel.size : self._kernel.size + 8])
        return np.ascontiguousarray(np.concatenate(parts, axis=1))

    def set_records(self, numbers: Ints, records: NDArray[np.uint8]) -> None:
        """Let the states of keys be what `records` returned; raise StateError if they do not fit."""
        if not len(numbers) and not records.size:  # a state without keys says nothing of their size
            return
        kernel, is_mixed = self._kernel.kernel, self.slab.stride > self._kernel.size
        fresh, place, state = self._kernel.state_in(self.slab.template), 0, {}
        for name, array in fresh.items():
            part = np.ascontiguousarray(records[:, place : place + array.nbytes])
            place += array.nbytes
            state[name] = part.view(array.dtype).reshape(len(records), *array.shape)
        if records.shape[1] != place + 8 * is_mixed:
            raise StateError(f"Bank: the state of a key has {records.shape[1]} bytes, expected {place}")
        if is_mixed:
            state["balance"] = np.ascontiguousarray(records[:, place:]).view(np.float64)[:, 0]
        self._set_states(numbers, kernel, state)

    def _set_states(self, numbers: Ints, kernel: Kernel, state: State) -> None:
        """Let the states of keys be these arrays, which have one more axis, that of the keys."""
        n, balance = len(numbers), state.pop("balance", None)
        layout = {name: _stacked(array) for name, array in kernel.layout.items()}
        arrays = checked_arrays(layout, kernel.lengths | {"key": n}, state, self._like._who)
        size = max(self.slab.chunk_slots // 2, 1) if self._pages is None else self._pages.capacity
        for start in range(0, n, size):
            slots = self._slots(np.ascontiguousarray(numbers[start : start + size]), writes=True)
            whole = np.repeat(self.slab.template[None], len(slots), axis=0)
            target = self._kernel.state_in(whole)
            for name, array in arrays.items():
                target[name][...] = array[start : start + size]
            if balance is not None:
                tail = whole[:, self._kernel.size : self._kernel.size + 8].view(np.float64)
                tail[:, 0] = np.clip(np.nan_to_num(balance[start : start + size]), -30, 30)
            if type(kernel).check is not Kernel.check:
                for i in range(len(slots)):
                    kernel.check({name: array[start + i] for name, array in arrays.items()})
            for i, slot in enumerate(slots.tolist()):
                self.slab.write(slot, whole[i])
                self.slab.derive(slot, slot + 1)

    def restore(self, state: State, n: int) -> None:
        """Go on from what `state` returned for `n` keys; raise StateError if it does not fit."""
        state = dict(state)
        balance = state.get("balance")
        is_mixed = self.slab.stride > self._kernel.size
        if is_mixed and not (isinstance(balance, np.ndarray) and balance.shape == (n,)):
            raise StateError("Bank: the state's 'balance' must be one number a key")
        if not is_mixed:
            state.pop("balance", None)
        self.extend(n)
        self._set_states(np.arange(n), self._kernel.kernel, state)

    def _fill(self, slot: int, arrays: State) -> None:
        target = self._kernel.state_in(self.slab.slot(slot))
        for name, array in arrays.items():
            target[name][...] = array[0]
        self.slab.derive(slot, slot + 1)


def _flat_bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    """Return arrays of several keys as bytes, a row for each key."""
    return np.ascontiguousarray(array).reshape(len(array), array[0].size if len(array) else 0).view(np.uint8)


def _stacked(array: Array) -> Array:
    """Return the declaration of an array with one more axis, that of the keys."""
    found = Array.__new__(Array)
    for name in Array.__slots__:
        setattr(found, name, getattr(array, name))
    found.axes = ("key", *array.axes)
    return found


class Pages:
    """Which keys have which slots, if there are not slots for all: the others are on disk."""

    def __init__(self, slab: Slab, most_bytes: int, folder: str | None) -> None:
        self._slab = slab
        self.capacity = max(most_bytes // slab.stride - 1, 1)
        self._slot_of = np.zeros(0, dtype=np.intp)  # by key; 0 if it is on disk, or new
        self._is_new = np.zeros(0, dtype=bool)  # by key: no state yet
        self._key_in = np.full(1, -1, dtype=np.intp)  # by slot
        self._used = np.zeros(1, dtype=np.int64)  # by slot: when it was used last
        self._changed = np.zeros(1, dtype=bool)  # by slot, since it was written to disk
        self._clock = 0
        self.n_used = 0
        self.spill = Spill(folder)

    def extend(self, n: int) -> None:
        """Know keys up to `n` in all."""
        if n > len(self._slot_of):
            room = max(n, 2 * len(self._slot_of))
            self._slot_of = np.concatenate([self._slot_of, np.zeros(room - len(self._slot_of), np.intp)])
            self._is_new = np.concatenate([self._is_new, np.ones(room - len(self._is_new), bool)])

    def parts(self, numbers: Ints, start: int, stop: int) -> list[slice]:
        """Cut rows into parts that have no more keys than there are slots."""
        if stop - start <= self.capacity or len(np.unique(numbers[start:stop])) <= self.capacity:
            return [slice(start, stop)]
        middle = (start + stop) // 2
        return [*self.parts(numbers, start, middle), *self.parts(numbers, middle, stop)]

    def slots(self, numbers: Ints, writes: bool) -> Ints:
        """Return the slot of each key, -1 for key -1; read states from disk, and write others there."""
        known = numbers[numbers >= 0] if len(numbers) and numbers.min() < 0 else numbers
        slots = self._slot_of[known]
        self._clock += 1
        if not slots.all():
            self._used[slots] = self._clock  # they stay
            self._bring(np.unique(known[slots == 0]))
            slots = self._slot_of[known]
        self._used[slots] = self._clock
        if writes:
            self._changed[slots] = True
        if len(known) == len(numbers):
            return slots
        found = np.full(len(numbers), -1, dtype=np.intp)
        found[numbers >= 0] = slots
        return found

    def _bring(self, keys: Ints) -> None:
        """Give these keys slots, those of keys used least recently if need be."""
        free = min(self.capacity - self.n_used, len(keys))
        old = self._evicted(len(keys) - free)
        slots = np.concatenate([np.arange(self.n_used + 1, self.n_used + free + 1), old])
        if free:
            self._add_slots(free)
        new = self._is_new[keys]
        self._slab.reset(slots[new])
        place = dict(zip(keys[~new].tolist(), slots[~new].tolist(), strict=True))
        for key, state in self.spill.read(list(place)):
            self._slab.write(place[key], np.frombuffer(state, dtype=np.uint8))
        self._slot_of[keys], self._key_in[slots], self._is_new[keys] = slots, keys, False
        self._changed[slots] = new

    def _add_slots(self, n: int) -> None:
        self._slab.extend(self.n_used + n + 1)
        if self.n_used + n >= len(self._used):
            more = max(n, len(self._used))
            self._key_in = np.concatenate([self._key_in, np.full(more, -1, np.intp)])
            self._used = np.concatenate([self._used, np.zeros(more, np.int64)])
            self._changed = np.concatenate([self._changed, np.zeros(more, bool)])
        self.n_used += n

    def _evicted(self, n: int) -> Ints:
        """Write the `n` states used least recently to disk; return their slots."""
        if not n:
            return np.zeros(0, dtype=np.intp)
        last = self._used[1 : self.n_used + 1]
        slots = np.argpartition(last, n - 1)[:n] + 1
        changed = slots[self._changed[slots]]
        states = self._slab.read(changed)
        self.spill.write(zip(self._key_in[changed].tolist(), list(states), strict=True))
        owners = self._key_in[slots]
        # From here on the slots are nobody's, also if what follows is interrupted.
        self._slot_of[owners[owners >= 0]], self._changed[slots], self._key_in[slots] = 0, False, -1
        return slots

    def read(self, keys: Ints, target: NDArray[np.uint8]) -> None:
        """Write the states of keys into the rows of `target`, without moving any."""
        slots = self._slot_of[keys]
        there = np.flatnonzero(slots)
        target[there] = self._slab.read(slots[there])
        new = np.flatnonzero((slots == 0) & self._is_new[keys])
        target[new] = self._slab.template
        place = {int(keys[i]): i for i in np.flatnonzero((slots == 0) & ~self._is_new[keys]).tolist()}
        for key, state in self.spill.read(list(place)):
            target[place[key]] = np.frombuffer(state, dtype=np.uint8)
