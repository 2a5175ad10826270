"""Detectors that are not a `Detector`: any object with `update(loss)` and `reset()`."""

import copy
from typing import Any, Self

from thalweg._parameters import wrong
from thalweg._types import State
from thalweg.drift.base import Detector
from thalweg.errors import StateError


def as_detector(owner: object, name: str, value: Any) -> Detector:
    """Return a detector as it is, or any object with `update(loss)` and `reset()` as a Detector.

    `owner` and `name` are those of the parameter, for messages.
    """
    if isinstance(value, Detector):
        return value
    if isinstance(value, type):
        raise wrong(owner, name, f"an instance, {value.__name__}(…)", value)
    if not _is_detector(value):
        raise wrong(owner, name, "a detector such as DDM(), with update(loss) and reset()", value)
    return ForeignDetector(value)


def _is_detector(value: Any) -> bool:
    return callable(getattr(value, "update", None)) and callable(getattr(value, "reset", None))


class ForeignDetector(Detector):
    """Any object with `update(loss) -> bool` and `reset()`, and perhaps `warning`.

    What it remembers after an alarm is its own affair; most reset themselves. Clones hold a copy of it that
    is reset; copies and pickles hold a copy as it is.

    Parameters
    ----------
    detector : object
        The object.
    """

    can_be_saved = False

    def __init__(self, detector: Any = None) -> None:
        self.detector = detector

    def update(self, loss: float) -> bool:
        """Process one loss; return whether it gives an alarm."""
        return bool(self.detector.update(loss))

    def reset(self) -> None:
        """Forget all losses."""
        self.detector.reset()

    @property
    def warning(self) -> bool:
        """Whether the last loss gave a warning; always False if the object has no such attribute."""
        return bool(getattr(self.detector, "warning", False))

    def __sklearn_clone__(self) -> Self:
        fresh = type(self)(copy.deepcopy(self.detector))
        fresh.reset()
        return fresh

    def _restore(self, memory: dict[str, Any]) -> None:
        if memory or not _is_detector(self.detector):
            raise StateError("the state must have an object with update(loss) and reset(), and nothing else")

    def _state(self) -> State:
        return {}
