"""What looks at a learner during a run, and steps cut so that it can do so after the right rows."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from thalweg._parameters import wrong
from thalweg._types import Floats, Ints
from thalweg.evaluation.history import History
from thalweg.evaluation.inputs.columns import InputColumns
from thalweg.evaluation.steps import Step
from thalweg.streams.base import Stream


class Observer(Protocol):
    """Looks at a learner whenever `n_until_next` more rows have been learned.

    If it has a method `set_columns`, that is called after `begin` with the `InputColumns` of the stream. If
    its attribute `reads_rows` is False, it does not look into the rows it gets, and these may be sparse. If
    it has a method `set_rows`, that is called before `update_coded` with the row of the source at which each
    row is learned: labels may come late or never. If it has a method `set_answers`, that is called after
    `begin` with a function that returns the codes of what the run answers to probabilities, and with None at
    the end.
    """

    @property
    def n_until_next(self) -> int:
        """Rows to be learned until it looks at the learner."""

    def begin(self, names: Sequence[Any] = (), n_rows: int | None = None) -> object:
        """Start for a stream with inputs of these names, and of so many rows if that is known."""

    def update_coded(self, learner: Any, X: Floats, codes: Ints) -> None:
        """Take note of rows that the learner has just learned."""

    def as_history(self) -> History | None:
        """Return what it found, a number for each input over time; None if that is nothing."""


Observers: TypeAlias = Observer | Sequence[Observer] | None


def as_list(observers: Observers) -> list[Observer]:
    """Return one observer, several or none as a list."""
    if observers is None:
        return []
    found = list(observers) if isinstance(observers, Sequence) else [observers]
    for each in found:
        if isinstance(each, type) or not hasattr(each, "update_coded"):
            raise wrong("evaluation", "observers", "an observer such as PermutationImportance()", each)
    return found


def reads_rows(observer: Observer) -> bool:
    """Return whether an observer looks at the inputs of rows, which must then be arrays."""
    return getattr(observer, "reads_rows", True)


def begin_observer(observer: Observer, stream: Stream, n_rows: int | None) -> None:
    """Call `begin` for a stream, and tell the observer the columns of the stream if it wants to know them."""
    observer.begin(stream.names, n_rows)
    if hasattr(observer, "set_columns"):
        observer.set_columns(InputColumns(stream))


def set_answers(observers: Sequence[Observer], answers: Callable[[Floats], Ints] | None) -> None:
    """Tell the observers that want to know what the run answers to probabilities."""
    for observer in observers:
        if hasattr(observer, "set_answers"):
            observer.set_answers(answers)


def cut(steps: Iterable[Step], observers: Sequence[Observer]) -> Iterator[Step]:
    """Yield the steps, cut where an observer looks at the learner."""
    for step in steps:
        start, n = 0, len(step.X)
        while start < n:
            rest = step.part(start, n)
            stop = start + min(_n_until(rest, observer.n_until_next) for observer in observers)
            yield step.part(start, stop)
            start = stop


def _n_until(step: Step, n_learned: int) -> int:
    """Return how many rows of a step there are up to the one learned as number `n_learned`, or all rows."""
    if step.codes is None or step.learned is False:
        return len(step.X)
    if step.learned is True:
        return min(n_learned, len(step.X))
    return min(int(np.searchsorted(np.cumsum(step.learned), n_learned)) + 1, len(step.X))
