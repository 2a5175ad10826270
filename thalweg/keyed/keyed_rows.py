"""How a bank begins, checks rows, numbers keys, and is saved."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from thalweg._native.missing import scan
from thalweg._parameters import n_threads, one_of, seeds_of, whole_number, wrong
from thalweg._stateful import Stateful
from thalweg._types import Floats, Ints, Mask, State
from thalweg.errors import ColumnWarning, ParameterError, StateError, short_repr
from thalweg.evaluation.arguments import as_learner
from thalweg.keyed._native.key_index import KeyIndex, index_of
from thalweg.keyed.keys import decode, key_seed, numbers_of
from thalweg.keyed.learner_store import LearnerStore
from thalweg.keyed.new_labels import ADD, REFUSE
from thalweg.keyed.slab_store import SlabStore, slab_obstacle
from thalweg.keyed.start import Start
from thalweg.learners.base.arguments import Labels
from thalweg.learners.base.state import from_plain, to_plain
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.model.late_rows import LateRows

BLOCK = 20_000  # rows between two visits to the disk
MOST_A_KEY = 1 << 20  # bytes: a learner that takes more is refused unless max_bytes is given
ROWS_TO_JUDGE = 10_000  # after which keys that are different in every row are noticed
PARAMETERS = (
    "learner", "key", "start", "shared", "max_bytes", "folder", "n_jobs", "on_error", "max_waiting",
)
LATER = {"new_labels": ADD}  # parameters that states have only if they are not these, as earlier ones do not


class KeyedRows(Stateful):
    """The part of a `Bank` that holds the keys and the store of their states."""

    _kind, _format = "bank", 1
    learner: Any
    key: Any
    start: str
    shared: Any
    max_bytes: int | None
    folder: str | None
    n_jobs: int | None
    on_error: str
    max_waiting: int
    new_labels: str
    n_rows_: int
    n_skipped_: int
    obstacle_: str | None = None
    _labels: Labels
    _like: StreamClassifier
    _index: KeyIndex
    _store: Any
    _late: LateRows
    _seeds: dict[str, int]
    _n_keyed: int
    _quick = False  # single rows can be passed to the slab as they are

    @property
    def _begun(self) -> bool:
        return "_store" in vars(self)

    def _check_begun(self) -> None:
        if not self._begun:
            raise NotFittedError("This Bank has not begun: call begin(n_features, classes) first.")
        self._own_lock()

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, in the order of the columns of all probabilities."""
        self._check_begun()
        return self._labels.classes

    @property
    def n_features_in_(self) -> int:
        """Number of inputs of a row."""
        self._check_begun()
        return self._like.n_features_in_

    @property
    def is_slab_(self) -> bool:
        """Whether the states lie in one slab of memory."""
        self._check_begun()
        return self.obstacle_ is None

    @property
    def bytes_per_key_(self) -> int:
        """Bytes that a new key takes."""
        self._check_begun()
        return int(self._store.bytes_per_key)

    @property
    def nbytes_(self) -> int:
        """Bytes of all states in memory, and of the index of keys."""
        self._check_begun()
        return int(self._store.nbytes + self._index.nbytes)

    @property
    def n_in_memory_(self) -> int:
        """Number of keys whose states are in memory."""
        self._check_begun()
        return int(self._store.n_in_memory)

    @property
    def n_waiting_(self) -> int:
        """Number of rows that wait for their labels."""
        return len(self._late) if self._begun else 0

    @property
    def n_dropped_(self) -> int:
        """Number of rows that were dropped to make room for others before their labels came."""
        return self._late.n_dropped if self._begun else 0

    @property
    def _store_moves(self) -> bool:
        """Whether a prediction may move states, so that it must have the bank alone."""
        return self.obstacle_ is not None or self.max_bytes is not None

    def _given_learner(self) -> StreamClassifier:
        if self.learner is None:
            from thalweg.learners import LogisticMixture

            return LogisticMixture()
        return as_learner(self.learner, "Bank")

    def _begin_unlocked(
        self, n_features: int, classes: Any, names: Any = None, n_categories: Any = None,
        seeds: dict[str, int] | None = None, index: KeyIndex | None = None,
    ) -> Self:
        """Do what `begin` does, for a caller that holds the lock; only replace attributes."""
        one_of(self, "on_error", self.on_error, ("raise", "skip"))
        one_of(self, "new_labels", self.new_labels, (ADD, REFUSE))
        most = whole_number(self, "max_waiting", self.max_waiting, 1)
        if self.max_bytes is not None:
            whole_number(self, "max_bytes", self.max_bytes, 1)
        learner = clone(self._given_learner(), safe=False)
        if classes is None:
            raise wrong(self, "classes", "a sequence of all labels", classes)
        self._labels = Labels(classes)
        self._seeds = seeds_of(learner) if seeds is None else seeds
        self._shape = {"n_features": n_features, "names": names, "n_categories": n_categories}
        self._template = learner
        self._like = self._made(-1)
        self._index, self._n_keyed = KeyIndex() if index is None else index, 0
        self._late = LateRows(n_features + 1, most, False)
        self.n_rows_ = self.n_skipped_ = 0
        self._store = self._new_store()
        self._quick = not self._store_moves and getattr(self._like, "_row_width", None) is None
        return self

    def _made(self, number: int, labels: Labels | None = None) -> StreamClassifier:
        """Return a learner that has begun, with the seeds of a key."""
        labels = self._labels if labels is None else labels
        learner = clone(self._template, safe=False)
        if self._seeds:
            key = None if number < 0 else self._key_at(number)
            learner.set_params(**{name: key_seed(key, seed) for name, seed in self._seeds.items()})
        return learner.begin(classes=labels.classes, **self._shape)

    def _key_at(self, number: int) -> Any:
        """Return the key with a number, as a user has it."""
        return decode(self._index.key(number))

    def _new_store(self) -> Any:
        start, labels = Start(self.start, self.shared, self._like), self._labels
        self._frozen = start.shared
        jobs = n_threads(self, self.n_jobs)
        self.obstacle_ = slab_obstacle(self._like)
        if self.obstacle_ is None:
            store: Any = SlabStore(
                lambda: self._made(-1, labels), start.arrays(), start.shared_kernel(), jobs, self.max_bytes,
                self.folder,
            )
        else:
            skip = self._count_skipped if self.on_error == "skip" else None
            make = start.around(lambda number: self._made(number, labels))
            store = LearnerStore(make, start.mixed_in, jobs, self.max_bytes, self.folder, skip)
        self._check_price(store.bytes_per_key)
        return store

    def _check_price(self, n_bytes: int) -> None:
        """Raise ParameterError if a key takes more memory than there is, or than anybody would expect."""
        who = type(self._like).__name__
        if self.max_bytes is not None and 2 * n_bytes > self.max_bytes:
            price = f"a key of {who} takes about {n_bytes:,} bytes"
            problem = f"is {self.max_bytes:,}, but {price}, and two must fit"
            raise ParameterError.of("Bank", "max_bytes", problem=problem)
        if self.max_bytes is None and n_bytes > MOST_A_KEY:
            problem = (
                f"must be given: a key of {who} takes about {n_bytes:,} bytes. Keys beyond max_bytes are on "
                "disk. NaiveBayes and LinearLogistic take far less"
            )
            raise ParameterError.of("Bank", "max_bytes", problem=problem)

    @property
    def _is_closed(self) -> bool:
        """Whether a label that is no class is refused alone."""
        return self.new_labels == REFUSE and len(self._labels.list) > 1

    def _count_skipped(self, n: int, error: Exception) -> None:
        self.n_skipped_ += n

    def _checked_rows(self, keys: Any, X: Any, y: Any) -> tuple[Floats, Ints, Mask | None]:
        """Return rows, the codes of their labels, and which of them are good; None if all are."""
        skips, good = self.on_error == "skip", None
        if skips and _has_infinity(X):
            good = ~np.isinf(X).any(axis=1)
            X = np.where(good[:, None], X, 0.0)
        try:
            rows, _ = self._like._checked(X)
        except ValueError as error:
            if not skips:
                raise _with_advice(error) from error
            rows, good = self._row_by_row(X)
        codes = np.zeros(len(rows), dtype=np.intp)
        if y is not None:
            codes, known = self._labels._find(y, self._who)
            if len(codes) != len(rows):
                raise ValueError(f"{self._who}: got {len(rows)} rows but {len(codes)} labels")
            if not known.all():
                if not skips:
                    self._labels.codes(y, self._who)
                good = known if good is None else good & known
                codes = np.where(known, codes, 0)
        return rows, np.ascontiguousarray(codes, dtype=np.intp), good

    def _row_by_row(self, X: Any) -> tuple[Floats, Mask]:
        """Return the rows that can be read, 0 for the others, and which can."""
        given = X.to_dict("records") if hasattr(X, "to_dict") and hasattr(X, "iloc") else list(X)
        rows, good = np.zeros((len(given), self._like.n_features_in_)), np.ones(len(given), dtype=bool)
        for i, row in enumerate(given):
            try:
                rows[i] = self._like._checked([row])[0][0]
            except (TypeError, ValueError):
                good[i] = False
        return rows, good

    def _numbers(self, keys: Any, n: int, good: Mask | None, adds: bool = True) -> Ints:
        """Return the number of each row's key; -1 for rows that are not good, or keys that are not there."""
        if good is not None and not good.all():
            found = np.full(n, -1, dtype=np.intp)
            chosen = np.flatnonzero(good)
            listed = keys if hasattr(keys, "iloc") else list(keys)
            _check_number(listed, n)
            part = listed.iloc[chosen] if hasattr(listed, "iloc") else [listed[i] for i in chosen.tolist()]
            found[chosen] = numbers_of(self._index, part, adds)
            if adds:
                self.n_skipped_ += n - len(chosen)
        else:
            _check_number(keys, n)
            found = numbers_of(self._index, keys, adds)
        if adds:
            self._look_at_keys(n)
        return found

    def _look_at_keys(self, n: int) -> None:
        """Warn, once, if there are as many keys as rows."""
        before, self._n_keyed = self._n_keyed, self._n_keyed + n
        if before < ROWS_TO_JUDGE <= self._n_keyed and len(self._index) > 0.999 * self._n_keyed:
            warnings.warn(
                f"Bank: {self._n_keyed:,} rows have {len(self._index):,} different keys. A model for each "
                "row learns nothing: is the key an id of rows? Choose a column whose values come again",
                ColumnWarning, stacklevel=5,
            )

    def _predict_numbers(self, numbers: Ints, rows: Floats, good: Mask | None, ids: Any = None) -> Floats:
        p = np.empty((len(rows), len(self._labels.list)))
        self._store.extend(len(self._index))
        for start in range(0, len(rows), BLOCK):
            part = slice(start, start + BLOCK)
            self._store.predict(numbers[part], rows[part], p[part], None if ids is None else ids[part])
        if good is not None:
            p[~good] = np.nan
        return p

    def _predict_waiting(self, numbers: Ints, rows: Floats, good: Mask | None, ids: list[Any]) -> Floats:
        chosen = np.arange(len(rows)) if good is None else np.flatnonzero(good)
        kept = np.column_stack([numbers[chosen], rows[chosen]])
        p = np.full((len(rows), len(self._labels.list)), np.nan)
        with self._late.added(kept, [ids[i] for i in chosen.tolist()]) as late:
            p[chosen] = self._predict_numbers(numbers[chosen], rows[chosen], None, late)
        return p

    def _learn_waiting(self, ids: list[Any], labels: list[Any]) -> int:
        codes, known = self._labels._find(labels, self._who)
        if not known.all():
            if self.on_error == "raise" and not self._is_closed:
                self._labels.codes(labels, self._who)
            self.n_skipped_ += int((~known).sum())
            ids, codes = [each for each, there in zip(ids, known, strict=True) if there], codes[known]
        with self._late.taken(ids, all_wait=True) as (rows, late):
            numbers, untested = rows[:, 0].astype(np.intp), np.zeros(len(ids), dtype=np.uint8)
            X, w = np.ascontiguousarray(rows[:, 1:]), np.ones(len(ids))
            codes = np.ascontiguousarray(codes, dtype=np.intp)
            self._learn_coded(numbers, X, codes, w, None if self.is_slab_ else late, untested)
        return len(ids)

    def _learn_coded(
        self, numbers: Ints, rows: Floats, codes: Ints, w: Floats, ids: Any = None, tested: Any = None
    ) -> Floats:
        raise NotImplementedError

    def _check_late(self, late: LateRows) -> None:
        """Raise StateError unless these rows can wait here: each is the number of a key, and its inputs."""
        n_features, n_keys = self._like.n_features_in_, len(self._index)
        if late.is_sparse or late.n_features != n_features + 1:
            raise StateError(f"Bank: the rows that wait in the state have not {n_features} inputs")
        numbers = late.column(0)
        if not ((numbers >= 0) & (numbers < n_keys) & (numbers == np.floor(numbers))).all():
            raise StateError(f"Bank: the rows that wait in the state have keys that are none of its {n_keys}")

    def _content(self) -> State:
        parameters = {name: to_plain(getattr(self, name)) for name in PARAMETERS}
        parameters |= {name: vars(self)[name] for name, usual in LATER.items() if vars(self)[name] != usual}
        state: State = {"parameters": parameters}
        if self._begun:
            parameters["shared"] = to_plain(self._frozen)  # as it was when the bank began
            n = len(self._index)
            self._store.extend(n)
            kinds, values, text = self._index.content()
            shape = {name: to_plain(_plain(value)) for name, value in self._shape.items()}
            states = self._store.state() if self.is_slab_ else self._store.state(n)
            state |= {
                "classes": self._labels.classes.copy(), "shape": shape, "seeds": dict(self._seeds),
                "keys": {"kinds": kinds, "values": values, "text": text}, "states": states,
                "late": self._late.state(), "n_rows": self.n_rows_, "n_skipped": self.n_skipped_,
                "n_keyed": self._n_keyed,
            }
        return state

    def _set_content(self, state: State) -> None:
        given = LATER | from_plain(state["parameters"])
        for name in (*PARAMETERS, *LATER):
            setattr(self, name, given[name])
        if "classes" not in state:
            return
        seeds = {str(name): int(seed) for name, seed in state["seeds"].items()}
        keys = state["keys"]
        try:
            index = index_of(keys["kinds"], keys["values"], keys["text"])
        except ValueError as error:
            raise StateError(f"Bank: the state's keys are damaged: {error}") from error
        self._begin_unlocked(**state["shape"], classes=state["classes"], seeds=seeds, index=index)
        self._store.extend(len(self._index))
        self._store.restore(state["states"], len(self._index))
        self._late = LateRows.from_state(state["late"])
        self._check_late(self._late)
        self.n_rows_, self.n_skipped_ = int(state["n_rows"]), int(state["n_skipped"])
        self._n_keyed = int(state["n_keyed"])


def _has_infinity(X: Any) -> bool:
    is_array = isinstance(X, np.ndarray) and X.dtype == np.float64 and X.ndim == 2
    return is_array and scan(np.ascontiguousarray(X))[2] >= 0


def _plain(value: Any) -> Any:
    is_plain = value is None or isinstance(value, int)
    return value if is_plain else np.asarray(value, dtype=object).tolist()


def _check_number(keys: Any, n: int) -> None:
    if hasattr(keys, "__len__") and len(keys) != n:
        raise ValueError(f"Bank: got {n} rows but {len(keys)} keys, {short_repr(keys)}")


def _with_advice(error: ValueError) -> ValueError:
    if type(error) is ValueError and "infinity" in str(error):
        return ValueError(f'{error} on_error="skip" leaves out such rows and learns the others.')
    return error
