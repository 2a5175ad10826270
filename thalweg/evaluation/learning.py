"""Learning a stream without testing it: the same learner as after `prequential`, and faster."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Ints
from thalweg.errors import set_rows_learned
from thalweg.evaluation.protocols import begin_learner, resume_learner
from thalweg.evaluation.row_forms import Form, block_size, blocks_of
from thalweg.evaluation.sparse_blocks import stays_sparse
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.streams.base import Stream, first_rows


def learn_stream(
    stream: Stream, learner: StreamClassifier, *, resume: bool, rows: int | None = None,
    ids: Ints | None = None, size: int = 1000, found: list[Ints] | None = None,
) -> int:
    """Learn the rows of a stream in order, observe those without a label; return how many were read.

    If it raises, the exception's `rows_learned` says how many rows it had learned.

    `ids` are those of the rows, if some of them were observed before; `found` gets the codes of the labels.
    """
    form: Form = "sparse" if stays_sparse(stream, learner) else "dense"
    (resume_learner if resume else begin_learner)(stream, learner, form)
    n = 0
    try:
        for X, codes in first_rows(blocks_of(stream, learner, block_size(stream, size, form), form), rows):
            part = None if ids is None else ids[n : n + len(codes)]
            learn_block(learner, X, codes, stream.classes if stream.is_open else None, part)
            n += len(codes)
            if found is not None:
                found.append(np.array(codes, dtype=np.intp))
    except BaseException as error:
        set_rows_learned(error, n + getattr(error, "rows_learned", 0))
        raise
    return n


def learn_block(
    learner: StreamClassifier, X: Any, codes: Ints, classes: NDArray[Any] | None = None,
    ids: Ints | None = None,
) -> None:
    """Learn rows in order; observe those whose code is -1. `classes` are all labels, if there may be new.

    If it raises, the exception's `rows_learned` says how many of the first rows need not be learned again.
    """
    places, unlabelled = np.arange(len(codes) + 1), np.flatnonzero(codes < 0)
    if len(unlabelled) and not learner.observes:
        known = codes >= 0
        X, codes, ids = X[known], codes[known], None if ids is None else ids[known]
        places, unlabelled = np.append(np.flatnonzero(known), len(known)), unlabelled[:0]
    try:
        if len(unlabelled) == len(codes):
            learner.observe(X, ids)
        else:
            observed, untested = codes < 0, np.zeros(len(codes), dtype=bool)
            learner.test_then_train_coded(
                X, np.where(observed, 0, codes), tested=untested, classes=classes, ids=ids,
                observed=observed if len(unlabelled) else None,
            )
    except BaseException as error:
        set_rows_learned(error, int(places[getattr(error, "rows_learned", 0)]))
        raise
