"""The form in which the rows of a stream reach a learner: arrays, sparse rows, or dicts of named inputs."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypeAlias

from thalweg._types import Ints
from thalweg.evaluation.inputs.observers import Observer, reads_rows
from thalweg.evaluation.sparse_blocks import WaitingSparse, blocks_for, dense_size, stays_sparse
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.streams.base import Stream
from thalweg.waiting import WaitingRows

Form: TypeAlias = Literal["dense", "sparse", "named"]


def form_of(stream: Stream, learner: Any, observers: Sequence[Observer] = ()) -> Form:
    """Return the form that the stream, the learner and its observers allow."""
    if stream.is_named and isinstance(learner, StreamClassifier) and not observers:
        return "named"
    return "sparse" if stays_sparse(stream, learner) and not any(map(reads_rows, observers)) else "dense"


def blocks_of(stream: Stream, learner: Any, size: int, form: Form) -> Iterator[tuple[Any, Ints]]:
    """Return the blocks of a stream in this form."""
    if form == "named":
        return stream.named_blocks(size)
    return blocks_for(stream, learner, size) if form == "sparse" else stream.coded_blocks(size)


def block_size(stream: Stream, size: int, form: Form) -> int:
    """Return the number of rows of a block: at most `size`, fewer if dense rows have many inputs."""
    return dense_size(stream, size) if form == "dense" else size


def waiting_rows(stream: Stream, form: Form) -> WaitingRows | WaitingSparse:
    """Return an empty store for rows of this form."""
    if form == "sparse":
        return WaitingSparse(stream.n_features)
    return WaitingRows(None if form == "named" else stream.n_features)
