"""What all parts of a LiveWatch share: their state is their attributes."""

import copy
from typing import Any, Self

import numpy as np

from thalweg._native.layout import MOST_COUNTED
from thalweg._stateful import check_alike
from thalweg._types import State
from thalweg.errors import StateError


class Part:
    """Something that is watched; its attributes are arrays, numbers, text, and lists and dicts of them.

    Arrays keep their shapes, except that those in `_grows` may be longer. Whole numbers are counts.
    """

    _grows: frozenset[str] = frozenset()

    def state(self) -> State:
        """Return a copy of the attributes."""
        return copy.deepcopy(vars(self))

    def restore(self, state: Any) -> Self:
        """Go on from what `state` returned; raise StateError, and change nothing, if it does not fit."""
        fresh = vars(self)
        if not isinstance(state, dict):
            raise StateError(f"the state of {type(self).__name__} must be a dict")
        check_alike(state, fresh, type(self).__name__)
        for name, value in fresh.items():
            if isinstance(value, dict) and _shapes(value) != _shapes(state[name]):
                raise StateError(f"{type(self).__name__}: {name} has arrays of other shapes")
            first = 1 if name in self._grows else 0
            if isinstance(value, np.ndarray) and value.shape[first:] != state[name].shape[first:]:
                was, wanted = state[name].shape, value.shape
                raise StateError(f"{type(self).__name__}: {name} has the shape {was}, not {wanted}")
            if type(value) is int and not 0 <= state[name] <= MOST_COUNTED:
                raise StateError(f"{type(self).__name__}: {name} is no count: {state[name]}")
        self.__dict__ = copy.deepcopy(state)
        return self


def _shapes(parts: dict[str, Any]) -> dict[str, Any]:
    return {name: getattr(part, "shape", None) for name, part in parts.items()}
