"""A learner for every key, all in one object."""

import time
from collections.abc import Collection, Hashable, Iterable
from contextlib import nullcontext
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from thalweg import saving
from thalweg._types import Floats, Ints, RowsLike
from thalweg.errors import set_rows_learned
from thalweg.keyed.ctrl_c import CtrlC
from thalweg.keyed.keyed_rows import BLOCK
from thalweg.keyed.keys import encode
from thalweg.keyed.new_labels import ADD
from thalweg.keyed.records import RecordBank
from thalweg.learners.base.arguments import Row, as_weights
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.model.rows import as_ids
from thalweg.waiting import Ids

FIRST_PART = 4096  # rows that are learned before Ctrl-C is heard; later as many as take these seconds
SHORT, LONG = 0.05, 0.2


class Bank(RecordBank):
    """One learner for each key: a customer, a device, a page.

    A bank answers as a dict of separate learners would, bit for bit, however rows are cut into blocks and on
    any number of threads, and is much faster and smaller: learners whose state has a fixed size lie side by
    side in one slab of memory, and one compiled loop goes over the rows. These are `NaiveBayes` and
    `NearestNeighbours` without categories, `MultinomialNaiveBayes`, `LogisticMixture`, `AdaptiveLogistic`,
    `LinearLogistic`, `MajorityClass` and `NoChange`. All others work too, as one object a key;
    `bytes_per_key_` says what a key costs.

    A key is text, a number, a date, None, or a tuple of these; missing keys are the key None. Random learners
    get a seed that follows from the key, so that results do not depend on which keys a bank has.

    Parameters
    ----------
    learner : learner, Model or None, default=None
        What each key has a copy of; `LogisticMixture()` if None. With a `Model` rows are raw records.
    key : str, sequence of str or None, default=None
        With a `Model`: the column that is the key, or the columns.
    start : {"cold", "copy", "mix"}, default="cold"
        How a new key begins: as a learner that has learned nothing; as a copy of `shared` that keeps what it
        knows and not how sure it is; or as such a copy whose answers are mixed with those of `shared`, by how
        well both did for this key. Learners without such copies begin cold in a mix.
    shared : learner, Model or None, default=None
        A learner of the same kind that has learned other rows. It does not learn any more, and is saved with
        the bank.
    max_bytes : int or None, default=None
        Most memory for the states of keys; those used least recently are then on disk. None for no bound.
    folder : str or None, default=None
        Where states on disk go; None for the system's folder of temporary files.
    n_jobs : int or None, default=None
        Threads: 1 for None, -1 for all cores.
    on_error : {"raise", "skip"}, default="raise"
        What happens to a block with a row that cannot be learned, because of an infinite value or an unknown
        label: nothing of it is learned, or only that row is left out, has NaN for its probabilities, and
        counts in `n_skipped_`.
    max_waiting : int, default=10000
        Most rows that wait for their labels; then the one that has waited longest is dropped.
    new_labels : {"add", "refuse"}, default="add"
        With a `Model`: what becomes of a label that is new after the first rows. It is a class of all keys,
        with a warning; or, if two classes are known, it is refused alone: its row is only predicted, or goes
        on waiting, and counts in `n_skipped_`.

    Attributes
    ----------
    classes_ : ndarray
        The labels, in the order of the columns of all probabilities.
    bytes_per_key_ : int
        Bytes that a new key takes, its entry in the index not counted.
    is_slab_ : bool
        Whether the states lie in one slab of memory; if not, `obstacle_` says why.
    nbytes_, n_in_memory_ : int
        Bytes of all states in memory, and how many they are.
    n_rows_, n_skipped_ : int
        Rows that were learned, and rows that were left out.
    n_waiting_, n_dropped_ : int
        Rows that wait for their labels, and rows that were dropped to make room for others.

    Examples
    --------
    >>> import numpy as np
    >>> from thalweg.keyed import Bank
    >>> from thalweg.learners import NaiveBayes
    >>> rng = np.random.default_rng(1)
    >>> keys, X = rng.choice(["ann", "bob", "cem"], 3000), rng.normal(size=(3000, 2))
    >>> y = (X[:, 0] > 0) ^ (keys == "bob")
    >>> bank = Bank(NaiveBayes()).begin(2, [False, True])
    >>> p = bank.test_then_train(keys, X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2)
    0.98
    >>> bank.predict_one("bob", X[0]), bank.predict_one("ann", X[0])
    (False, True)
    """

    _part = FIRST_PART

    def __init__(
        self,
        learner: Any = None,
        *,
        key: str | Iterable[str] | None = None,
        start: str = "cold",
        shared: Any = None,
        max_bytes: int | None = None,
        folder: str | None = None,
        n_jobs: int | None = None,
        on_error: str = "raise",
        max_waiting: int = 10_000,
        new_labels: str = ADD,
    ) -> None:
        self.learner = learner
        self.key = key
        self.start = start
        self.shared = shared
        self.max_bytes = max_bytes
        self.folder = folder
        self.n_jobs = n_jobs
        self.on_error = on_error
        self.max_waiting = max_waiting
        self.new_labels = new_labels

    def begin(
        self,
        n_features: int,
        classes: ArrayLike,
        *,
        names: Collection[Hashable] | None = None,
        n_categories: ArrayLike | None = None,
    ) -> Self:
        """Forget all keys, for rows of `n_features` inputs and these classes; return self.

        `names` and `n_categories` are those of `StreamClassifier.begin`.
        """
        self._own_lock().renew()
        with self._lock.write:
            return self._all_or_nothing(self._begin_unlocked, n_features, classes, names, n_categories)

    def test_then_train(
        self, keys: Any, X: RowsLike, y: ArrayLike, *, sample_weight: ArrayLike | None = None
    ) -> Floats:
        """Learn rows in order; return the probabilities that their keys' learners gave before.

        Parameters
        ----------
        keys : sequence
            The key of each row: a list, an array, a Series, an Arrow array, or a frame or 2-d array whose
            columns together are the key.
        X : array, frame or list of dicts
            The rows.
        y : sequence
            Their labels.
        sample_weight : sequence of float or None, default=None
            A row of weight 0 is only predicted.
        """
        with self._writing:
            rows, codes, good = self._checked_rows(keys, X, y)
            w = as_weights(sample_weight, len(rows), self._who)
            return self._learn_coded(self._numbers(keys, len(rows), good), rows, codes, w)

    def predict_proba_block(self, keys: Any, X: RowsLike, *, ids: Ids | None = None) -> Floats:
        """Return the probabilities of each row, in the order of `classes_`.

        A key that has not come yet is answered as a new one. With `ids`, one for each row, the rows wait for
        their labels: see `label`. Without, nothing changes.
        """
        known = as_ids(ids)
        with self._writing if known is not None or self._store_moves else self._reading:
            rows, _, good = self._checked_rows(keys, X, None)
            if known is None:
                return self._predict_numbers(self._numbers(keys, len(rows), good, adds=False), rows, good)
            if len(known) != len(rows):
                raise ValueError(f"{self._who}: got {len(known)} ids for {len(rows)} rows")
            self._late.check_new(known)
            return self._predict_waiting(self._numbers(keys, len(rows), good), rows, good, known)

    def label(self, ids: Ids, labels: Iterable[Any], *, ignore_unknown: bool = False) -> int:
        """Learn rows that were predicted with these ids, in the order given; return how many.

        Raise WaitingError, and learn nothing, if a row does not wait. With `ignore_unknown` such labels are
        left out, and all but the first of those that have one id.
        """
        with self._writing:
            known = as_ids(ids) or []
            given = [labels] if isinstance(labels, str) or not isinstance(labels, Iterable) else list(labels)
            if len(known) != len(given):
                raise ValueError(f"{self._who}: got {len(known)} ids and {len(given)} labels")
            if ignore_unknown:
                known, given = self._late.waiting(known, given)
            self._late.check(known)
            return self._learn_waiting(known, given) if known else 0

    def learn_one(self, key: Any, x: Row, y: Any) -> None:
        """Learn one row of a key: an array of inputs, or a dict of named inputs."""
        if self._quick and type(x) is np.ndarray:
            code = self._labels.code.get(y, -1)
            with self._lock.write:
                slot = self._index.find(key, False, encode) + 1
                if code >= 0 and self._store.slab.learn_row(slot, x, code):
                    self.n_rows_ += 1
                    return
        self.test_then_train([key], _one_row(x), [y])

    def predict_proba_one(self, key: Any, x: Row) -> Any:
        """Return the probabilities of one row: an array, or {class: probability} if the row is a dict."""
        if self._quick and type(x) is np.ndarray:
            p = np.empty(len(self._labels.list))
            with self._lock.read:
                if self._store.slab.predict_row(self._index.find(key, False, encode) + 1, x, p):
                    return p
        p = self.predict_proba_block([key], _one_row(x))[0]
        return dict(zip(self._labels.list, p.tolist(), strict=True)) if isinstance(x, dict) else p

    def predict_one(self, key: Any, x: Row) -> Any:
        """Return the most probable class of one row."""
        p = self.predict_proba_one(key, x)
        values = list(p.values()) if isinstance(p, dict) else p
        return self._labels.list[int(np.argmax(values))]

    def __getitem__(self, key: Any) -> StreamClassifier:
        """Return a copy of the learner of a key, to look at; raise KeyError if it has not come yet."""
        with self._writing:
            number = self._find_key(key)
            if number < 0:
                raise KeyError(key)
            return self._store.learner(number)

    def new_learner(self) -> StreamClassifier:
        """Return the learner that a new key begins with."""
        with self._writing:
            return self._store.learner(-1)

    def shared_weight(self, key: Any) -> float:
        """Return the weight of the shared model in the answers for a key, with start="mix"."""
        with self._writing:
            number = self._find_key(key)
            if number < 0 or self.start != "mix":
                raise KeyError(key)
            return float(1.0 / (1.0 + np.exp(-self._store.balance(number))))

    def keys(self) -> list[Any]:
        """Return all keys, in the order in which they first came."""
        with self._reading:
            return [self._key_at(number) for number in range(len(self._index))]

    def __len__(self) -> int:
        return len(self._index) if self._begun else 0

    def __bool__(self) -> bool:
        return True  # a bank without keys is a bank

    def __contains__(self, key: Any) -> bool:
        with self._reading:
            return self._find_key(key) >= 0

    def __repr__(self) -> str:
        n = f"{len(self):,} keys" if self._begun else "not begun"
        return f"<Bank of {type(self._given_learner()).__name__}: {n}>"

    def save(self, path: str | PathLike[str]) -> None:
        """Write the bank to a file, which `thalweg.load` opens; see `thalweg.save`."""
        saving.save(self, path)

    def _learn_coded(
        self, numbers: Ints, rows: Floats, codes: Ints, w: Floats, ids: Any = None, tested: Any = None
    ) -> Floats:
        """Learn checked rows; return their probabilities, NaN for those of number -1."""
        p = np.empty((len(rows), len(self._labels.list)))
        if (numbers < 0).any():
            p[numbers < 0] = np.nan
        self._store.extend(len(self._index))
        most = BLOCK if self._store_moves else max(len(rows), 1)
        # Objects learn a part key by key. If Ctrl-C comes it is finished, so that the first rows are learned.
        by_key = not self.is_slab_ and len(rows) > 1
        done, ctrl_c, before, n_rows = 0, CtrlC(), self._store.n_learned, self.n_rows_
        try:
            while done < len(rows) and not ctrl_c.has_come:
                size = min(self._part, most) if by_key else most
                part, begun = slice(done, done + size), time.perf_counter()
                late = None if ids is None else ids[part]
                mask = None if tested is None else tested[part]
                with ctrl_c if by_key else nullcontext():
                    self._store.learn(numbers[part], rows[part], codes[part], w[part], p[part], mask, late)
                done = min(part.stop, len(rows))
                seconds = time.perf_counter() - begun
                if by_key and size == self._part and not SHORT < seconds < LONG:
                    self._part = 2 * size if seconds < SHORT else max(size // 2, 1)
            if ctrl_c.has_come:
                raise KeyboardInterrupt
            self.n_rows_ = n_rows + _n_learned(numbers, w, done)
        except BaseException as error:
            counted = self._store.n_learned
            if counted is None or before is None:
                done += getattr(error, "rows_learned", 0)
            else:
                done = counted - before
            self.n_rows_ = n_rows + _n_learned(numbers, w, done)
            set_rows_learned(error, done)
            raise
        return p


def _n_learned(numbers: Ints, w: Floats, done: int) -> int:
    return int(((numbers[:done] >= 0) & (w[:done] > 0)).sum())


def _one_row(x: Row) -> Any:
    return [x] if isinstance(x, dict) else np.asarray(x)[None] if isinstance(x, np.ndarray) else [x]
