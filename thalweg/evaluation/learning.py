"""Learning a stream without testing it: the same learner as after `prequential`, and faster."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Ints
from thalweg.errors import set_rows_learned
from thalweg.evaluation.protocols import begin_learner, resume_learner
from thalweg.evaluation.row_forms import Form, block_size, blocks_of
from thalweg.evaluation.sparse_blocks import stays_sparse
from thalweg.evaluation.stretches import Stretches
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.streams.base import Stream, first_rows


class Progress:
    """How many rows of a stream a learner has learned or observed, wherever a signal stops it.

    A learner that counts its rows is asked; of others the exception's `rows_learned` says how many.
    """

    def __init__(self, learner: StreamClassifier) -> None:
        self._learner = learner
        self.n_before, self._codes, self._first = 0, np.empty(0, dtype=np.intp), self._count()
        self._noted: int | None = None
        self._n_labels = 0
        self.new_classes: list[tuple[int, int]] = []  # codes of which no row had come, and their first rows
        self.stretches = Stretches()

    @property
    def n_labels(self) -> int:
        """How many of the rows that were learned have a label."""
        n = 0 if self._noted is None else self._noted - self.n_before
        return self._n_labels + int((self._codes[:n] >= 0).sum())

    def _count(self) -> int:
        return (self._learner._n_learned or 0) + (self._learner._n_observed or 0)

    def begin_block(self, codes: Ints) -> None:
        """Take note that rows with these codes, -1 for those without a label, are learned next."""
        first = self._count()
        self._codes, self._first = codes, first  # no signal is handled between the two
        if len(codes) and (self._learner._first_rows or codes.max() >= len(self._learner.classes_)):
            found, places = (each.tolist() for each in np.unique(codes, return_index=True))
            rows = zip(found, places, strict=True)
            new = [(k, self.n_before + i) for k, i in rows if k >= 0 and self._learner._is_first(k)]
            self.new_classes += new

    def end_block(self) -> None:
        """Take note that these rows were learned."""
        self._n_labels += int((self._codes >= 0).sum())
        self.stretches.add(self._codes)
        n, none = self.n_before + len(self._codes), np.empty(0, dtype=np.intp)
        self.n_before, self._codes = n, none

    def n_done(self, error: BaseException) -> int:
        """Return how many of the first rows need not be learned again after this error."""
        learner = self._learner
        if learner._n_learned is None or (learner.observes and learner._n_observed is None):
            if self._noted is not None:  # what the exception says is that number now
                return self._noted
            n = getattr(error, "rows_learned", 0)
        else:
            n = max(self._count() - self._first, 0)
        if learner.observes:
            return self.n_before + min(n, len(self._codes))
        places = np.append(np.flatnonzero(self._codes >= 0), len(self._codes))
        return self.n_before + int(places[min(n, len(places) - 1)])

    def note_in(self, error: BaseException) -> None:
        """Store in an exception how many rows were learned before it was raised."""
        self._noted = self.n_done(error)
        set_rows_learned(error, self._noted)


@contextmanager
def noting(progress: Progress) -> Iterator[None]:
    """Store in what is raised within how many rows were learned before."""
    try:
        yield
    except BaseException as error:
        progress.note_in(error)
        raise


def learn_stream(
    stream: Stream, learner: StreamClassifier, *, resume: bool, rows: int | None = None,
    ids: Ints | None = None, size: int = 1000, found: list[Ints] | None = None,
    progress: Progress | None = None,
) -> int:
    """Learn the rows of a stream in order, observe those without a label; return how many were read.

    If it raises, the exception's `rows_learned` says how many rows it had learned.

    `ids` are those of the rows, if some of them were observed before; `found` gets the codes of the labels.
    """
    form: Form = "sparse" if stays_sparse(stream, learner) else "dense"
    (resume_learner if resume else begin_learner)(stream, learner, form)
    progress = Progress(learner) if progress is None else progress
    try:
        for X, codes in first_rows(blocks_of(stream, learner, block_size(stream, size, form), form), rows):
            n = progress.n_before
            part = None if ids is None else ids[n : n + len(codes)]
            progress.begin_block(codes)
            _learn_block(learner, X, codes, stream.classes if stream.is_open else None, part)
            if found is not None:
                found.append(np.array(codes, dtype=np.intp))
            progress.end_block()
    except BaseException as error:
        progress.note_in(error)
        raise
    return progress.n_before


def learn_block(
    learner: StreamClassifier, X: Any, codes: Ints, classes: NDArray[Any] | None = None,
    ids: Ints | None = None,
) -> None:
    """Learn rows in order; observe those whose code is -1. `classes` are all labels, if there may be new.

    If it raises, the exception's `rows_learned` says how many of the first rows need not be learned again.
    """
    progress = Progress(learner)
    progress.begin_block(codes)
    try:
        _learn_block(learner, X, codes, classes, ids)
    except BaseException as error:
        progress.note_in(error)
        raise


def _learn_block(
    learner: StreamClassifier, X: Any, codes: Ints, classes: NDArray[Any] | None, ids: Ints | None
) -> None:
    unlabelled = np.flatnonzero(codes < 0)
    if len(unlabelled) and not learner.observes:
        known = codes >= 0
        X, codes, ids = X[known], codes[known], None if ids is None else ids[known]
        unlabelled = unlabelled[:0]
    if len(unlabelled) == len(codes):
        learner.observe(X, ids)
    else:
        observed, untested = codes < 0, np.zeros(len(codes), dtype=bool)
        learner.test_then_train_coded(
            X, np.where(observed, 0, codes), tested=untested, classes=classes, ids=ids,
            observed=observed if len(unlabelled) else None,
        )
