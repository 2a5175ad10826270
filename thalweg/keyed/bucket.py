"""A bucket of keys: their learners, the last order of each, and the rows that wait for labels."""

from collections import OrderedDict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from thalweg._native.layout import MOST_VALUE
from thalweg._types import Floats, Ints, Mask, State
from thalweg.errors import StateError
from thalweg.keyed.bank import Bank
from thalweg.keyed.event_columns import Events
from thalweg.keyed.key_texts import key_hashes, key_of, written
from thalweg.keyed.keys import encode, numbers_of
from thalweg.keyed.orders import FIRST
from thalweg.keyed.outputs import DROPPED, LATE, LEARNED, PREDICTED, REFUSED, UNKNOWN, output_table
from thalweg.learners.base.stream_classifier import StreamClassifier

if TYPE_CHECKING:
    from thalweg.keyed.operator import Operator

AT_ONCE = 1000  # keys whose states are written at a time


class EventBank(Bank):
    """A bank whose keys are texts that stand for keys of one column or several."""

    _n_columns = 1

    def _look_at_keys(self, n: int) -> None:
        """Do nothing: a bucket has only some of the keys; its runner sees all."""

    def _key_at(self, number: int) -> Any:
        return key_of(super()._key_at(number), self._n_columns)


class Waiting(NamedTuple):
    """A row that waits for its label: its order, its inputs, and what was predicted."""

    order: int
    row: Floats
    p: Floats


class Content(NamedTuple):
    """The states of some keys: numbers, texts, last orders, records of their learners, and rows that wait.

    `waiting` are, for each row that waits, the position of its key, its order, its id, and its inputs
    followed by its probabilities.
    """

    numbers: Ints
    keys: Any
    last: NDArray[np.int64]
    records: Any
    waiting: tuple[NDArray[np.int64], NDArray[np.int64], list[str], Floats]


