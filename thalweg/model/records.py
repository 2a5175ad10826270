"""How a model predicts and learns records, and rows whose labels come late."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Floats, Ints, Mask
from thalweg._warn import warn
from thalweg.errors import LabelWarning, ParameterError, StreamError, set_rows_learned, short_repr
from thalweg.evaluation.learning import Progress, learn_block, learn_stream, noting
from thalweg.evaluation.sparse_blocks import blocks_for, dense_size, stays_sparse
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.model.fitted import FittedModel
from thalweg.model.opening import check_own_order
from thalweg.model.rows import as_ids, as_rows, is_empty
from thalweg.model.wording import in_words_of_model, remove_skip
from thalweg.streams.base import Stream, fewest, first_rows
from thalweg.streams.columns.codes import MISSING
from thalweg.streams.columns.new_labels import LATE, new_label_text
from thalweg.waiting import Ids

BLOCK = 1000


class RecordsModel(FittedModel):
    """The part of a `Model` that reads rows and ids, and passes them to the learner."""

    def _learn_record(self, record: Mapping[str, Any]) -> bool:
        """Learn one record of a model that has begun, if it can be read without a table; return whether."""
        coding, record = self._coding, self._flat(record)
        label = None if coding.target is None else record.get(coding.target)
        if isinstance(label, Mapping):
            return False
        n_labels = len(coding.labels)
        code = coding.code_of(label)
        x = coding.row(record, True)
        if x is None:
            coding.forget_labels(n_labels)
            return False
        if code == MISSING:
            self.learner_.observe(x[None])
        elif code < len(self._class_list):
            self.learner_.learn_one(x, self._class_list[code])
            self._estimates.n_learned += 1
        else:
            n_before = self._n_learned
            with self._without_new_labels(n_labels):
                learn_block(self.learner_, x[None], np.array([code]), coding.classes)
            self._estimates.n_learned += 1
            self._coding = self._closed(coding)
            self._warn_of_new_labels([(code, n_before)])
        return True

    @property
    def _n_learned(self) -> int:
        """Number of labels learned so far."""
        return self._estimates.n_known if self._begun else 0

    def _warn_of_new_labels(self, found: Iterable[tuple[int, int]]) -> None:
        """Warn of labels that were new after many rows, given as their codes and these numbers of rows."""
        if self.new_labels == "warn":
            for code, n_rows in found:
                if n_rows >= LATE:
                    values = self._coding.labels.values
                    warn(new_label_text(values[code], n_rows, values[:code]), LabelWarning)

    @contextmanager
    def _without_new_labels(self, n_known: int) -> Iterator[None]:
        """Forget the labels beyond the first `n_known` if the learner refuses to learn a row."""
        try:
            yield
        except Exception as error:
            if not getattr(error, "rows_learned", 0):
                self._coding.forget_labels(n_known)
            raise

    def _learn_rows(
        self, stream: Stream, learner: StreamClassifier, rows: int | None, ids: list[Any] | None,
        progress: Progress,
    ) -> None:
        """Learn the rows of a stream; those that waited with these ids wait no longer."""
        learn = partial(learn_stream, stream, learner, resume=self._begun, rows=rows, progress=progress)
        if ids is None:
            learn()
            return
        _check_number(ids, stream.n_rows)
        if not self._begun:
            learn(ids=np.arange(-len(ids), 0))
            return
        found: list[Ints] = []
        with self._late.taken(ids[:rows]) as (_, numbers), noting(progress):
            try:
                learn(ids=numbers, found=found)
            except StreamError as error:
                remove_skip(error)
                raise
        self._estimates.labelled(ids[:rows], np.concatenate([np.empty(0, dtype=np.intp), *found]))

    def _learn_late(self, ids: list[Any], codes: Ints) -> None:
        """Learn rows, all of which wait."""
        more_classes = len(self._coding.labels) > len(self._class_list)
        progress = Progress(self.learner_)
        progress.begin_block(codes)
        with self._late.taken(ids, all_wait=True) as (X, numbers), noting(progress):
            learn_block(self.learner_, X, codes, self._coding.classes if more_classes else None, numbers)
        self._estimates.labelled(ids, codes)

    def _predict_record(self, record: Mapping[str, Any]) -> tuple[Floats, list[Any]] | None:
        """Return the probabilities of a record, and the labels they are of; None before the first row."""
        if not self._begun:
            return None
        if type(record) is not dict:
            record, _ = as_rows(record)
            if not isinstance(record, dict):
                raise TypeError(f"Model: expected one record, a dict, got {short_repr(record)}")
        with self._lock.read:
            x = self._coding.row(self._flat(record), False)
            if x is not None:
                return self.learner_.predict_proba_one(x), self._class_list
        p, classes = self._predict_rows(record, None, {})
        return p[0], classes.tolist()

    def _predict_rows(
        self, source: Any, ids: Ids | None, options: dict[str, Any], writes: bool = False
    ) -> tuple[Floats, NDArray[Any]]:
        """Return the probabilities of rows, and the labels they are of."""
        self._check_begun()
        if type(source) is not dict:
            source, _ = as_rows(source)
        check_no_keep(options)
        check_own_order(options, "is for learning: predictions come in the order of the rows")
        if options.get("on_error", "raise") != "raise":
            problem = "must be 'raise': predictions must be as many as rows"
            raise ParameterError.of("Model", "on_error", problem=problem)
        try:
            return self._predict_or_observe(source, as_ids(ids), options, writes)
        except StreamError as error:
            remove_skip(error)
            raise

    def _predict_or_observe(
        self, source: Any, known: list[Any] | None, options: dict[str, Any], writes: bool
    ) -> tuple[Floats, NDArray[Any]]:
        """Do what `_predict_rows` does, for rows and ids in the forms of `as_rows` and `as_ids`."""
        if is_empty(source) or (known is None and not writes):
            with self._reading, in_words_of_model():
                opened = [] if is_empty(source) else [self._open(source, **options)]
                blocks = [X for stream in opened for X in self._blocks(stream, options.get("rows"))]
                return self._joined([self.learner_.predict_proba_block(X) for X in blocks])
        with self._writing:
            if isinstance(source, dict) and not options:
                self._check_new(known, 1)
                x = self._coding.row(self._flat(source), True)
                if x is not None:
                    return self._observed([x[None]], known)
            stream, rows = self._open(source, **options), options.get("rows")
            self._check_new(known, fewest(stream.n_rows, rows))
            return self._then_adopt(
                stream, self.learner_, lambda: self._observed(self._blocks(stream, rows), known)
            )

    def _check_new(self, ids: list[Any] | None, n_rows: int | None) -> None:
        """Raise an error if these are not ids for so many rows, or one of them waits already."""
        if ids is not None:
            _check_number(ids, n_rows)
            self._late.check_new(ids)

    def _observed(self, blocks: Iterable[Any], ids: list[Any] | None) -> tuple[Floats, NDArray[Any]]:
        """Predict and observe rows, which wait for their labels if they have ids."""
        found, n = [], 0
        try:
            for X in blocks:
                if ids is None:
                    found.append(self.learner_.predict_then_observe(X))
                else:
                    with self._late.added(X, ids[n : n + len(X)]) as numbers:
                        found.append(self.learner_.predict_then_observe(X, ids=numbers))
                    answers = self.learner_._answers(found[-1])
                    self._estimates.predicted(found[-1], ids[n : n + len(X)], answers)
                n += len(X)
        except Exception as error:
            set_rows_learned(error, n)
            raise
        return self._joined(found)

    def _compare(self, source: Any) -> tuple[Mask, Mask]:
        """Return for each row whether its label is predicted, and whether it has one."""
        with self._reading, in_words_of_model():
            right, labelled = [np.empty(0, dtype=bool)], [np.empty(0, dtype=bool)]
            for X, codes in self._coded_blocks(self._open(*as_rows(source))):
                right.append(self.learner_._answers(self.learner_.predict_proba_block(X)) == codes)
                labelled.append(codes >= 0)
            return np.concatenate(right), np.concatenate(labelled)

    def _blocks(self, stream: Stream, rows: int | None = None) -> Iterator[Any]:
        return (X for X, _ in first_rows(self._coded_blocks(stream), rows))

    def _coded_blocks(self, stream: Stream) -> Iterator[tuple[Any, Ints]]:
        size = BLOCK if stays_sparse(stream, self.learner_) else dense_size(stream, BLOCK)
        return blocks_for(stream, self.learner_, size)

    def _joined(self, found: list[Floats]) -> tuple[Floats, NDArray[Any]]:
        return np.concatenate([np.empty((0, len(self._class_list))), *found]), self.learner_.classes_


def check_no_keep(options: Mapping[str, Any]) -> None:
    """Raise ParameterError for columns to keep, which only a stream has a use for."""
    if options.get("keep") is not None:
        raise ParameterError.of("Model", "keep", problem="is for Model.stream: this call returns no columns")


def _check_number(ids: list[Any], n_rows: int | None) -> None:
    if n_rows is None:
        raise ValueError("Model: ids are for rows in memory; read the file into a frame first")
    if len(ids) != n_rows:
        raise ValueError(f"Model: got {len(ids)} ids for {n_rows} rows")
