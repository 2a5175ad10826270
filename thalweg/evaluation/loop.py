"""The one loop: a protocol's steps played against a learner, what it answered written into arrays."""

import time
from typing import NamedTuple

import numpy as np

from thalweg.evaluation.baselines import baseline_codes

BOTH, PREDICT, LEARN, OBSERVE = "both", "predict", "learn", "observe"
_SECONDS_BETWEEN_REPORTS = 0.25
_ROWS_AT_FIRST = 2**24


class Step(NamedTuple):
    """What happens next, and to which rows.

    BOTH tests each row and then learns it, PREDICT only tests, LEARN only learns, OBSERVE shows rows without
    labels. `codes` are the labels to score or learn. `row` is the stream's row the learner has got to, where
    the tested rows are not themselves the stream's.
    """

    action: str
    X: np.ndarray
    codes: np.ndarray | None = None
    row: int | None = None


class Record:
    """Labels, probabilities and what the baselines need, in arrays that grow.

    For K classes a row takes 8 K + 6 bytes while the loop runs (8 K + 3 afterwards) if K < 128.
    """

    def __init__(self, n_classes, expected, numbered):
        self.n_classes = n_classes
        self.n = self.n_learned = self.reached = 0
        self.interrupted = False
        self._n_right = self._n_scored = self._n_counted = 0
        code = np.min_scalar_type(-n_classes - 1)
        n = 1024 if expected is None else min(expected, _ROWS_AT_FIRST)
        self._labels = np.empty(n, code)
        self._probabilities = np.empty((n, n_classes))
        self._n_known = np.empty(n, np.uint32)
        self._learned = np.empty(n, code)
        self._numbers = np.empty(n, np.int64) if numbered else None

    def tested(self, codes, p, learned, row):
        """Write down that rows got the probabilities `p`, each being learned at once if `learned`."""
        n, m = self.n, self.n + len(codes)
        if m > len(self._labels):
            self._grow(m)
        self._labels[n:m] = codes
        self._probabilities[n:m] = p
        self._n_known[n:m] = np.arange(self.n_learned, self.n_learned + m - n) if learned else self.n_learned
        if self._numbers is not None:
            self._numbers[n:m] = row
        self.n = m

    def learned(self, codes):
        """Write down that rows of these labels were learned."""
        n, m = self.n_learned, self.n_learned + len(codes)
        if m > len(self._learned):
            self._learned = _grown(self._learned, m)
        self._learned[n:m] = codes
        self.n_learned = m

    @property
    def n_rows(self):
        """Rows of the stream used so far."""
        return self.n if self._numbers is None else self.reached

    def running_accuracy(self):
        """Return the share of right answers so far, NaN before the first."""
        part = slice(self._n_counted, self.n)
        labels, scored = self._labels[part], self._labels[part] >= 0
        self._n_right += np.count_nonzero(self._probabilities[part].argmax(axis=1)[scored] == labels[scored])
        self._n_scored += np.count_nonzero(scored)
        self._n_counted = self.n
        return self._n_right / self._n_scored if self._n_scored else float("nan")

    def arrays(self):
        """Return the fields of a Run this has recorded."""
        n = self.n
        return {
            "labels": _cut(self._labels, n),
            "probabilities": _cut(self._probabilities, n),
            "baselines": baseline_codes(self._learned[: self.n_learned], self._n_known[:n], self.n_classes),
            "row_numbers": None if self._numbers is None else _cut(self._numbers, n),
            "interrupted": self.interrupted,
        }

    def _grow(self, least):
        self._labels = _grown(self._labels, least)
        self._probabilities = _grown(self._probabilities, least)
        self._n_known = _grown(self._n_known, least)
        if self._numbers is not None:
            self._numbers = _grown(self._numbers, least)


def play(steps, learner, record, progress=None, total=None):
    """Play `steps` against `learner` until they end or Ctrl-C; return the seconds the learner took."""
    clock, inside = time.perf_counter, 0.0
    next_report = clock() + _SECONDS_BETWEEN_REPORTS
    try:
        for action, X, codes, row in steps:
            begin = clock()
            if action is PREDICT:
                p = learner.predict_block(X)
            elif action is OBSERVE:
                learner.observe(X)
            else:
                p = learner.test_then_train_coded(X, codes)
            end = clock()
            inside += end - begin
            if action is BOTH or action is PREDICT:
                record.tested(codes, p, action is BOTH, row)
            if action is BOTH or action is LEARN:
                record.learned(codes)
            if row is not None:
                record.reached = row + 1
            if progress is not None and end >= next_report:
                progress(record.n_rows, total, record.running_accuracy())
                next_report = clock() + _SECONDS_BETWEEN_REPORTS
    except KeyboardInterrupt:
        record.interrupted = True
    return inside


def _grown(array, least):
    larger = np.empty((max(least, 2 * len(array)), *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


def _cut(array, n):
    return array if len(array) == n else array[:n].copy()
