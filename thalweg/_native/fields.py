"""Declarations of structs of numbers that are laid over one array: their fields are checked by name."""

from collections.abc import Sequence

import numpy as np

from thalweg._types import AnyArray, Floats
from thalweg.errors import StateError

from . import layout

MOST_COUNTED = 2.0**52  # losses or rows; further ones would not change the count


class Field:
    """One number of a struct: its name and the values it may have.

    It lies between `low` and `high` or is one of `others`, and is finite; `whole` if it counts or is a
    position. A `setting` follows from the parameters: a saved one must be the same.
    """

    __slots__ = ("high", "low", "name", "others", "setting", "whole")

    def __init__(
        self, name: str, low: float | None = None, high: float | None = None, whole: bool = False,
        others: tuple[float, ...] = (), setting: bool = False,
    ) -> None:
        self.name, self.low, self.high = name, low, high
        self.whole, self.others, self.setting = whole, others, setting

    def check(self, value: float, who: str) -> None:
        """Raise StateError unless the field may have this value."""
        if value in self.others:
            return
        low, high = -np.inf if self.low is None else self.low, np.inf if self.high is None else self.high
        if not (np.isfinite(value) and low <= value <= high):
            raise StateError(f"{who}: the state's {self.name!r} is {value}, not between {low} and {high}")
        if self.whole and value != int(value):
            raise StateError(f"{who}: the state's {self.name!r} is {value}, not a whole number")


def setting(name: str) -> Field:
    """Return the field of a number that follows from the parameters."""
    return Field(name, setting=True)


def counter(name: str, high: float = MOST_COUNTED) -> Field:
    """Return the field of a whole number from 0 to `high`."""
    return Field(name, 0, high, whole=True)


def checked_memory(given: object, expected: Floats, n_before: int, who: str) -> Floats:
    """Return a copy of saved memory, an array shaped as `expected`; raise StateError if it does not fit.

    From `n_before` on its numbers are checked here; those before are fields.
    """
    if not isinstance(given, np.ndarray) or given.dtype != np.float64 or given.shape != expected.shape:
        kind = f"{given.dtype} {given.shape}" if isinstance(given, np.ndarray) else type(given).__name__
        raise StateError(f"{who}: the state's memory must be {expected.shape} numbers of float64, got {kind}")
    memory = layout.new_array(given.shape, given.dtype)
    memory[...] = given
    if not np.isfinite(memory[n_before:]).all():
        raise StateError(f"{who}: the state's memory holds a number that is not finite")
    return memory


def checked_fields(
    fields: Sequence[Field], values: AnyArray, expected: AnyArray, who: str
) -> dict[str, float]:
    """Return the values by name; raise StateError naming the one that its field cannot have.

    `expected` are the values of a fresh struct with the same settings.
    """
    found = dict(zip((field.name for field in fields), values.tolist(), strict=True))
    for field, fresh in zip(fields, expected.tolist(), strict=True):
        value = found[field.name]
        if not field.setting:
            field.check(value, who)
        elif value != fresh:
            raise StateError(f"{who}: the state's {field.name!r} is {value}, its parameters say {fresh}")
    return found


def require(good: bool, who: str, what: str) -> None:
    """Raise StateError saying `what` is wrong unless `good`."""
    if not good:
        raise StateError(f"{who}: in the state {what}")
