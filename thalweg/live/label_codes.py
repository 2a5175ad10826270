"""The codes of the labels of a request, and which labels are refused: decided before any is an event."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from thalweg._misspelt import meant_class
from thalweg.errors import first_of, short_repr
from thalweg.live.engine import Engine
from thalweg.live.errors import RowError
from thalweg.live.ids import Id
from thalweg.live.waiting import NO_LABEL
from thalweg.model import Model
from thalweg.model.opening import sorted_if_set
from thalweg.streams.columns.class_codes import ClassCodes, as_label
from thalweg.streams.columns.codes import length_problem
from thalweg.streams.files.coding import LabelError, plain_label

REFUSE, ADD = "refuse", "add"
OPEN = " Open it with add_class"
ADVICE = f"{OPEN}, or start with new_labels=add"
MOST_HINTS = 20  # sentences of a request that say which class is meant
IsLearned = Callable[[int, set[Id]], bool]
T = TypeVar("T")


class Coded(NamedTuple):
    """The codes of the labels that are not refused, their places, and why those at other places are."""

    codes: list[int]
    places: Sequence[int]
    refused: dict[int, str]

    def chosen(self, values: list[T]) -> list[T]:
        """Return those of the values, one for each label, whose labels are not refused."""
        return [values[i] for i in self.places] if self.refused else values

    def spread(self, values: list[T], otherwise: T) -> list[T]:
        """Return values for all labels, given those of the ones that are not refused."""
        found = [otherwise] * (len(values) + len(self.refused))
        for i, value in zip(self.places, values, strict=True):
            found[i] = value
        return found


def coded_labels(
    engine: Engine, labels: list[Any], ids: list[Id] | None, is_learned: IsLearned | None, adds: bool,
    n_before: int,
) -> Coded:  # fmt: skip
    """Return the codes of the labels of a request; those that are not refused become classes.

    Parameters
    ----------
    engine : Engine
        Whose classes they are.
    labels, ids : list
        The labels, and the ids of their rows if they have some.
    is_learned : callable or None
        Says by its place, and the ids of the labels before it, whether the row of a label is learned; None
        if all are. A label that is new and not learned gets `NO_LABEL`.
    adds : bool
        Whether a label that is no class is one from now on, also where classes are closed.
    n_before : int
        How many labels are learned by events that the engine has not counted yet.
    """
    found = engine.coder.met_codes(labels)
    if found is not None:
        return Coded(found, range(len(found)), {})
    coder, n_known = engine.coder, len(engine.model._coding.labels)
    try:
        codes = coder.codes(labels)
    except RowError:
        codes = None
    if codes is not None:
        if codes.max() < n_known or (adds and is_learned is None):
            return Coded(codes.tolist(), range(len(labels)), {})
        engine.model._coding.forget_labels(n_known)
    return _LabelCoder(engine, adds, n_before).of(labels, ids, is_learned)


class _LabelCoder:
    """Codes labels one by one."""

    def __init__(self, engine: Engine, adds: bool, n_before: int) -> None:
        self._engine, self._coder, self._adds, self._n = engine, engine.coder, adds, n_before
        self._refused: dict[int, str] = {}

    def of(self, labels: list[Any], ids: list[Id] | None, is_learned: IsLearned | None) -> Coded:
        """Return the codes of labels; see `coded_labels`."""
        codes, places = [], []
        seen: set[Id] = set()
        for i, label in enumerate(labels):
            learns = is_learned is None or is_learned(i, seen)
            try:
                codes.append(self._code(label, learns))
            except RowError as error:
                self._refused[i] = error.problem
                continue
            places.append(i)
            self._n += learns
            if ids is not None:
                seen.add(ids[i])
        return Coded(codes, places, self._refused)

    def _code(self, label: Any, learns: bool) -> int:
        code = self._coder.known_code(label)
        if code is None and learns:
            may_grow = self._engine.model._coding.labels.grows
            if not may_grow or (self._engine.is_closed(self._n) and not self._adds):
                classes, hints = self._engine.model._coding.labels.values, len(self._refused) < MOST_HINTS
                raise RowError(f"{unknown(label, classes, hints)}{ADVICE if may_grow else OPEN}")
            code = int(self._coder.codes([label])[0])
        return NO_LABEL if code is None else code


def unknown(label: Any, classes: Sequence[Any], hints: bool) -> str:
    """Return what is wrong with a label that is no class, and which class is meant if it `hints`."""
    meant = meant_class(label, classes) if hints else ""
    return f"{short_repr(label)} is not one of the classes {first_of(classes, 10)}{meant or '.'}"


def refused_without_model(model: Model, labels: Sequence[Any]) -> dict[int, str]:
    """Return why labels cannot be classes of a model that has learned nothing, by their places."""
    listed = None if model.classes is None else ClassCodes(sorted_if_set(model.classes))
    found = {}
    for i, given in enumerate(labels):
        try:
            label = as_label(plain_label(given))
        except LabelError as error:
            found[i] = error.problem
            continue
        if label is None or (isinstance(label, str) and not label.strip()):
            found[i] = f"the label {short_repr(given)} is missing"
        elif listed is not None and listed.code_of(label, adds=False) < 0:
            found[i] = unknown(label, listed.values, len(found) < MOST_HINTS)
        elif listed is None and (problem := length_problem(label)) is not None:
            found[i] = f"the label {short_repr(given)} {problem}"
    return found
