"""What an evaluation needs to know of its stream: inputs by kind, and classes, which may grow."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Ints
from thalweg.adapters.foreign import ForeignLearner
from thalweg.errors import one_line
from thalweg.evaluation.row_forms import Form
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.streams.base import Stream, check_closed, stream_name


def begin_learner(stream: Stream, learner: StreamClassifier, form: Form) -> NDArray[Any]:
    """Call `begin` of the learner for a stream; return the classes that are known at the start.

    Our own learners stay open to new labels, unless the stream's labels were listed; those of other libraries
    do only if they must.
    """
    classes, settings = np.asarray(stream.first_classes), {}
    if stream.is_open and not isinstance(learner, StreamClassifier):
        check_closed(stream, type(learner).__name__)
    is_ours = isinstance(learner, StreamClassifier) and not isinstance(learner, ForeignLearner)
    if stream.is_open or (stream.more_classes and is_ours):
        settings = {"more_classes": True}
    if form == "named":
        found = stream.input_names
        counts = stream.n_categories if found else None
        learner.begin(None, classes, names=found, n_categories=counts, **settings)
        return classes
    names, n_categories = stream.names, stream.n_categories
    learner.begin(stream.n_features, classes, names=names, n_categories=n_categories, **settings)
    return classes


def resume_learner(stream: Stream, learner: StreamClassifier, form: Form) -> NDArray[Any]:
    """Check that the learner can go on with a stream; return the classes that are known at the start."""
    learner._check_begun()
    if form != "named" and stream.n_features != learner.n_features_in_:
        raise ValueError(
            f"{stream_name(stream)} has {stream.n_features} inputs, but {type(learner).__name__} has learned "
            f"{learner.n_features_in_}"
        )
    known, first = np.asarray(learner.classes_), np.asarray(stream.first_classes)
    if not np.array_equal(known, first[: len(known)]):
        raise ValueError(
            f"{stream_name(stream)} has the classes {one_line(str(first))}, but {type(learner).__name__} has "
            f"learned {one_line(str(known))}"
        )
    return first


def inputs_of(stream: Stream) -> dict[str, list[str]]:
    """Return the names of the inputs by kind."""
    kinds = ["category" if n else "number" for n in stream.n_categories]
    return {
        kind: [str(name) for name, each in zip(stream.names, kinds, strict=True) if each == kind]
        for kind in ("number", "category")
        if kind in kinds
    }


def sorted_classes(stream: Stream, n_found: int) -> tuple[NDArray[Any], Ints]:
    """Return the sorted classes of the rows that were read, and their codes."""
    n_first = len(stream.first_classes)
    classes = np.asarray(stream.classes)[: max(n_first, n_found)]
    if not len(classes):
        raise ValueError(f"{stream_name(stream)}: there is no label in the rows that were read")
    order = np.argsort(classes, kind="stable") if len(classes) > n_first else np.arange(n_first)
    return classes[order], order
