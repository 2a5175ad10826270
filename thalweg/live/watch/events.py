"""Events that a LiveWatch has not added to its sums yet: small blocks are worth no calls of their own."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from thalweg._types import Floats, Ints, Mask

ENOUGH, ENOUGH_VALUES = 8192, 1 << 20  # rows or labels, and values of rows


class Labels(NamedTuple):
    """Labels that were learned: inputs of the rows that were never predicted, and for each label the answer.

    Then its code, its delay in rows and in seconds, and when it came.
    """

    X: Floats
    said: Ints
    codes: Ints
    delays: Ints
    seconds: Floats
    times: Floats


class PendingEvents:
    """Rows that were predicted and labels that were learned, in their order.

    Attributes
    ----------
    first_row, first_label : int
        How many rows and labels came before.
    n_rows, n_labels : int
        How many rows and labels there are, with those before.
    """

    def __init__(self, first_row: int, first_label: int) -> None:
        self.first_row = self.n_rows = first_row
        self.first_label = self.n_labels = first_label
        self._enough = ENOUGH
        self._rows: list[tuple[Any, ...]] = []
        self._labels: list[Labels] = []
        self._n_known: list[tuple[int, int]] = []  # labels before the rows of each block, and rows in it
        self._n_before: list[tuple[int, int]] = []  # rows before the labels of each block, and labels in it

    @property
    def is_enough(self) -> bool:
        """Whether there are enough events to be added to the sums."""
        return max(self.n_rows - self.first_row, self.n_labels - self.first_label) >= self._enough

    @property
    def has_rows(self) -> bool:
        """Whether there is a row that was predicted."""
        return self.n_rows > self.first_row

    @property
    def is_empty(self) -> bool:
        """Whether there is no event."""
        return self.n_rows == self.first_row and self.n_labels == self.first_label

    def next_events(self) -> "PendingEvents":
        """Return an empty one for the events after these."""
        return PendingEvents(self.n_rows, self.n_labels)

    def add_rows(self, time: ArrayLike, X: Floats, p: Floats, answers: Ints) -> None:
        """Add rows that were predicted; `X` may be kept, all else is copied."""
        p = np.array(p, dtype=np.float64, order="C", ndmin=2)
        answers = np.array(answers, dtype=np.intp, ndmin=1)
        n = len(answers)
        if p.shape[0] != n or len(X) != n:
            seen = f"{len(X)} rows, probabilities of {len(p)}, {n} answers"
            raise ValueError(f"LiveWatch: the numbers of rows differ: {seen}")
        if n == 0:
            return
        if answers.min() < 0 or p.shape[1] < 1:
            raise ValueError("LiveWatch: answers must be codes 0, 1, 2, …")
        self._enough = min(ENOUGH, ENOUGH_VALUES // max(1, X.shape[1]))
        self._rows.append((X, p, answers, _each(time, n)))
        self._n_known.append((self.n_labels, n))
        self.n_rows += n

    def add_labels(self, labels: "Labels") -> None:
        """Add labels that were learned, which may be kept."""
        n, said, delays = len(labels.codes), labels.said, labels.delays
        if n == 0:
            return
        if labels.codes.min() < 0 or delays.min() < 0:
            wrong = ((said >= 0) & (delays < 0)) | (labels.codes < 0)
            if wrong.any():
                place = int(np.argmax(wrong))
                seen = f"a label has the code {labels.codes[place]} and the delay {delays[place]}"
                raise ValueError(f"LiveWatch: {seen}")
        self._labels.append(labels)
        self._n_before.append((self.n_rows, n))
        self.n_labels += n

    def rows(self, n_classes: int, n_inputs: int) -> tuple[Floats, Floats, Ints, Floats, Ints]:
        """Return inputs, probabilities, answers and times of the rows, and how many labels came before."""
        blank = (np.empty((0, n_inputs)), np.empty((0, n_classes)), _no_ints(), np.empty(0))
        wide = [(X, _wide(p, n_classes), *rest) for X, p, *rest in self._rows]
        X, p, answers, times = map(_joined, zip(blank, *wide, strict=True))
        return X, p, answers, times, _repeated(self._n_known)

    def labels(self, n_inputs: int) -> tuple[Floats, Ints, Ints, Ints, Ints, Floats, Floats, Ints]:
        """Return inputs of rows that were not predicted; answers, codes, numbers and delays of all labels.

        Then how long they took, when they came, and how many rows were predicted before.
        """
        codes = _no_ints()
        blank = Labels(np.empty((0, n_inputs)), codes, codes, codes, np.empty(0), np.empty(0))
        parts = map(_joined, zip(blank, *self._labels, strict=True))
        X, said, codes, delays, seconds, times = parts
        after = _repeated(self._n_before)
        numbers = np.where(said < 0, -1, np.maximum(after - 1 - delays, -1))
        return X, said, codes, numbers, delays, seconds, times, after

    def most_classes(self) -> int:
        """Return the number of classes that probabilities, answers and labels need."""
        widths = [max(p.shape[1], 1 + int(answers.max())) for _, p, answers, *_ in self._rows]
        return max([2, *widths, *(1 + int(labels.codes.max()) for labels in self._labels)])


def labels_of(
    times: ArrayLike, said: Ints, codes: ArrayLike, delays: ArrayLike, seconds: ArrayLike, X: Floats
) -> Labels:
    """Return copies of labels; `X` has the rows that were not predicted."""
    n = len(said)
    label_codes = np.array(codes, dtype=np.intp, ndmin=1)
    if len(label_codes) != n:
        raise ValueError(f"LiveWatch: got {n} answers and {len(label_codes)} labels")
    return Labels(X, said, label_codes, _each(delays, n, np.intp), _each(seconds, n), _each(times, n))


def in_order(rows_known: Ints, labels_after: Ints, first_row: int) -> Mask:
    """Return for each event, in order, whether it is a label.

    `rows_known` says how many labels came before each row, and `labels_after` how many rows before each
    label.
    """
    are_labels = np.zeros(len(rows_known) + len(labels_after), dtype=bool)
    are_labels[np.arange(len(labels_after)) + labels_after - first_row] = True
    return are_labels


def _each(value: ArrayLike, n: int, dtype: Any = np.float64) -> Any:
    """Return a copy of one number for each of `n` events, or of a number for all of them."""
    found = np.array(value, dtype=dtype)
    if found.shape == (n,):
        return found
    return np.full(n, found, dtype=dtype) if found.ndim == 0 else np.array(np.broadcast_to(found, (n,)))


def _wide(p: Floats, n_classes: int) -> Floats:
    more = n_classes - p.shape[1]
    return np.pad(p, ((0, 0), (0, more))) if more > 0 else p


def _no_ints() -> Ints:
    return np.empty(0, dtype=np.intp)


def _repeated(numbers: list[tuple[int, int]]) -> Ints:
    """Return each first number as often as the second one says."""
    found = np.array(numbers, dtype=np.intp).reshape(-1, 2)
    return np.repeat(found[:, 0], found[:, 1])


def _joined(parts: tuple[Any, ...]) -> Any:
    """Return arrays, of which the first is empty, as one."""
    return parts[1] if len(parts) == 2 else np.concatenate(parts)
