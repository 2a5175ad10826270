"""Misspelt names of learners, parameters, metrics, …: errors that suggest the right one."""

import functools
import inspect
import re
from collections.abc import Iterable
from typing import Any, Self

from thalweg.errors import ParameterError

LEAST_LIKENESS = 0.7
LONGEST_LABEL, MOST_CLASSES = 64, 100  # that are compared: each pair takes some µs


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like `name`, whatever the case, dashes and underscores; None if none is."""
    import difflib

    by_plain = {plain(each): each for each in known}
    near = difflib.get_close_matches(plain(name), list(by_plain), n=1, cutoff=LEAST_LIKENESS)
    return by_plain[near[0]] if near else None


def meant_class(label: Any, classes: Iterable[Any]) -> str:
    """Return "; did you mean X?" of the class whose text is most like that of a label; "" if none is."""
    by_text = {str(each): each for each in classes}
    text = nearest(str(label)[:LONGEST_LABEL], list(by_text)[:MOST_CLASSES])
    return "" if text is None else f"; did you mean {by_text[text]!r}?"


def hint(name: str, known: Iterable[str], what: str) -> str:
    """Return "did you mean X?", or if no known name is near, all of them: "the metrics are a, b, c"."""
    known = list(known)
    near = nearest(name, known)
    return f"did you mean {near}?" if near else f"the {what} are {', '.join(known)}"


def unknown_parameter(who: str, name: str, known: Iterable[str]) -> ParameterError:
    """Return the error for a parameter that `who` does not have."""
    known = list(known)
    meant = hint(name, known, "parameters") if known else "it has none"
    return ParameterError(f"{who} has no parameter {name!r}; {meant}")


class _InitSignature:
    """The signature of a class is that of its `__init__`, which a `__new__` would hide."""

    def __get__(self, thing: object, kind: Any) -> inspect.Signature:
        return _signature(kind)


class CheckedKeywords:
    """A class whose unknown keyword arguments are an error that suggests the right name."""

    __signature__ = _InitSignature()

    def __new__(cls, *args: Any, **given: Any) -> Self:
        if args or given:
            known = cls.__signature__.parameters
            if not any(each.kind == each.VAR_KEYWORD for each in known.values()):
                for name in given:
                    if name not in known:
                        raise unknown_parameter(cls.__name__, name, known)
            if args and not known:
                raise TypeError(f"{cls.__name__} takes no parameters")
        return super().__new__(cls)


@functools.cache
def _signature(kind: Any) -> inspect.Signature:
    if kind.__init__ is object.__init__:
        return inspect.Signature()
    signature = inspect.signature(kind.__init__)
    return signature.replace(parameters=list(signature.parameters.values())[1:])


def plain(name: str) -> str:
    """Return a name in lower case without dashes, underscores and spaces."""
    return re.sub(r"[-_ ]", "", name).lower()
