"""The stream and the learner of an evaluation, as whatever a user passes for them."""

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

import numpy as np

from thalweg._frames import frame_names
from thalweg.adapters import RiverLearner, SklearnLearner
from thalweg.errors import ParameterError, short_repr
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.streams.base import Stream, stream_name
from thalweg.streams.foreign import is_stream
from thalweg.streams.source import Source, as_stream, is_learner

A_LEARNER = "a learner, or a classifier of scikit-learn or River"


def stream_and_learner(
    stream: Source, learner: Any, who: str, target: str | int | None = None
) -> tuple[Stream, Any]:
    """Return the arguments of `who` as a Stream and a learner; raise ParameterError if they are swapped."""
    if is_learner(stream) and not is_stream(stream) and not is_learner(learner):
        name = stream.__name__ if isinstance(stream, type) else short_repr(stream)
        raise ParameterError(f"{who}: got the learner {name} first; pass the stream first, then the learner")
    return as_stream(stream, target, who=who), as_learner(learner, who)


def as_learner(model: Any, who: str = "compare") -> Any:
    """Return `model`, or the adapter of a model of scikit-learn or River."""
    if isinstance(model, type):
        raise ParameterError(f"{who}: got the class {model.__name__}; pass an instance: {model.__name__}()")
    if isinstance(model, StreamClassifier) or hasattr(model, "test_then_train_coded"):
        return model
    if hasattr(model, "prequential"):
        own = "call model.prequential(source), or pass the learner"
        raise ParameterError(f"{who}: got a Model, which reads its rows by itself; {own}")
    if hasattr(model, "learn_one"):
        return RiverLearner(model)
    if hasattr(model, "fit"):
        return SklearnLearner(model)
    raise ParameterError(f"{who}: expected {A_LEARNER}, got {short_repr(model)}")


def several_streams(streams: Any, who: str) -> Any:
    """Return streams, by name or in a list, each a Stream, or a name or path; one alone is a list of one.

    One alone may also be (X, y), a data frame, or an iterable of pairs (x, y).
    """
    if isinstance(streams, Mapping):
        return {name: repeatable(each, who) for name, each in streams.items()}
    if _is_one_source(streams):
        return [repeatable(streams, who)]
    listed = list(streams)
    return [repeatable(listed, who)] if _are_pairs(listed) else [repeatable(each, who) for each in listed]


def _is_one_source(streams: Any) -> bool:
    """Return whether this is one source of rows, and not several or an iterable of rows."""
    if isinstance(streams, str | PathLike | type) or not isinstance(streams, Iterable):
        return True
    if is_stream(streams) or frame_names(streams) is not None:
        return True
    if not isinstance(streams, tuple) or len(streams) != 2 or isinstance(streams[0], str | tuple):
        return False
    X, y = streams
    is_table = frame_names(X) is not None or hasattr(X, "tocsr") or getattr(X, "ndim", 0) == 2
    return frame_names(y) is None and (is_table or isinstance(X, list))


def _are_pairs(listed: list[Any]) -> bool:
    """Return whether these are the rows of one stream, (x, y) each."""
    first = listed[0] if listed else None
    if not isinstance(first, tuple) or len(first) != 2:
        return False
    x, y = first
    return isinstance(x, Mapping) or (np.ndim(x), np.ndim(y)) == (1, 0)


def several_learners(learners: Any) -> Any:
    """Return learners, by name or in a list; one alone is a list of one."""
    alone = isinstance(learners, type) or is_learner(learners) or not isinstance(learners, Iterable)
    return [learners] if alone and not isinstance(learners, Mapping) else learners


def repeatable(stream: Source, who: str) -> Stream | str:
    """Return a name or a path as it is, anything else as a Stream that can be read several times."""
    if isinstance(stream, str | PathLike):
        return str(stream)
    found = as_stream(stream, who=who)
    if found.is_once:
        raise ParameterError(
            f"{who}: the rows are read several times, and a {stream_name(found)} can be read only once; "
            "pass a list"
        )
    return found