class Bucket:
    """The keys of one bucket, in memory; `Operator.bucket` makes one.

    Attributes
    ----------
    n_dropped_ : int
        Rows that waited and were dropped, since the bucket was made.
    """

    def __init__(self, operator: "Operator") -> None:
        self._operator = operator
        self.bank = operator._new_bank()
        self._last = np.empty(0, dtype=np.int64)
        self._waiting: dict[int, OrderedDict[str, Any]] = {}
        self._touched: list[tuple[int, str]] = []  # keys and ids of the batch that is processed
        self._changed: list[Ints] = []
        self.n_dropped_ = 0

    def __len__(self) -> int:
        return len(self.bank)

    def __contains__(self, key: Any) -> bool:
        return self._find(key) >= 0

    def __getitem__(self, key: Any) -> StreamClassifier:
        """Return a copy of the learner of a key; raise KeyError if it has not come yet."""
        number = self._find(key)
        if number < 0:
            raise KeyError(key)
        learner: StreamClassifier = self.bank._store.learner(number)
        return learner

    def keys(self) -> list[Any]:
        """Return all keys."""
        return self.bank.keys()

    @property
    def n_waiting_(self) -> int:
        """Number of rows that wait for their labels."""
        return sum(map(len, self._waiting.values()))

    def _find(self, key: Any) -> int:
        text = written(key, len(self._operator.columns_.roles.key))
        return self.bank._index.find(text, False, encode)

    def process(self, events: Any) -> Any:
        """Predict and learn a table of events in the order of each key; return a table of outputs."""
        return self.process_read(self._operator.columns_.read(events))

    def process_read(self, events: Events) -> Any:
        """Do what `process` does, for events that are read already."""
        n, problems = len(events.orders), events.problems
        status = np.full(n, PREDICTED, dtype=np.int8)
        status[[*problems]] = REFUSED
        numbers = self._numbers(events)
        sequence = _sequence(events.orders)
        is_new = self._are_new(numbers, events.orders, sequence)
        status[~is_new & (numbers >= 0)] = DROPPED
        X, codes, w = events.X, events.codes, np.where(events.codes >= 0, events.weights, 0.0)
        X = self.bank._like._checked(np.where(_is_good(n, problems)[:, None], X, 0.0) if problems else X)[0]
        late: dict[int, Any] = {}
        if events.ids is not None:
            X = X.copy() if X is events.X else X
            late = self._find_waiting(events, numbers, status, sequence, X)
        p = self._learned(numbers, X, codes, w, status, sequence, late)
        self._keep_waiting(X, p, events.orders)
        for i, entry in late.items():
            p[i] = p[entry] if isinstance(entry, int) else entry.p
        status[(status == PREDICTED) & (codes >= 0) & (w > 0)] = LEARNED
        p[status >= DROPPED] = np.nan
        return output_table(self._operator, events, status, p)

    def _numbers(self, events: Events) -> Ints:
        """Return the number of each event's key, -1 if it has no order; note that these keys change."""
        bank, columns = self.bank, self._operator.columns_
        has_order = np.ones(len(events.orders), dtype=bool)
        if events.problems:
            order = events.cells[columns.roles.order]
            has_order = order.is_valid().to_numpy(zero_copy_only=False)
        numbers = np.full(len(has_order), -1, dtype=np.intp)
        keys = events.keys if has_order.all() else events.keys.filter(pa.array(has_order))
        numbers[has_order] = numbers_of(bank._index, keys, True)
        bank._store.extend(len(bank._index))
        more = len(bank._index) - len(self._last)
        if more:
            self._last = np.concatenate([self._last, np.full(more, FIRST, dtype=np.int64)])
        return numbers

    def _are_new(self, numbers: Ints, orders: Ints, sequence: Ints | None) -> Mask:
        """Return which events come after the last one of their key; that is then the last."""
        known = numbers >= 0
        is_new = known & (orders > np.where(known, self._last[numbers] if len(self._last) else FIRST, FIRST))
        if len(orders) > 1 and not (np.diff(orders) > 0).all():
            by_key = np.lexsort((orders, numbers))
            again = (np.diff(numbers[by_key]) == 0) & (np.diff(orders[by_key]) == 0)
            is_new[by_key[1:][again]] = False
        chosen = is_new if sequence is None else sequence[is_new[sequence]]
        self._last[numbers[chosen]] = orders[chosen]
        self._changed.append(np.unique(numbers[chosen]))
        return is_new

    def _find_waiting(
        self, events: Events, numbers: Ints, status: NDArray[np.int8], sequence: Ints | None, X: Floats
    ) -> dict[int, Any]:
        """Let rows wait and find those whose labels come; return these, by the position of the label.

        A row that came in the same batch is given by its position.
        """
        late: dict[int, Any] = {}
        most = self._operator.max_waiting
        for i in range(len(X)) if sequence is None else sequence.tolist():
            id = events.ids[i] if events.ids is not None else None
            if id is None or status[i] != PREDICTED:
                continue
            number = int(numbers[i])
            waiting = self._waiting.setdefault(number, OrderedDict())
            self._touched.append((number, id))
            entry = waiting.get(id)
            if events.codes[i] < 0:
                if entry is None:
                    waiting[id] = i
                    if len(waiting) > most:
                        waiting.popitem(last=False)
                        self.n_dropped_ += 1
            elif entry is not None:
                late[i], status[i] = waiting.pop(id), LATE
                X[i] = X[entry] if isinstance(entry, int) else entry.row
            elif events.is_blank[i]:
                status[i] = UNKNOWN
        return late

    def _learned(
        self, numbers: Ints, X: Floats, codes: Ints, w: Floats, status: NDArray[np.int8],
        sequence: Ints | None, late: dict[int, Any],
    ) -> Floats:
        """Predict and learn rows in order; return what was predicted."""
        used = np.where(status < DROPPED, numbers, -1)
        codes = np.maximum(codes, 0)
        tested = None
        if late:
            tested = np.ones(len(X), dtype=np.uint8)
            tested[[*late]] = 0
        if sequence is None:
            return self.bank._learn_coded(used, X, codes, w, None, tested)
        tested = None if tested is None else tested[sequence]
        found = self.bank._learn_coded(
            used[sequence], X[sequence], codes[sequence], w[sequence], None, tested
        )
        p = np.empty_like(found)
        p[sequence] = found
        return p

    def _keep_waiting(self, X: Floats, p: Floats, orders: Ints) -> None:
        for number, id in self._touched:
            waiting = self._waiting.get(number)
            if waiting is None:
                continue
            entry = waiting.get(id)
            if isinstance(entry, int):
                waiting[id] = Waiting(int(orders[entry]), X[entry].copy(), p[entry].copy())
            elif not waiting:
                del self._waiting[number]
        self._touched = []

    def changes(self) -> Iterator[Content]:
        """Yield the states of the keys that have changed since the last call, some at a time."""
        changed = np.unique(np.concatenate(self._changed)) if self._changed else np.zeros(0, dtype=np.intp)
        self._changed = []
        for start in range(0, len(changed), AT_ONCE):
            yield self._content(changed[start : start + AT_ONCE])

    def content(self) -> Content:
        """Return the states of all keys, in an order that depends on nothing but the keys."""
        texts = self._texts(np.arange(len(self)))
        return self._content(np.argsort(key_hashes(texts), kind="stable"))

    def _texts(self, numbers: Ints) -> Any:
        return pa.array([self.bank._index.key(number) for number in numbers.tolist()], pa.large_string())

    def _content(self, numbers: Ints) -> Content:
        places, orders, ids, rows = [], [], [], []
        if self._waiting:
            for place, number in enumerate(numbers.tolist()):
                waiting: dict[str, Any] = self._waiting.get(number, OrderedDict())
                for id, entry in sorted(waiting.items(), key=lambda item: item[1].order):
                    places.append(place)
                    orders.append(entry.order)
                    ids.append(id)
                    rows.append(np.concatenate([entry.row, entry.p]))
        width = self.bank.n_features_in_ + len(self.bank.classes_)
        late = np.array(rows).reshape(len(rows), width)
        waiting_rows = (np.array(places, dtype=np.int64), np.array(orders, dtype=np.int64), ids, late)
        records = self.bank._store.records(np.ascontiguousarray(numbers))
        return Content(numbers, self._texts(numbers), self._last[numbers], records, waiting_rows)

    def add(self, content: Content) -> None:
        """Add the states of keys that are not here yet; raise StateError if they do not fit."""
        self._check(content)
        before = len(self)
        numbers = numbers_of(self.bank._index, content.keys, True)
        if not np.array_equal(numbers, np.arange(before, before + len(numbers))):
            raise StateError("Operator: a key is there twice in the state")
        self.bank._store.extend(len(self))
        self.bank._store.set_records(numbers, content.records)
        self._last = np.concatenate([self._last, content.last])
        places, orders, ids, rows = content.waiting
        n = self.bank.n_features_in_
        for place, order, id, row in zip(places.tolist(), orders.tolist(), ids, rows, strict=True):
            entry = Waiting(order, row[:n].copy(), row[n:].copy())
            self._waiting.setdefault(int(numbers[place]), OrderedDict())[id] = entry

    def _check(self, content: Content) -> None:
        """Raise StateError unless the parts of a content have their types, and fit each other."""
        (places, orders, ids, rows), n = content.waiting, len(content.keys)
        width = self.bank.n_features_in_ + len(self.bank.classes_)
        for name, array, length in (("last", content.last, n), ("place", places, len(ids)),
                                    ("order", orders, len(ids))):  # fmt: skip
            is_whole = isinstance(array, np.ndarray) and array.dtype == np.int64
            if not is_whole or array.shape != (length,):
                raise StateError(f"Operator: the state's {name!r} must be {length:,} whole numbers")
        if not isinstance(rows, np.ndarray) or rows.dtype != np.float64 or rows.shape != (len(ids), width):
            raise StateError(f"Operator: the state's 'row' must have {width} numbers for each pending row")
        if len(ids) and not 0 <= places.min() <= places.max() < n:
            raise StateError(f"Operator: the state's 'place' must lie below {n:,}")
        if (np.abs(rows) > MOST_VALUE).any() or not all(isinstance(each, str) for each in ids):
            far = f"a number beyond {MOST_VALUE:g}"
            raise StateError(f"Operator: a pending row of the state has no id, or {far}")

    def state(self) -> State:
        """Return the states of all keys as plain data; the same for the same events, however they came."""
        content = self.content()
        texts = pa.array(content.keys, pa.large_binary())
        lengths = pa.compute.binary_length(texts).to_numpy(zero_copy_only=False).astype(np.int64)
        places, orders, ids, rows = content.waiting
        late = {"place": places, "order": orders, "id": ids, "row": rows}
        text = np.frombuffer(b"".join(texts.to_pylist()), dtype=np.uint8)
        found: State = {"lengths": lengths, "text": text, "last": content.last}
        return found | {"records": content.records, "late": late}

    def restore(self, state: State) -> None:
        """Add what `state` returned."""
        borders = np.concatenate([[0], np.cumsum(state["lengths"])]).astype(np.int64)
        data = state["text"].tobytes()
        texts = [data[a:b] for a, b in zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True)]
        keys = pa.array(texts, pa.large_binary()).cast(pa.large_string())
        late = state["late"]
        waiting = (late["place"], late["order"], list(late["id"]), late["row"])
        self.add(Content(np.arange(len(keys)), keys, state["last"], state["records"], waiting))


def _sequence(orders: Ints) -> Ints | None:
    """Return the positions of events in their order, None if that is how they came."""
    is_sorted = len(orders) < 2 or bool((np.diff(orders) >= 0).all())
    return None if is_sorted else np.argsort(orders, kind="stable")


def _is_good(n: int, problems: dict[int, str]) -> Mask:
    good = np.ones(n, dtype=bool)
    good[[*problems]] = False
    return good
