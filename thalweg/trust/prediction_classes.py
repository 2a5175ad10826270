"""Which column of probabilities is of which label."""

import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Ints
from thalweg.errors import Advice, ColumnWarning, StreamError, first_of, short_repr

if TYPE_CHECKING:
    from thalweg.trust.prediction_tables import Table

PREFIXES = ("p_", "p(", "prob_", "proba_", "probability_", "probability of ", "score_", "p")


def classes_of(
    labels: NDArray[Any], probability: Sequence[str], given: Iterable[Any] | None, where: str, target: str
) -> list[Any]:
    """Return the labels in the order of the columns; of one column, the label it is of comes second.

    A column is of the label its name ends in: `p_yes` of yes. A single column of another name is of the
    second of two labels.
    """
    n = max(2, len(probability))
    found = sorted({plain(each) for each in labels.tolist()}, key=lambda each: (str(type(each)), each))
    if given is not None:
        classes = [plain(each) for each in given]
        if len(classes) != n or len({*map(str, classes)}) < n:
            raise StreamError(f"{where}: {n} different classes are needed, got {short_repr(classes)}")
        classes = _as_found(classes, found)
        _warn_of_other_names(classes, probability, where)
        return classes
    if len(probability) == 1:
        return _two_classes(found, probability[0], where, target)
    classes = [_named(name, found) for name in probability]
    unknown = [each for each in found if each not in classes]
    known = [each for each in classes if each is not None]
    if unknown or len(set(known)) < len(known):
        names = first_of([*map(repr, probability)], 5)
        raise StreamError(
            f"{where}: cannot tell which of the columns {names} is of the label "
            f"{short_repr((unknown or known)[0])}; name the labels in the order of the columns: ",
            Advice("classes", [...]),
        )
    return [_ending(name) if each is None else each for name, each in zip(probability, classes, strict=True)]


def _warn_of_other_names(classes: list[Any], probability: Sequence[str], where: str) -> None:
    """Warn of a column whose name ends in another of the classes than it is taken for."""
    told = classes[-1:] if len(probability) == 1 else classes
    for name, label in zip(probability, told, strict=True):
        named = _named(name, classes)
        if named is not None and named != label:
            warnings.warn(
                f"{where}: the column {name!r} is taken for that of the label {label!r}, as classes say, "
                f"though its name ends in {str(named)!r}",
                ColumnWarning, stacklevel=6,
            )  # fmt: skip


def _two_classes(found: list[Any], name: str, where: str, target: str) -> list[Any]:
    positive = _named(name, found)
    if positive is not None and len(found) <= 2:
        return [next((each for each in found if each != positive), f"not {positive}"), positive]
    if len(found) == 2:
        return found
    n = len(found)
    raise StreamError(
        f"{where}: the column {target!r} has {n} label{'s' if n > 1 else ''} "
        f"({first_of([*map(str, found)], 5)}), one column of probabilities is of two; ",
        Advice("classes", [...]), " names them, the one whose probability it is last",
    )


def class_codes(
    values: NDArray[Any], classes: list[Any], rows: Ints, table: "Table", column: str
) -> Ints:
    """Return the codes of labels; raise StreamError, with the row, if one is not among the classes."""
    places = {each: k for k, each in enumerate(classes)}
    codes = np.array([places.get(plain(each), -1) for each in values.tolist()], dtype=np.intp)
    if (codes < 0).any():
        i = int(np.argmax(codes < 0))
        known = first_of([*map(str, classes)], 10)
        place = table.at(column, int(rows[i]))
        raise StreamError(f"{place}: {short_repr(values[i])} is none of the labels {known}")
    return codes


def plain(label: Any) -> Any:
    """Return a label in the form in which labels are compared: 1.0 is 1, text has no spaces around it."""
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, bytes):
        label = label.decode("utf-8", "replace")
    if isinstance(label, float) and label == int(label if abs(label) < 2**53 else 0):
        return int(label)
    return label.strip() if isinstance(label, str) else label


def _as_found(classes: list[Any], found: list[Any]) -> list[Any]:
    """Return given classes as the labels that have the same text, if there are any."""
    texts = {str(each): each for each in found}
    return [texts.get(str(each), each) for each in classes]


def _named(name: str, found: list[Any]) -> Any:
    """Return the label that the name of a column ends in, or None."""
    texts = {str(each): each for each in found}
    return texts.get(name, texts.get(_ending(name)))


def _ending(name: str) -> str:
    for prefix in PREFIXES:
        if name.lower().startswith(prefix) and len(name) > len(prefix):
            return name[len(prefix) :].removesuffix(")")
    return name
