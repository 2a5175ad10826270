"""Random damage to saved states, to test that they are rejected or harmless."""

import copy
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thalweg._types import State

NUMBERS = (np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0, 1e300, -1e300, 1e-320, 0.5, 3.0)
Path: TypeAlias = tuple[Any, ...]
INTEGERS = (-1, 0, 1, 2, 7, -(2**31), 2**31 - 1, 2**62, -(2**62))


def mutated(state: dict[str, Any], rng: np.random.Generator) -> tuple[str, State]:
    """Return a description of a random change, and a copy of `state` with that change."""
    state = copy.deepcopy(state)
    places = list(_places(state, ()))
    weights = np.array([4.0 if isinstance(_at(state, path), np.ndarray) else 1.0 for path in places])
    path = places[rng.choice(len(places), p=weights / weights.sum())]
    value = _at(state, path)
    change, what = _change(value, rng)
    _at(state, path[:-1])[path[-1]] = change
    return f"{'.'.join(map(str, path))}: {what}", state


def _places(value: Any, path: Path) -> Iterator[Path]:
    # The paths to all values that are not dicts, also inside lists.
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _places(part, (*path, key))
    elif isinstance(value, list) and value:
        for i, part in enumerate(value):
            yield from _places(part, (*path, i))
    else:
        yield path


def _at(state: Any, path: Path) -> Any:
    for step in path:
        state = state[step]
    return state


def _change(value: Any, rng: np.random.Generator) -> tuple[Any, str]:
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiu":
        return _changed_array(value, rng)
    others: list[Any] = [None, -1, 0, 1, 10**9, np.nan, "x", [], {}, np.zeros(3), True, 0.5]
    other = others[rng.integers(len(others))]
    return other, f"{value!r} became {other!r}"[:200]


def _changed_array(array: NDArray[Any], rng: np.random.Generator) -> tuple[Any, str]:
    ways = [_one_value, _one_value, _one_value, _all_values, _other_shape, _other_type, _swapped, _gone]
    way = ways[rng.integers(len(ways))]
    return way(array.copy(), rng)


def _unusual(array: NDArray[Any], rng: np.random.Generator) -> float:
    if array.dtype.kind == "f":
        return NUMBERS[rng.integers(len(NUMBERS))]
    bounds = np.iinfo(array.dtype)
    return int(np.clip(INTEGERS[rng.integers(len(INTEGERS))], bounds.min, bounds.max))


def _one_value(array: NDArray[Any], rng: np.random.Generator) -> tuple[Any, str]:
    if array.size == 0:
        return np.ones(3), "an empty array became three ones"
    place = np.unravel_index(rng.integers(array.size), array.shape)
    old, array[place] = array[place], _unusual(array, rng)
    return array, f"{old} at {tuple(map(int, place))} became {array[place]}"


def _all_values(array: NDArray[Any], rng: np.random.Generator) -> tuple[Any, str]:
    array[...] = _unusual(array, rng)
    return array, f"all values became {array.flat[0] if array.size else 'none'}"


def _other_shape(array: NDArray[Any], rng: np.random.Generator) -> tuple[Any, str]:
    shapes = [array[:-1] if array.ndim and len(array) else array.ravel(), array[..., None],
              np.concatenate([array, array]) if array.ndim else array, array.ravel()[:1], array.T.copy()]
    other = shapes[rng.integers(len(shapes))]
    return other, f"shape {array.shape} became {other.shape}"


def _other_type(array: NDArray[Any], rng: np.random.Generator) -> tuple[Any, str]:
    kinds: list[Any] = [np.float32, np.int64, np.int8, np.uint64, object, "U5", complex, np.float64, bool]
    kind = kinds[rng.integers(len(kinds))]
    with np.errstate(all="ignore"):
        return array.astype(kind), f"{array.dtype} became {kind}"


def _swapped(array: NDArray[Any], rng: np.random.Generator) -> tuple[Any, str]:
    rng.shuffle(array.reshape(-1))
    return array, "values were shuffled"


def _gone(array: NDArray[Any], rng: np.random.Generator) -> tuple[Any, str]:
    return None, "an array became None"
