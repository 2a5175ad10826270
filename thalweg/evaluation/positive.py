"""The positive class of a run: the one whose F1, precision, recall and average precision are meant."""

from collections.abc import Sequence
from typing import Any

from thalweg._types import Ints
from thalweg.errors import ParameterError, first_of

POSITIVE = frozenset(("yes", "true", "1", "y", "t", "positive", "pos"))
MOST_NAMED = 20


def code_of(label: Any, classes: Sequence[Any], who: str, parameter: str) -> int:
    """Return the code of a label, which may be given as text; raise ParameterError if there is none such."""
    if label in classes:
        return classes.index(label)
    texts = [str(each) for each in classes]
    if str(label) not in texts:
        known = first_of([*map(repr, classes)], MOST_NAMED)
        raise ParameterError.of(who, parameter, problem=f"must be one of the labels {known}, got {label!r}")
    return texts.index(str(label))


def positive_of_two(classes: Sequence[Any], n_rows: Ints) -> int:
    """Return the code of the positive one of two classes, which have so many rows.

    It is the one called yes, true, 1, y, t, positive or pos, if only one is; else the rarer one; else the
    second.
    """
    named = [_is_positive(label) for label in classes]
    if named[0] != named[1]:
        return named.index(True)
    return int(n_rows[1] <= n_rows[0])


def _is_positive(label: Any) -> bool:
    return label.strip().casefold() in POSITIVE if isinstance(label, str) else bool(label == 1)
