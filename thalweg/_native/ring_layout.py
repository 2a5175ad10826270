"""The arrays of a ring of rows (ring.pxd): how they are declared, checked, read and made longer or shorter.

`span` has the place of the oldest row and the number of rows; those that came later follow it, and after the
last place comes the first. The age of the oldest row is 0.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from thalweg._types import AnyArray, Arrays, Ints

from .layout import FLOAT, INDEX, MOST_VALUE, MOST_WEIGHT, Array, Layout, new_array, require

ROWS = ("X", "y", "w")


def ring_layout(**bounds: Any) -> Layout:
    """Return the declarations of a ring's arrays; `bounds` are those of `row_layout`."""
    return {"span": Array(INDEX, 2, low=0)} | row_layout(**bounds)


def row_layout(
    most_value: float = MOST_VALUE, least_weight: float = 0.0, most_weight: float = MOST_WEIGHT,
    missing: bool = True,
) -> Layout:
    """Return the declarations of rows, labels and weights; their places are the axis "row"."""
    return {
        "X": Array(FLOAT, "row", "input", low=-most_value, high=most_value, missing=missing),
        "y": Array(INDEX, "row", low=0, high="class"),
        "w": Array(FLOAT, "row", low=least_weight, high=most_weight),
    }


def check_ring(arrays: Arrays, who: str, slides: bool = False) -> None:
    """Raise StateError if `span` leads out of the ring.

    Unless it `slides`, a ring drops rows only when it is full: until then the oldest is at the first place.
    """
    first, count = arrays["span"].tolist()
    room = len(arrays["y"])
    good = first < room and count <= room and (slides or first == 0 or count == room)
    require(good, who, "span", f"says that {count} rows are held, of at most {room}, the oldest at {first}")


def places(arrays: Arrays) -> Ints:
    """Return where the rows are, the oldest first."""
    first, count = arrays["span"].tolist()
    return np.arange(first, first + count) % len(arrays["y"])


def selected(arrays: Arrays, ages: slice | AnyArray, room: int, names: Iterable[str] = ROWS) -> Arrays:
    """Return new arrays of a ring with `room` places that holds the rows of these ages, in order.

    `names` are the arrays whose first axis is the place.
    """
    held = places(arrays)[ages]
    new = {"span": new_array(2, INDEX)}
    new["span"][1] = len(held)
    for name in names:
        old = arrays[name]
        new[name] = new_array((room, *old.shape[1:]), old.dtype)
        new[name][: len(held)] = old[held]
    return new
