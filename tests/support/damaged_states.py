"""Damage to decoded states, drawn at random: numbers, lengths, types, keys, and containers inside.

What is packed again afterwards has right checksums, so that only what reads the values can refuse it.
"""

import copy

import numpy as np

from thalweg.checks.mutate import INTEGERS, NUMBERS
from thalweg.saving.container import MAGIC, pack, unpack
from thalweg.saving.plain import from_json, to_json

OTHERS = (None, True, False, 0, 1, -1, 2**31, 2**63, -(10**30), 0.5, np.nan, np.inf, "", "x", "é\0\x1b[2J",
          b"\xff", [], {}, (), [[]], {"a": 1}, np.zeros(3), np.full(3, 10**9), np.zeros((0, 2)),
          np.array("2020", "M8[D]"), np.array(["a", None], dtype=object))  # fmt: skip
TYPES = ("<f4", "<i8", "<i4", "|i1", "<u8", "<U5", "<c16", "<f8", "|b1", "|O", "<M8[s]", "|S2")
SEVERAL = 0.35  # share of states that are damaged in more than one place
DEEPER = 0.4  # share of changes of a container that are made to its parts


def unpacked(data):
    """Return the content of the bytes of a model file, a record or a state."""
    description, arrays = unpack(data)
    return from_json(description["content"], arrays)


def packed(content):
    """Return content as bytes with a right checksum; raise TypeError if it has a value that has no form."""
    arrays = []
    return pack({"content": to_json(content, arrays)}, arrays)


class DamagedStates:
    """Draws damaged copies of a state, which is plain data.

    Parts whose paths differ only in places of lists are drawn as often as one of them alone. Half of the
    draws are of parts below one of the names in `often`, if there are any.
    """

    def __init__(self, state, often=()):
        self.state = state
        groups = {}
        for path in _paths(state, ()):
            groups.setdefault(tuple(step for step in path if type(step) is str), []).append(path)
        self._groups = list(groups.values())
        are_arrays = (isinstance(_at(state, paths[0]), np.ndarray) for paths in self._groups)
        weights = np.array([4.0 if is_array else 1.0 for is_array in are_arrays])
        chosen = np.array([any(name in paths[0] for name in often) for paths in self._groups])
        if chosen.any() and not chosen.all():
            weights[chosen] *= weights[~chosen].sum() / weights[chosen].sum()
        self._edges = np.cumsum(weights / weights.sum())

    def draw(self, rng):
        """Return what was changed, as text if it is asked for, and a copy of the state with the changes."""
        state, said = copied(self.state), Changes()
        for _ in range(int(rng.integers(2, 5)) if rng.random() < SEVERAL else 1):
            paths = self._groups[min(int(np.searchsorted(self._edges, rng.random())), len(self._groups) - 1)]
            path = paths[rng.integers(len(paths))]
            if rng.random() < 0.08 and len(path) > 1:
                path = path[:-1]
            try:
                holder, value = _at(state, path[:-1]), _at(state, path)
                holder[path[-1]] = new = changed(value, rng)
            except (LookupError, TypeError):
                continue  # an earlier change has removed it
            said.append((path, copied(value), new))
        return said, state


class Changes(list):
    """Paths, old and new values; writing them takes longer than changing them."""

    def __str__(self):
        each = (f"{'.'.join(map(str, path))}: {_short(old)} became {_short(new)}" for path, old, new in self)
        return "; ".join(each) or "nothing"


def changed(value, rng):
    """Return what a value became."""
    if isinstance(value, np.ndarray):
        return _changed_array(value, rng)
    if isinstance(value, bool) or value is None or rng.random() < 0.15:
        return copy.deepcopy(OTHERS[rng.integers(len(OTHERS))])
    if isinstance(value, int):
        return _near(value, rng)
    if isinstance(value, float):
        return NUMBERS[rng.integers(len(NUMBERS))] if rng.random() < 0.7 else int(_near(1, rng))
    if isinstance(value, str):
        ways = "", value + "x", value[:-1], value * 1000, value.upper(), value + "\0", "NaiveBayes", "Model"
        return ways[rng.integers(len(ways))]
    if isinstance(value, bytes):
        return _changed_bytes(value, rng)
    if isinstance(value, dict):
        return _changed_dict(value, rng)
    if isinstance(value, list | tuple):
        return type(value)(_changed_list(list(value), rng))
    return copy.deepcopy(OTHERS[rng.integers(len(OTHERS))])


def copied(value):
    """Return a copy of plain data; much quicker than copy.deepcopy."""
    if isinstance(value, dict):
        return {key: copied(part) for key, part in value.items()}
    if isinstance(value, list):
        return [copied(part) for part in value]
    return value.copy() if isinstance(value, np.ndarray) else value


def _paths(value, path):
    # The paths of all values that are not dicts or lists, also of those inside, and of empty ones.
    if isinstance(value, dict) and value:
        for key, part in value.items():
            yield from _paths(part, (*path, key))
    elif isinstance(value, list) and value:
        for i, part in enumerate(value):
            yield from _paths(part, (*path, i))
    else:
        yield path


