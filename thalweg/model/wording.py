"""Advice about columns in the words of a model: columns={"a": "ignore"} instead of ignore=["a"]."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from thalweg.errors import Advice, ColumnWarning, Message, StreamError
from thalweg.model.opening import PARAMETERS

SKIP = Advice("on_error", "skip")
KINDS = {parameter: kind for kind, parameter in PARAMETERS.items()}


def warn(text: str, category: type[ColumnWarning] = ColumnWarning) -> None:
    """Warn of columns or labels, at the line outside this library that called the model."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("thalweg."):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


def worded(message: str) -> str:
    """Return a message with its advice as parameters of `Model`."""
    return message.worded(_advice) if isinstance(message, Message) else message


@contextmanager
def in_words_of_model() -> Iterator[None]:
    """Reword a StreamError that is raised inside; its `message` has the advice as data, as before."""
    try:
        yield
    except StreamError as error:
        error.args = (worded(error.message),)
        raise


def remove_skip(error: StreamError) -> None:
    """Remove the advice to leave out rows from an error of a call that needs all of them."""
    if error.message.parts[-1] == SKIP:
        error.message = Message(*error.message.parts[:-2])
        error.args = (worded(error.message),)


def _advice(advice: Advice) -> str:
    if advice.parameter not in KINDS or not isinstance(advice.value, list):
        return str(advice)
    names = ", ".join(f"{name!r}: {KINDS[advice.parameter]!r}" for name in advice.value)
    return f"columns={{{names}}}"
