"""Conversion of learners to nested dicts of arrays, numbers and strings, and back."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._category_codes import CategoryCodes
from thalweg._frames import plain_table
from thalweg._stateful import PACKAGES, class_named
from thalweg._types import Floats
from thalweg.drift.foreign import ForeignDetector
from thalweg.errors import StateError, short_repr

BIT_GENERATORS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")


def to_plain(value: Any) -> Any:
    """Return a copy of `value` that consists of dicts, lists, tuples, arrays, numbers, strings and None."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list | tuple):
        return type(value)(to_plain(part) for part in value)
    if isinstance(value, range):
        return list(value)
    if isinstance(value, dict):
        return {key: to_plain(part) for key, part in value.items()}
    if isinstance(value, np.random.Generator):
        return {"numpy.Generator": to_plain(value.bit_generator.state)}
    if isinstance(value, np.random.RandomState):
        return {"numpy.RandomState": to_plain(value.get_state(legacy=False))}
    if hasattr(value, "state") and hasattr(value, "restore"):
        return value.state()
    if hasattr(value, "update") and hasattr(value, "reset"):
        return ForeignDetector(value).state()
    if (plain := plain_table(value)) is not value:  # costs, as a frame or another mapping than a dict
        return to_plain(plain)
    raise TypeError(f"cannot save a value of type {type(value).__name__}: {value!r}")


def from_plain(value: Any) -> Any:
    """Return the value that `to_plain` converted; raise StateError for one that it does not return."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, list | tuple):
        return type(value)(from_plain(part) for part in value)
    if isinstance(value, bytes):  # a model file can hold them
        raise StateError(f"a state holds no value of type {type(value).__name__}: {short_repr(value)}")
    if not isinstance(value, dict):
        return value  # a number, a text, or in a pickle a model of another library
    if "numpy.Generator" in value:
        return np.random.Generator(_bit_generator(value["numpy.Generator"]))
    if "numpy.RandomState" in value:
        return np.random.RandomState(_bit_generator(value["numpy.RandomState"]))
    for kind in PACKAGES:
        if "format" in value and kind in value:
            return class_named(value[kind], kind)().restore(value)
    return {key: from_plain(part) for key, part in value.items()}


def _bit_generator(state: Any) -> Any:
    name = state["bit_generator"]
    if name not in BIT_GENERATORS:
        raise StateError(f"a state may hold a generator of {', '.join(BIT_GENERATORS)}, not {name!r}")
    bits = getattr(np.random, name)()
    bits.state = state
    return bits


def array_of(state: dict[str, Any], name: str, n_axes: int, length: int | None = None) -> NDArray[Any]:
    """Return an array of a state; raise StateError unless it has `n_axes` axes and is finite."""
    array = state[name]
    if not isinstance(array, np.ndarray) or array.ndim != n_axes or array.dtype.kind not in "iuf":
        raise StateError(f"the state's {name!r} must be an array of numbers with {n_axes} axis")
    if length is not None and len(array) != length:
        raise StateError(f"the state's {name!r} has {len(array)} numbers, expected {length}")
    if not np.isfinite(array).all():
        raise StateError(f"the state's {name!r} holds a number that is not finite")
    return array


def names_of(state: dict[str, Any], name: str, n_features: int) -> list[str | int]:
    """Return the names of inputs in a state; raise StateError if they are not valid."""
    names = state[name]
    if not isinstance(names, list) or len(names) > n_features:
        raise StateError(f"the state's {name!r} must be a list of at most {n_features} names, got {names!r}")
    if not all(isinstance(each, str | int) for each in names):
        raise StateError(f"the state's {name!r} must hold strings or integers, got {names!r}")
    return names


def texts_of(state: dict[str, Any], names: list[Any]) -> dict[Any, CategoryCodes]:
    """Return the codes of the categories of inputs that are text; raise StateError if they are not valid."""
    found = {}
    for place, texts in state.get("texts", ()):
        if type(place) is not int or not 0 <= place < len(names):
            raise StateError(f"the state's 'texts' name input {place!r} of {len(names)}")
        if not all(isinstance(text, str) for text in texts) or len(set(texts)) < len(texts):
            raise StateError("the state's 'texts' must hold different strings")
        found[names[place]] = CategoryCodes(texts)
    return found


def bytes_of(state: dict[str, Any]) -> int | None:
    """Return the limit on the memory of a learner in a state, None if it has none."""
    most = state.get("most_bytes")
    if most is not None and (type(most) is not int or most < 0):
        raise StateError(f"the state's 'most_bytes' must be a whole number, got {most!r}")
    return most


def means_of(state: dict[str, Any], n_features: int) -> tuple[Floats, Floats]:
    """Return copies of the running means of the inputs and of their counts."""
    mean, count = (array_of(state, name, 1, n_features).astype(np.float64) for name in ("mean", "count"))
    if (count < 0).any():
        raise StateError("the state's 'count' holds a negative number")
    return mean, count
