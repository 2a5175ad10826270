"""The errors that thalweg raises on purpose, all derived from ThalwegError."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple, Self

from thalweg._escaping import printable

__all__ = [
    "ColumnWarning", "ModelFileError", "ParameterError", "RowWarning", "StateError", "StreamError",
    "ThalwegError", "WaitingError",
]  # fmt: skip

_MOST_CHARACTERS = 1000


class Advice(NamedTuple):
    """A parameter to pass and its value, `[...]` where the user knows it."""

    parameter: str
    value: object

    def __str__(self) -> str:
        return f"{self.parameter}={'[…]' if self.value == [...] else repr(self.value)}"


class Message(str):
    """A message in one line, made of text, other messages and advice, which stays data in `parts`.

    As a string it names parameters: `Message("pass ", Advice("ignore", ["a"]))` is "pass ignore=['a']".
    """

    parts: tuple[str | Advice, ...]

    def __new__(cls, *parts: str | Advice) -> Self:
        message = super().__new__(cls, one_line("".join(map(str, parts))))
        message.parts = parts
        return message

    def __getnewargs__(self) -> tuple[str | Advice, ...]:  # type: ignore[override]
        return self.parts

    def worded(self, word: Callable[[Advice], str]) -> str:
        """Return the message with its advice in the words of `word`."""
        said = [word(part) if isinstance(part, Advice) else part for part in self.parts]
        return one_line("".join(each.worded(word) if isinstance(each, Message) else each for each in said))

    def without(self, parameters: Collection[str]) -> "Message":
        """Return the message without its clauses that advise to pass some of these parameters."""
        parts: list[str | Advice] = []
        for part in self.parts:
            if isinstance(part, Advice) and part.parameter in parameters:
                before = "" if not parts or isinstance(parts[-1], Advice) else str(parts.pop())
                cut = max(before.rfind(mark) for mark in (", or pass ", "; ", ": if ", ": pass "))
                parts.append(before[: max(cut, 0)])
            else:
                parts.append(part.without(parameters) if isinstance(part, Message) else part)
        return Message(*parts)


class ThalwegError(Exception):
    """Base class of all errors of this library."""


class ModelFileError(ThalwegError, ValueError):
    """A model file is damaged, not a model, or holds what may not be loaded."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class ParameterError(ThalwegError, ValueError, TypeError):
    """A parameter of a learner, detector, stream or function has a value that is not allowed.

    Attributes
    ----------
    owner : str or None
        The learner, detector, stream or function that has the parameter, where it is one parameter.
    parameter : str or None
        Its name. The command calls that of a function by its option.
    problem, context : str
        What is wrong with it, such as "must be a number above 0, got -1", and in what connection.
    """

    owner: str | None = None
    parameter: str | None = None
    problem: str = ""
    context: str = ""

    @classmethod
    def of(cls, owner: str, parameter: str, *, problem: str, context: str = "") -> Self:
        """Return the error for one parameter; the message begins with `context`, or else with the owner."""
        error = cls(f"{context or owner}: {parameter} {problem}")
        error.owner, error.parameter, error.problem, error.context = owner, parameter, problem, context
        return error


class StateError(ThalwegError, ValueError):
    """A saved state is damaged or belongs to another learner or detector."""


class StreamError(ThalwegError, ValueError):
    """Rows cannot be read: one line that names the file and, where known, the row, column and value.

    `message` has the same with what to do about it as data.
    """

    def __init__(self, *parts: str | Advice) -> None:
        self.message = Message(*parts)
        super().__init__(self.message)


class ColumnWarning(UserWarning):
    """Columns that may have been taken for something else, or that are left out; see `Model.columns`."""


class LabelWarning(ColumnWarning):
    """A label is new after the first rows: it may be mistyped."""


class RowWarning(UserWarning):
    """Rows that may have been learned in the wrong order, or twice."""


class WaitingError(ThalwegError, ValueError):
    """An id is not waiting for its label, or is waiting already, or the store is full."""


def set_rows_learned(error: BaseException, n: int) -> None:
    """Store in an exception how many rows were learned before it was raised."""
    with suppress(AttributeError):  # some exceptions have no attributes
        error.rows_learned = n  # type: ignore[attr-defined]


@contextmanager
def learned_rows(n: int) -> Iterator[None]:
    """Store in an interrupt that is raised within that so many rows were learned before."""
    try:
        yield
    except KeyboardInterrupt as error:
        set_rows_learned(error, n)
        raise


def one_line(text: str) -> str:
    """Return `text` shortened to a readable length, with what a terminal obeys escaped."""
    return printable(text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 3] + "...")


def short_repr(value: object, most: int = 80) -> str:
    """Return `repr(value)` in one line of at most `most` characters, for messages."""
    text = " ".join(one_line(repr(value)).split())
    return text if len(text) <= most else f"{text[: most - 3]}..."


def first_of(values: Any, most: int) -> str:
    """Return the first of an array or a sequence with commas between them, and how many more there are."""
    first = ", ".join(map(str, values[:most]))
    return first if len(values) <= most else f"{first} and {len(values) - most:,} more"


def __dir__() -> list[str]:
    return __all__
