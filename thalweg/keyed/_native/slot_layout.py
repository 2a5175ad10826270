"""Where the arrays of a kernel lie in a slot: one piece of memory that holds all of them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._native.layout import new_aligned
from thalweg._types import AnyArray, Arrays

LINE = 64  # bytes of a cache line: slots and long arrays begin with one
LONG = 512  # bytes of a long array


def slot_places(arrays: Arrays) -> tuple[dict[str, int], int]:
    """Return where each array begins, in bytes, and the size of the slot; the largest come first."""
    places, place = {}, 0
    for name, array in sorted(arrays.items(), key=lambda item: -item[1].nbytes):
        place = _rounded(place, LINE if array.nbytes >= LONG else 8)
        places[name] = place
        place += array.nbytes
    return places, max(_rounded(place, LINE), LINE)


def new_slot(size: int) -> NDArray[np.uint8]:
    """Return zeroed memory that begins with a cache line."""
    return new_aligned(size // 8).view(np.uint8)


def arrays_in(memory: NDArray[np.uint8], places: dict[str, int], like: Arrays) -> Arrays:
    """Return arrays of the shapes and types of `like` that share the memory of a slot.

    `memory` has the bytes of a slot along its last axis; the arrays get the axes before it, too. An array
    without numbers needs no memory, and stays where it is.
    """
    found, outer = {}, memory.shape[:-1]
    for name, array in like.items():
        if array.nbytes:
            part = memory[..., places[name] : places[name] + array.nbytes].view(array.dtype)
            found[name] = _in_shape(part, array.shape)
        else:
            found[name] = np.empty((*outer, *array.shape), array.dtype) if outer else array
    return found


def _in_shape(part: AnyArray, shape: tuple[int, ...]) -> AnyArray:
    # A view with `shape` instead of the last axis; `reshape` might copy.
    strides: list[int] = []
    step = part.itemsize
    for n in reversed(shape):
        strides.insert(0, step)
        step *= n
    found: NDArray[Any] = np.lib.stride_tricks.as_strided(
        part, (*part.shape[:-1], *shape), (*part.strides[:-1], *strides)
    )
    return found


def _rounded(place: int, unit: int) -> int:
    return -(-place // unit) * unit
