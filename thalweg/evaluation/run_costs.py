"""What wrong answers cost in a run: by the costs given to the protocol, or those of the learner."""

from typing import Any

from thalweg._types import Floats
from thalweg.errors import ParameterError
from thalweg.streams.base import Stream
from thalweg.trust.costs import cost_matrix


class RunCosts:
    """The costs of a run, as a matrix for the classes that have come so far."""

    def __init__(self, costs: Any, stream: Stream, who: str) -> None:
        self._given, self._stream, self._who = costs, stream, who
        self._found: Floats | None = None
        if stream.is_open and not isinstance(costs, dict):
            problem = "must be a dict by labels: the classes of this stream are found as they come"
            raise ParameterError.of(who, "costs", problem=problem)
        self.of(list(stream.first_classes))

    def of(self, classes: list[Any]) -> Floats:
        """Return the matrix for these classes, [true class, answer]."""
        is_open = self._stream.is_open or self._stream.more_classes
        return cost_matrix(self._who, self._given, classes, more_classes=is_open)

    def so_far(self, n_classes: int) -> Floats:
        """Return the matrix for the first so many classes, in the order of their codes."""
        if self._found is None or len(self._found) != n_classes:
            classes = self._stream.classes if self._stream.is_open else self._stream.first_classes
            self._found = self.of(list(classes)[:n_classes])
        return self._found


def run_costs(costs: Any, learner: Any, stream: Stream, who: str) -> RunCosts | None:
    """Return the costs of a run; if none are given, those that the learner answers by, if it has any."""
    found, inner = costs, learner
    while found is None and inner is not None:
        found, inner = getattr(inner, "costs", None), getattr(inner, "learner", None)
    return None if found is None else RunCosts(found, stream, who)
