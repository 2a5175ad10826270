"""Random damage to saved states, to test that they are rejected or harmless."""

import copy
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thalweg._types import State

NUMBERS = (np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0, 1e300, -1e300, 1e-320, 0.5, 3.0)
HUGE = (10**9, 2**31, 2**63, 10**30, -1, -(2**31), -(10**30))
Path: TypeAlias = tuple[Any, ...]
INTEGERS = (-1, 0, 1, 2, 7, -(2**31), 2**31 - 1, 2**62, -(2**62), *HUGE)


def mutated(state: dict[str, Any], rng: np.random.Generator) -> tuple[str, State]:
    """Return a description of a random change, and a copy of `state` with that change.

    What the parts of a list have in common is chosen as often as what exists once: in an ensemble of many
    members, most changes would else be in a member.
    """
    state = copy.deepcopy(state)
    alike: dict[Path, list[Path]] = {}
    for path in _places(state, ()):
        alike.setdefault(tuple(step for step in path if isinstance(step, str)), []).append(path)
    groups = list(alike.values())
    weights = np.array([4.0 if isinstance(_at(state, paths[0]), np.ndarray) else 1.0 for paths in groups])
    paths = groups[rng.choice(len(groups), p=weights / weights.sum())]
    path = paths[rng.integers(len(paths))]
    value = _at(state, path)
    change, what = _change(value, rng)
    _at(state, path[:-1])[path[-1]] = change
    return f"{'.'.join(map(str, path))}: {what}", state


def n_values(state: dict[str, Any]) -> int:
    """Return the number of arrays and other values that `mutated` can change."""
    return sum(1 for _ in _places(state, ()))


def with_huge_integers(state: dict[str, Any]) -> Iterator[tuple[str, State]]:
    """Yield copies of `state` with a huge or negative integer in a place of a whole number, and what it was.

    Of an array, the first and the last place are changed; of the parts of a list, only the first.
    """
    for path in _places(state, ()):
        value = _at(state, path)
        is_array = isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.size > 0
        if any(isinstance(step, int) and step > 0 for step in path) or not (is_array or type(value) is int):
            continue
        for huge in HUGE:
            for place in sorted({0, value.size - 1}) if is_array else [None]:
                damaged = copy.deepcopy(state)
                holder = _at(damaged, path[:-1])
                if place is None:
                    holder[path[-1]] = huge
                else:
                    holder[path[-1]].flat[place] = _within(huge, value)
                yield f"{'.'.join(map(str, path))}: {huge} at {place}", damaged


def _within(integer: int, array: NDArray[Any]) -> int:
    # The integer nearest to it that the array can hold.
    bounds = np.iinfo(array.dtype)
    return min(max(integer, int(bounds.min)), int(bounds.max))


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
    others: list[Any] = [None, 0, 1, *HUGE, np.nan, "x", [], {}, np.zeros(3), np.full(3, 10**9), True, 0.5]
    other = others[rng.integers(len(others))]
    return other, f"{value!r} became {other!r}"[:200]


def _changed_array(array: NDArray[Any], rng: np.random.Generator) -> tuple[Any, str]:
    ways = [_one_value, _one_value, _one_value, _all_values, _other_shape, _other_type, _swapped, _gone]
    way = ways[rng.integers(len(ways))]
    return way(array.copy(), rng)


def _unusual(array: NDArray[Any], rng: np.random.Generator) -> float:
    if array.dtype.kind == "f":
        return NUMBERS[rng.integers(len(NUMBERS))]
    return _within(INTEGERS[rng.integers(len(INTEGERS))], array)


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
