"""How well each key is predicted, beside the baselines; which keys are new, and which have gone silent."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from thalweg._types import Floats, Ints
from thalweg.evaluation.baselines import BASELINES
from thalweg.keyed._native.key_index import KeyIndex
from thalweg.keyed.bank import Bank
from thalweg.keyed.key_texts import key_of, key_texts
from thalweg.keyed.keys import numbers_of

if TYPE_CHECKING:
    from thalweg.keyed.run_folder import KeyedRun

LEAST_SCORED = 30  # labels of a key that is called good or bad
NEW_SHARE = 0.1  # of all events: a key that first came among the last of them is new
LEAST_EVENTS, SILENT_GAPS = 5, 10.0  # a key is silent if its events stopped for so many of its usual gaps
MOST_CHAINS = 20_000  # keys for which the third baseline, one object a key, is worked out
LEAST_P = 1e-15
MOST_PROBLEMS = 5


class KeyFigures:
    """Figures by key, as arrays in the order in which keys first came.

    Attributes
    ----------
    problems : list of str
        Why the first few events were refused.
    n_events, n_scored, n_right : ndarray
        Events of each key, those of them whose label is known, and those predicted right.
    log_loss : ndarray
        Mean log loss of each key; NaN without labels.
    first, last : ndarray
        The position of each key's first and last event among all events.
    baselines : dict of ndarray
        For each baseline, how often it was right for each key. Each key has its own, which learns the label
        when it comes. The third one is there for up to 20,000 keys.
    """

    def __init__(self, n_columns: int, classes: Any) -> None:
        self._n_columns, self._labels = n_columns, pa.array(classes.tolist())
        self._index = KeyIndex()
        self._events: list[tuple[Ints, Ints, Ints, NDArray[np.bool_], Floats]] = []
        self.n_all = 0
        self.problems: list[str] = []

    @classmethod
    def of(cls, run: "KeyedRun") -> "KeyFigures":
        """Return the figures of the outputs of a run."""
        found = cls(len(run.operator.key_columns), run.operator.classes_)
        for outputs in run.outputs():
            found._add(outputs)
        found._finish()
        return found

    def _add(self, outputs: Any) -> None:
        names = outputs.column_names[: self._n_columns]  # keys come first, also under names that were free
        numbers = numbers_of(self._index, key_texts([outputs.column(name) for name in names]), True)
        label = pa.compute.index_in(outputs.column("label"), self._labels).combine_chunks()
        codes = label.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.intp)
        probability = np.full(len(codes), np.nan)
        for k, name in enumerate(outputs.column_names[-1 - len(self._labels) : -1]):
            p = outputs.column(name).combine_chunks().to_numpy(zero_copy_only=False)
            probability[codes == k] = p[codes == k]
        right = pa.compute.equal(outputs.column("label"), outputs.column("prediction")).combine_chunks()
        is_right = right.fill_null(False).to_numpy(zero_copy_only=False)
        self._events.append((numbers, codes, self.n_all + np.arange(len(codes)), is_right, probability))
        self.n_all += len(codes)
        refused = outputs.column("problem").drop_null()
        self.problems += refused[: MOST_PROBLEMS - len(self.problems)].to_pylist()

    def _finish(self) -> None:
        n = len(self._index)
        none = tuple(np.empty(0, kind) for kind in (np.intp, np.intp, np.int64, bool, np.float64))
        numbers, codes, places, is_right, p = (
            np.concatenate(parts) for parts in zip(none, *self._events, strict=True)
        )
        scored = ~np.isnan(p)
        self.n_events, self.n_scored = (np.bincount(each, minlength=n) for each in (numbers, numbers[scored]))
        self.n_right = np.bincount(numbers[scored & is_right], minlength=n)
        losses = np.bincount(numbers[scored], -np.log(np.maximum(p[scored], LEAST_P)), n)
        with np.errstate(invalid="ignore", divide="ignore"):
            self.log_loss = losses / self.n_scored
        self.first, self.last = np.full(n, self.n_all), np.zeros(n, dtype=np.int64)
        np.minimum.at(self.first, numbers, places)
        np.maximum.at(self.last, numbers, places)
        self.baselines = self._baselines(numbers[scored], codes[scored])
        self._events = []

    def _baselines(self, numbers: Ints, codes: Ints) -> dict[str, Ints]:
        found = {}
        for name, baseline in BASELINES.items():
            bank = Bank(baseline.learner()).begin(1, np.arange(max(len(self._labels), 2)))
            if bank.is_slab_ or len(self._index) <= MOST_CHAINS:
                p = bank.test_then_train(numbers, np.zeros((len(numbers), 1)), codes)
                right = numbers[p.argmax(axis=1) == codes]
                found[name] = np.bincount(right, minlength=len(self._index))
        return found

    def __len__(self) -> int:
        return len(self._index)

    def key(self, number: int) -> Any:
        """Return the key in a place: text, None, or a tuple."""
        return key_of(self._index.key(number), self._n_columns)

    @property
    def accuracy(self) -> Floats:
        """The share of right predictions of each key; NaN without labels."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.n_right / self.n_scored)

    def overall(self) -> dict[str, float]:
        """Return the accuracy over all labels, and that of each baseline."""
        total = max(int(self.n_scored.sum()), 1)
        found = {"accuracy": float(self.n_right.sum() / total)}
        return found | {name: float(right.sum() / total) for name, right in self.baselines.items()}

    def best(self, n: int = 10) -> list[dict[str, Any]]:
        """Return the keys of the highest accuracy, of those with 30 labels or more."""
        return self._ranked(-self.accuracy, n)

    def worst(self, n: int = 10) -> list[dict[str, Any]]:
        """Return the keys of the lowest accuracy, of those with 30 labels or more."""
        return self._ranked(self.accuracy, n)

    def _ranked(self, by: Floats, n: int) -> list[dict[str, Any]]:
        known = np.flatnonzero(self.n_scored >= LEAST_SCORED)
        return self._rows(known[np.argsort(by[known], kind="stable")][:n])

    def new(self, n: int = 10) -> tuple[int, list[dict[str, Any]]]:
        """Return how many keys first came among the last tenth of events, and those with the most events."""
        found = np.flatnonzero(self.first >= (1 - NEW_SHARE) * self.n_all) if self.n_all else np.zeros(0, int)
        return len(found), self._rows(found[np.argsort(-self.n_events[found], kind="stable")][:n])

    def silent(self, n: int = 10) -> tuple[int, list[dict[str, Any]]]:
        """Return how many keys have stopped, and those with the most events.

        A key has stopped if it had 5 events or more, and none for ten times its mean gap.
        """
        gap = (self.last - self.first) / np.maximum(self.n_events - 1, 1)
        is_long = self.n_all - self.last > SILENT_GAPS * np.maximum(gap, 1)
        found = np.flatnonzero((self.n_events >= LEAST_EVENTS) & is_long)
        return len(found), self._rows(found[np.argsort(-self.n_events[found], kind="stable")][:n])

    @property
    def is_id(self) -> bool:
        """Whether nearly every event has a key of its own: then the key is an id of rows."""
        return self.n_all >= 1000 and len(self) > 0.999 * self.n_all

    def _rows(self, numbers: Ints) -> list[dict[str, Any]]:
        return [self.row(number) for number in numbers.tolist()]

    def row(self, number: int) -> dict[str, Any]:
        """Return the figures of the key in a place."""
        scored = int(self.n_scored[number])
        found = {"key": self.key(number), "events": int(self.n_events[number]), "labels": scored,
                 "first": int(self.first[number]), "last": int(self.last[number])}
        if scored:
            found |= {"accuracy": self.n_right[number] / scored, "log_loss": float(self.log_loss[number])}
            found |= {name: right[number] / scored for name, right in self.baselines.items()}
        return found

    def table(self) -> Any:
        """Return the figures of all keys as a table of Arrow."""
        keys = [self.key(number) for number in range(len(self))]
        parts = list(zip(*keys, strict=True)) if self._n_columns > 1 and keys else [keys]
        columns = {f"key{j or ''}": pa.array(part, pa.string()) for j, part in enumerate(parts)}
        columns |= {"events": self.n_events, "labels": self.n_scored, "right": self.n_right,
                    "log_loss": self.log_loss, "first": self.first, "last": self.last}
        return pa.table(columns | {f"{name}_right": right for name, right in self.baselines.items()})