def _at(state, path):
    for step in path:
        state = state[step]
    return state


def _short(value):
    text = " ".join(repr(value).split())
    if isinstance(value, np.ndarray):
        text = f"{value.dtype}{list(value.shape)} {text}"
    return text if len(text) <= 120 else f"{text[:117]}..."


def _near(value, rng):
    ways = value + 1, value - 1, -value, 2 * value + 1, value + int(rng.integers(1, 5000)), float(value)
    return ways[rng.integers(len(ways))] if rng.random() < 0.6 else INTEGERS[rng.integers(len(INTEGERS))]


def _changed_bytes(data, rng):
    if data.startswith(MAGIC):
        try:
            return packed(DamagedStates({"content": unpacked(data)}).draw(rng)[1]["content"])
        except (LookupError, TypeError, ValueError):
            return data[:-1]
    found = bytearray(data)
    for _ in range(rng.integers(1, 4)):
        if found:
            found[rng.integers(len(found))] = rng.integers(256)
    ways = bytes(found), bytes(found), data[:-1], data + data[-8:], b""
    return ways[rng.integers(len(ways))]


def _changed_dict(value, rng):
    found, keys = dict(value), list(value)
    way = rng.integers(4)
    if not keys or way == 0:
        return found | {"more": 1}
    one, other = (keys[rng.integers(len(keys))] for _ in range(2))
    if way == 1:
        del found[one]
    elif way == 2:
        found[one], found[other] = found[other], found[one]
    else:
        found = {(0 if key == one else key): part for key, part in found.items()}
    return found


def _changed_list(value, rng):
    if not value:
        return [copy.deepcopy(OTHERS[rng.integers(len(OTHERS))])]
    i, j = (int(rng.integers(len(value))) for _ in range(2))
    ways = value[:-1], [*value, copied(value[i])], value[1:], [*value[:i], *value[i + 1 :]], value[::-1], []
    if rng.random() < 0.3:
        value[i], value[j] = value[j], value[i]
        return value
    return ways[rng.integers(len(ways))]


def _changed_array(array, rng):
    array = array.copy()
    draw = rng.random()
    if array.dtype.kind in "fiub" and array.size and draw < 0.65:
        return _other_values(array, rng)
    if draw < 0.85:
        return _other_shape(array, rng)
    if draw < 0.95:
        with np.errstate(all="ignore"):
            try:
                return array.astype(TYPES[rng.integers(len(TYPES))])
            except (RuntimeError, TypeError, ValueError):  # NumPy writes no date as a text of 5 characters
                return array.ravel()[:0]
    return copy.deepcopy(OTHERS[rng.integers(len(OTHERS))])


def _other_values(array, rng):
    flat, n = array.reshape(-1), array.size
    way, i, j = rng.random(), int(rng.integers(n)), int(rng.integers(n))
    if way < 0.55:
        flat[i] = _unusual(array, rng, flat[i])
    elif way < 0.65:
        flat[...] = _unusual(array, rng, flat[i])
    elif way < 0.75:
        flat[i], flat[j] = flat[j], flat[i]
    elif way < 0.82:
        rng.shuffle(flat)
    elif way < 0.9:
        flat[min(i, j) : max(i, j) + 1] = _unusual(array, rng, flat[i])
    elif way < 0.95 and array.dtype.kind in "iu":
        with np.errstate(all="ignore"):
            flat += array.dtype.type(rng.integers(1, 100))
    else:
        part = flat[i : i + 1].view(np.uint8)
        part[...] = np.frombuffer(rng.bytes(part.size), np.uint8)
        if array.dtype.kind == "b":
            part &= 1
    return array


def _unusual(array, rng, old):
    """Return a number that an array can hold: at a border of its type or values, or near an old one."""
    if array.dtype.kind == "b":
        return not old
    if array.dtype.kind == "f":
        small = array.dtype.itemsize < 8
        number = NUMBERS[rng.integers(len(NUMBERS))]
        if rng.random() < 0.2:
            number = float(old) + rng.choice([-1, 1, 1e-9])
        return np.clip(number, -3e38, 3e38) if small else number
    most = int(array.max())
    near = int(old) + 1, int(old) - 1, most + 1, most + int(rng.integers(1, 5000)), array.size, 2 * most + 1
    number = near[rng.integers(len(near))] if rng.random() < 0.6 else INTEGERS[rng.integers(len(INTEGERS))]
    bounds = np.iinfo(array.dtype)
    return min(max(number, int(bounds.min)), int(bounds.max))


def _other_shape(array, rng):
    whole = array if array.ndim else array.reshape(1)
    last = whole[-1:]
    ways = (whole[:-1], whole[1:], whole[:0], np.concatenate([whole, last]), np.concatenate([last, whole]),
            np.concatenate([whole, whole]), whole[..., None], whole.ravel(), whole.ravel()[:1],
            whole.T.copy(), whole[::-1].copy(), np.tile(whole, 40)[:1000], whole.reshape(1, -1))  # fmt: skip
    return ways[rng.integers(len(ways))]
