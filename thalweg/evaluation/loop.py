"""The evaluation loop: runs the steps of a protocol and records the predictions in arrays."""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Floats, Ints, Mask
from thalweg.evaluation.baselines import Baselines
from thalweg.evaluation.history import HistoryRecorder
from thalweg.evaluation.inputs.observers import Observer, cut
from thalweg.evaluation.prediction_sets import N_COLUMNS, SetsWatcher
from thalweg.evaluation.run_costs import RunCosts
from thalweg.evaluation.steps import Step
from thalweg.learners.base.native import NativeClassifier
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.streams.base import Stream
from thalweg.trust.costs import answer_codes
from thalweg.trust.prediction_sets import PredictionSets

_SECONDS_BETWEEN_REPORTS = 0.25
_ROWS_AT_FIRST = 2**24
Progress: TypeAlias = Callable[[int, int | None, float], object]


class Follower(Protocol):
    """What takes the tested rows of a run as they come."""

    def add(self, codes: Ints, p: Floats, answers: Ints) -> None:
        """Take the codes of labels, the probabilities, and the codes of the answers."""


class Record:
    """Codes of labels, probabilities and predictions of the baselines, in arrays that grow.

    For K < 128 classes a row needs 8 K + 4 bytes, and 2 more for a moment at the end. The `follower`, if
    there is one, gets the tested rows too.
    """

    follower: Follower | None
    _last: tuple[Step, int, int] | None = None

    def __init__(
        self, n_classes: int, expected: int | None, numbered: bool, most_classes: int | None = None
    ) -> None:
        self.n_classes = n_classes
        self.n = self.n_learned = self.reached = 0
        self.learner_seconds = 0.0
        self.interrupted = self.timed_out = False
        self._n_right = self._n_scored = self._n_counted = 0
        self._baselines = Baselines(n_classes, most_classes)
        self.follower = None
        self.costs: RunCosts | None = None
        n = 1024 if expected is None else min(expected, _ROWS_AT_FIRST)
        self._codes: NDArray[Any] = np.empty(n, self._baselines.dtype)
        self._probabilities = np.empty((n, n_classes))
        self._numbers = np.empty(n, np.int64) if numbered else None
        self.watcher: SetsWatcher | None = None
        self._sets = np.empty((0, N_COLUMNS), np.int32)

    def set_classes(self, n_classes: int) -> None:
        """Increase the number of classes; the new ones have probability 0 in the rows so far."""
        if n_classes > self._probabilities.shape[1]:
            wider = np.zeros((len(self._probabilities), n_classes + n_classes // 8))
            wider[: self.n, : self.n_classes] = self._probabilities[: self.n, : self.n_classes]
            self._probabilities = wider
        self._baselines.set_classes(n_classes)
        self.n_classes = n_classes

    def add(self, step: Step, p: Floats, n: int) -> None:
        """Record the first `n` rows of a step; `p` has the probabilities of the tested ones."""
        sets = None if self.watcher is None else self.watcher.after(step, p, n)
        self._last = step, n, self.n
        if step.codes is not None:
            codes, tested, learned = step.codes[:n], _first(step.tested, n), _first(step.learned, n)
            known, n_known = _where(codes, learned), self.n_learned + _count_before(learned, n)
            self._baselines.add(known, _where(n_known, tested))
            if tested is not False:
                self._add_tested(_where(codes, tested), _where(p[:n], tested), step.row, sets)
                if self.follower is not None:
                    said = _where(p[:n], tested)[:, : self.n_classes]
                    self.follower.add(_where(codes, tested), said, self.answers(said))
            self.n_learned += len(known)
        if step.row is not None:
            self.reached = step.row + 1 - (0 if step.tested else len(step.X) - n)

    def learned_at(self) -> Ints:
        """Return for each row learned in the last step the row of the stream that had come by then."""
        if self._last is None:
            return np.empty(0, dtype=np.int64)
        step, n, n_tested = self._last
        if step.codes is None:
            return np.empty(0, dtype=np.int64)
        if step.row is not None:
            rows = np.arange(step.row - len(step.X) + 1, step.row + 1)[:n]
        else:
            rows = n_tested - 1 + np.cumsum(np.broadcast_to(_first(step.tested, n), n))
        return _where(rows, _first(step.learned, n))

    @property
    def n_rows(self) -> int:
        """Number of rows of the stream used so far."""
        return self.n if self._numbers is None else self.reached

    @property
    def n_unlabelled(self) -> int:
        """Number of rows of the stream used so far that have no label."""
        if self._numbers is not None:
            return self.reached - self.n_learned  # every row with a label is learned there
        return int(np.count_nonzero(self._codes[: self.n] < 0))

    @property
    def highest_code(self) -> int:
        """The highest code of a label so far, -1 before the first."""
        return int(self._codes[: self.n].max(initial=-1))

    def running_accuracy(self) -> float:
        """Return the accuracy so far, NaN before the first scored row."""
        part = slice(self._n_counted, self.n)
        codes, scored = self._codes[part], self._codes[part] >= 0
        given = self.answers(self._probabilities[part, : self.n_classes])
        right = given[scored] == codes[scored]
        n_right, n_scored = self._n_right + int(np.count_nonzero(right)), self._n_scored + len(right)
        self._n_right, self._n_scored, self._n_counted = n_right, n_scored, part.stop
        return self._n_right / self._n_scored if self._n_scored else float("nan")

    def answers(self, p: Floats) -> Ints:
        """Return the codes of what the run answers to these probabilities, of the first classes at least."""
        costs, n = self._cost_matrix(), p.shape[1]
        return answer_codes(p, None if costs is None else costs[:n, :n])

    def _cost_matrix(self) -> Floats | None:
        return None if self.costs is None else self.costs.so_far(self.n_classes)

    def arrays(self, order: Ints | None = None) -> dict[str, Any]:
        """Return the recorded fields of a Run; `order` are the codes of the Run's classes."""
        n = self.n
        codes, probabilities = _first_rows(self._codes, n), _first_rows(self._probabilities, n)
        baselines = self._baselines.codes(n)
        if order is not None:
            place = np.append(np.argsort(order), -1).astype(np.min_scalar_type(-len(order) - 1))
            codes, baselines = place[codes], {name: place[given] for name, given in baselines.items()}
            if not np.array_equal(order, np.arange(probabilities.shape[1])):
                probabilities = np.ascontiguousarray(probabilities[:, order])
        return {
            "codes": codes,
            "probabilities": probabilities,
            "baselines": baselines,
            "row_numbers": None if self._numbers is None else _first_rows(self._numbers, n),
            "sets": None if self.watcher is None else _first_rows(self._sets, n),
            "interrupted": self.interrupted,
            "timed_out": self.timed_out,
        }

    def _add_tested(
        self, codes: Ints, p: Floats, row: int | None, sets: NDArray[np.int32] | None = None
    ) -> None:
        n, m = self.n, self.n + len(codes)
        if m > len(self._codes):
            self._grow(m)
        self._codes[n:m] = codes
        self._probabilities[n:m, : self.n_classes], self._probabilities[n:m, self.n_classes :] = p, 0.0
        if self._numbers is not None and row is not None:
            self._numbers[n:m] = row
        if sets is not None:
            self._sets = _grown(self._sets, m) if m > len(self._sets) else self._sets
            self._sets[n:m] = sets
        self.n = m

    def _grow(self, least: int) -> None:
        self._codes = _grown(self._codes, least)
        self._probabilities = _grown(self._probabilities, least)
        if self._numbers is not None:
            self._numbers = _grown(self._numbers, least)


def run_steps(
    steps: Iterable[Step],
    learner: Any,
    record: Record,
    progress: Progress | None = None,
    total: int | None = None,
    stream: Stream | None = None,
    limit: float | None = None,
    recorder: HistoryRecorder | None = None,
    observers: Sequence[Observer] = (),
) -> None:
    """Run all steps, or until Ctrl-C or the limit of time, in seconds.

    `stream` is the stream that the rows come from, if its classes may grow. After each step the `recorder`
    reads the learner, and `observers` get the rows that were learned.
    """
    clock = time.perf_counter
    last_moment = clock() + (math.inf if limit is None else limit)
    next_report = clock() + _SECONDS_BETWEEN_REPORTS
    try:
        if progress is not None:
            progress(0, total, math.nan)
        for step in cut(steps, observers) if observers else steps:
            if clock() >= last_moment:
                record.interrupted = record.timed_out = True
                break
            classes = None if stream is None else stream.classes
            if classes is not None and len(classes) > record.n_classes:
                record.set_classes(len(classes))
            _run_and_record(learner, step, record, classes)
            if recorder is not None:
                recorder.add(record.n_rows, record.learned_at)
            for observer in observers:
                if hasattr(observer, "set_rows"):
                    observer.set_rows(record.learned_at())
                observer.update_coded(learner, *step.learned_rows())
            if progress is not None and clock() >= next_report:
                progress(record.n_rows, total, record.running_accuracy())
                next_report = clock() + _SECONDS_BETWEEN_REPORTS
    except KeyboardInterrupt:
        record.interrupted = True
        if recorder is not None:
            recorder.add(record.n_rows, record.learned_at)  # of the rows of a step that was cut


def _run_and_record(learner: Any, step: Step, record: Record, classes: NDArray[Any] | None) -> None:
    run = _run if isinstance(learner, StreamClassifier) else _run_in_parts
    n, p = 0, np.empty((len(step.X), record.n_classes))
    if record.watcher is not None:
        record.watcher.before()
    begin = time.perf_counter()
    try:
        if step.asking is None:
            run(learner, step, p, classes)
            n = len(step.X)
        else:
            step.asking.answers = record.answers
            n = step.asking.run(learner, step, p)
    except KeyboardInterrupt as stop:
        # Rows that compiled code learned before Ctrl-C are part of the run.
        counts = isinstance(learner, NativeClassifier) or step.observed is not False
        n = getattr(stop, "rows_learned", 0) if counts else 0
        n = n if step.asking is None else step.asking.n_done
        raise
    finally:
        record.learner_seconds += time.perf_counter() - begin
        record.add(step, p, n)


def _run(learner: StreamClassifier, step: Step, p: Floats, classes: NDArray[Any] | None) -> None:
    """Run a step in one call of the learner; write the probabilities into `p`."""
    X, codes, tested, learned, observed, _, ids, *_ = step
    if codes is None:
        learner.observe(X, ids)
    elif observed is True:
        answers = np.empty((len(X), max(len(learner.classes_), 1)))
        try:
            learner.predict_then_observe(X, answers, ids=ids)
        finally:
            p[:, : answers.shape[1]], p[:, answers.shape[1] :] = answers[:, : p.shape[1]], 0.0
    elif learned is False:
        answers = learner.predict_proba_block(X)
        p[:, : answers.shape[1]], p[:, answers.shape[1] :] = answers, 0.0
        if isinstance(learner, PredictionSets):
            learner.record_sets_of(answers)
    else:
        w = None if learned is True else learned.astype(np.float64)
        codes = codes if w is None else np.where(learned, codes, 0)
        mask = (None if tested else np.zeros(len(X), dtype=bool)) if isinstance(tested, bool) else tested
        seen = None if observed is False else observed
        learner.test_then_train_coded(
            X, codes, sample_weight=w, tested=mask, p=p, classes=classes, ids=ids, observed=seen
        )


def _run_in_parts(learner: Any, step: Step, p: Floats, _classes: NDArray[Any] | None) -> None:
    """Do the same for a learner that has these methods but is not a StreamClassifier."""
    X, codes, _, learned, observed, *_ = step
    if codes is None:
        learner.observe(X)
        return
    learned, observed = np.broadcast_to(learned, len(X)), np.broadcast_to(observed, len(X))
    for start, stop in constant_parts(learned + 2 * observed):
        part = slice(start, stop)
        if learned[start]:
            p[part] = learner.test_then_train_coded(X[part], codes[part])
        elif not observed[start]:
            p[part] = learner.predict_proba_block(X[part])
        for i in range(start, stop if observed[start] else start):
            p[i : i + 1] = learner.predict_proba_block(X[i : i + 1])
            learner.observe(X[i : i + 1])


def constant_parts(mask: NDArray[Any]) -> Iterator[tuple[int, int]]:
    """Return (start, stop) of each longest range in which `mask` is constant."""
    edges = np.flatnonzero(mask[1:] != mask[:-1]) + 1
    return zip([0, *edges], [*edges, len(mask)], strict=True)


def _first(mask: bool | Mask, n: int) -> bool | Mask:
    return mask if isinstance(mask, bool) else mask[:n]


def _where(values: NDArray[Any], mask: bool | Mask) -> NDArray[Any]:
    if isinstance(mask, bool):
        return values if mask else values[:0]
    return values[mask]


def _count_before(mask: bool | Mask, n: int) -> NDArray[np.int64]:
    """Return for each of `n` rows how many rows before it are in the mask."""
    if isinstance(mask, bool):
        return np.arange(n) if mask else np.zeros(n, dtype=np.int64)
    return np.cumsum(mask) - mask


def _grown(array: NDArray[Any], least: int) -> NDArray[Any]:
    larger = np.empty((max(least, 2 * len(array)), *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


def _first_rows(array: NDArray[Any], n: int) -> NDArray[Any]:
    # Not copied: unwritten pages need no memory, and an interrupted run must end at once.
    return array if len(array) == n else array[:n]
