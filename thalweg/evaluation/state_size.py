"""The size of the state of a learner."""

import pickle
import sys
from typing import Any

import numpy as np


def bytes_of(state: Any) -> int:
    """Return the approximate size in bytes of a nested dict or list of arrays, numbers and objects."""
    if isinstance(state, np.ndarray):
        return state.nbytes
    if isinstance(state, dict):
        return sum(bytes_of(value) for value in state.values())
    if isinstance(state, list | tuple):
        return sum(bytes_of(value) for value in state)
    if state is None or isinstance(state, bool | int | float | str | bytes | np.generic):
        return sys.getsizeof(state)
    return _pickled_bytes(state)


def _pickled_bytes(value: Any) -> int:
    """Return the size of an object's pickle: `sys.getsizeof` leaves out what a model refers to."""
    counter = _Counter()
    try:
        pickle.dump(value, counter)
    except Exception:  # whatever the __reduce__ of a foreign object raises
        return sys.getsizeof(value)
    return counter.n_bytes


class _Counter:
    """A file that only counts what is written."""

    def __init__(self) -> None:
        self.n_bytes = 0

    def write(self, data: Any) -> None:
        self.n_bytes += memoryview(data).nbytes
