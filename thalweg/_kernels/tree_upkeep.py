"""What a tree does to its arrays now and then, in NumPy: sharing out memory, growing, removing dead nodes.

Nothing is changed in place: functions return new arrays for the kernel to adopt, so that one that fails or is
interrupted leaves the tree as it was.
"""

import numpy as np

from thalweg._kernels import layout as layouts
from thalweg._kernels.tree_codes import (
    DEAD,
    DEAD_NODES,
    FREE_SLOTS,
    FREE_WINDOWS,
    INACTIVE,
    INACTIVE_LEAVES,
    LEAF,
    MORE_CATEGORIES,
    MORE_NODES,
    MORE_SLOTS,
    MORE_WINDOWS,
    NODES,
    RANK,
    ROOT,
    SLOTS,
    WINDOWS,
)
from thalweg.errors import ParameterError

AXES = {MORE_NODES: "node", MORE_SLOTS: "slot", MORE_WINDOWS: "window"}

POOLS = (("slot", "free", SLOTS, FREE_SLOTS), ("window", "free_windows", WINDOWS, FREE_WINDOWS))
"""Axis, also the nodes' array of positions on it; list of the free positions; their counts in `size`."""


def limits(layout, arrays, most_bytes, who):
    """Return how many nodes and slots there may be: a third of the bytes is for nodes and their windows."""
    row, slot, window = (bytes_of_row(layout, arrays, axis) for axis in ("node", "slot", "window"))
    n_classes = arrays["weight"].shape[1]
    fixed = [name for name, array in layout.items() if array.axes[0] not in ("node", "slot", "window")]
    spare = most_bytes - sum(arrays[name].nbytes for name in fixed)
    if spare < 3 * (row + window) + (n_classes + 1) * slot:
        least = most_bytes - spare + 3 * (row + window) + (n_classes + 1) * slot
        raise ParameterError(f"{who}: max_bytes must be at least {least}, got {most_bytes}")
    n_slots = max(spare * 2 // 3 // slot, n_classes + 1)
    return (spare - n_slots * slot) // (row + window), n_slots


def changed(layout, arrays, what, a, b):
    """Return the new arrays for a change that a kernel asks for; `a` and `b` are numbers the change needs."""
    if what in AXES:
        return layouts.resized(layout, arrays, AXES[what], a)
    if what == MORE_CATEGORIES:
        return with_category(arrays, a, b)
    return ranked(arrays, a) if what == RANK else swept(layout, arrays)


def bytes_of_row(layout, arrays, axis):
    """Return the bytes of a node, a slot or a window."""
    return sum(arrays[name][:1].nbytes for name, array in layout.items() if array.axes[0] == axis)


def with_category(arrays, c, code):
    """Return counts and offsets with room for a new category of input c: twice as much, or more."""
    offset, counts = arrays["offset"].copy(), arrays["counts"]
    end = offset[c + 1]
    room = end - offset[c]
    extra = max(2 * room, code + 1) - room
    wider = layouts.new_array((len(counts), counts.shape[1] + extra), counts.dtype)
    wider[:, :end] = counts[:, :end]
    wider[:, end + extra :] = counts[:, end:]
    offset[c + 1 :] += extra
    return {"counts": wider, "offset": offset}


def ranked(arrays, most_slots):
    """Activate the most promising leaves that nine tenths of the slots can serve; deactivate the others."""
    size, feature, slot, free = (_copied(arrays[name]) for name in ("size", "feature", "slot", "free"))
    leaves = np.flatnonzero(np.isin(feature[: size[NODES]], (LEAF, INACTIVE)))
    weight = arrays["weight"][leaves]
    promise = weight.sum(axis=1) - weight.max(axis=1)
    best = np.argsort(-promise, kind="stable")
    order = leaves[best]
    need = np.cumsum(np.maximum((weight[best] > 0).sum(axis=1), 1))
    active = need <= max(int(0.9 * most_slots), need[0])
    others = order[~active]
    given = slot[others][slot[others] >= 0]
    free[size[FREE_SLOTS] : size[FREE_SLOTS] + len(given)] = given
    slot[others] = -1
    feature[order] = np.where(active, LEAF, INACTIVE)
    size[FREE_SLOTS] += len(given)
    size[INACTIVE_LEAVES] = len(others)
    return {"size": size, "feature": feature, "slot": slot, "free": free}


def swept(layout, arrays):
    """Return the arrays without dead nodes and free slots and windows, and with an eighth more in reserve."""
    size = arrays["size"].copy()
    living = np.flatnonzero(arrays["feature"][: size[NODES]] != DEAD)
    new, place = _kept(layout, arrays, "node", living, size[NODES])
    for link in ("child", "usual", "parent", "alternate"):
        if link in new:
            new[link][: len(living)] = place[new[link][: len(living)]]
    size[NODES], size[DEAD_NODES], size[ROOT] = len(living), 0, place[size[ROOT]]
    for axis, free_list, used, free in POOLS:
        if axis in new:
            held = np.unique(new[axis][: len(living)])
            held = held[held >= 0]
            kept, place = _kept(layout, arrays, axis, held, size[used])
            kept[free_list][:] = 0
            new |= kept
            new[axis][: len(living)] = place[new[axis][: len(living)]]
            size[used], size[free] = len(held), 0
    return new | {"size": size}


def _kept(layout, arrays, axis, rows, used):
    # These rows of the arrays of an axis, and the new position of each row; -1 stays -1.
    new, n = {}, len(rows)
    for name, array in layout.items():
        if array.axes[0] == axis:
            new[name] = layouts.new_array((n + n // 8 + 1, *arrays[name].shape[1:]), array.dtype, array.fill)
            new[name][:n] = arrays[name][rows]
    place = np.full(used + 1, -1, dtype=np.int32)
    place[rows] = np.arange(n)
    return new, place


def _copied(array):
    new = layouts.new_array(array.shape, array.dtype)
    new[...] = array
    return new
