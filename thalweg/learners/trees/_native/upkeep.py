"""What a tree does to its arrays now and then, in NumPy: sharing out memory, growing, removing dead nodes.

Nothing is changed in place: functions return new arrays for the kernel to adopt, so that one that fails or is
interrupted does not change the tree.
"""


import numpy as np
from numpy.typing import NDArray

from thalweg._native import layout as layouts
from thalweg._native.layout import Layout
from thalweg._types import AnyArray, Arrays, Ints

from .codes import (
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

AXES = {MORE_NODES: "node", MORE_SLOTS: "slot", MORE_WINDOWS: "window"}

POOLS = (("slot", "free", SLOTS, FREE_SLOTS), ("window", "free_windows", WINDOWS, FREE_WINDOWS))
"""Axis, also the nodes' array of positions on it; list of the free positions; their counts in `size`."""


def limits(most_bytes: int, fixed: int, node: int, slot: int, n_classes: int) -> tuple[int, int]:
    """Return how many nodes there may be, for a third of the bytes, and how many bytes there are for slots.

    The other bytes are those of the arrays that do not grow, of a node with its window, and of a slot when
    the tree began: it has to be the same limit once categories that were not announced have made slots
    longer.
    """
    spare = most_bytes - fixed
    n_slots = max(spare * 2 // 3 // slot, n_classes + 1)
    return (spare - n_slots * slot) // node, n_slots * slot


def changed(layout: Layout, arrays: Arrays, what: int, a: int, b: int, most: int) -> Arrays:
    """Return the new arrays for a change that a kernel asks for; the numbers are what the change needs."""
    if what in AXES:
        return layouts.resized(layout, arrays, AXES[what], a)
    if what == MORE_CATEGORIES:
        new = _with_slots(layout, arrays, most)
        return new | with_category(arrays | new, a, b)
    return ranked(arrays, a) if what == RANK else swept(layout, arrays, a, b)


def fitted(layout: Layout, arrays: Arrays, most_nodes: int, most_slots: int) -> Arrays | None:
    """Return new arrays of a tree that must not have more than so many nodes and slots; None if it has.

    Whether leaves become inactive depends on what is in use alone, not on what is held in reserve, so that a
    tree that was saved and restored goes on in the same way.
    """
    size = arrays["size"]
    if size[NODES] - size[DEAD_NODES] > most_nodes or most_slots <= arrays["weight"].shape[1]:
        return None
    new = _with_slots(layout, arrays, most_slots)
    if size[NODES] > most_nodes:
        return new | swept(layout, arrays | new, most_nodes, most_slots)
    for axis in ("node", "window"):
        names = [name for name, array in layout.items() if array.axes[0] == axis]
        if names and len(arrays[names[0]]) > most_nodes:
            new |= layouts.resized(layout, arrays | new, axis, most_nodes)
    return new


def _with_slots(layout: Layout, arrays: Arrays, most: int) -> Arrays:
    # What changes if there must be no more than `most` slots, those in reserve included.
    size, new = arrays["size"], {}
    if size[SLOTS] - size[FREE_SLOTS] > most:
        new = ranked(arrays, most)
    if size[SLOTS] > most:
        return new | packed(layout, arrays | new, POOLS[0], most)
    if len(arrays["bias"]) > most:
        return new | layouts.resized(layout, arrays, "slot", most)
    return new


def fixed_bytes(layout: Layout, arrays: Arrays) -> int:
    """Return the bytes of the arrays that do not grow with what is learned."""
    grows = ("node", "slot", "window")
    return sum(arrays[name].nbytes for name, array in layout.items() if array.axes[0] not in grows)


def bytes_of_row(layout: Layout, arrays: Arrays, axis: str) -> int:
    """Return the bytes of a node, a slot or a window."""
    found = (arrays[name] for name, array in layout.items() if array.axes[0] == axis)
    return sum(array.nbytes // len(array) for array in found if len(array))


def with_category(arrays: Arrays, c: int, extra: int) -> Arrays:
    """Return counts and offsets with room for `extra` more categories of input c."""
    offset, counts = arrays["offset"].copy(), arrays["counts"]
    end = offset[c + 1]
    wider = layouts.new_array((len(counts), counts.shape[1] + extra), counts.dtype)
    wider[:, :end] = counts[:, :end]
    wider[:, end + extra :] = counts[:, end:]
    offset[c + 1 :] += extra
    return {"counts": wider, "offset": offset}


def ranked(arrays: Arrays, most_slots: int) -> Arrays:
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


def swept(layout: Layout, arrays: Arrays, most_nodes: int, most_slots: int) -> Arrays:
    """Return the arrays without dead nodes and free slots and windows, and with an eighth more in reserve."""
    size = arrays["size"].copy()
    living = np.flatnonzero(arrays["feature"][: size[NODES]] != DEAD)
    new, place = _kept(layout, arrays, "node", living, size[NODES], most_nodes)
    for link in ("child", "usual", "parent", "alternate"):
        if link in new:
            new[link][: len(living)] = place[new[link][: len(living)]]
    size[NODES], size[DEAD_NODES], size[ROOT] = len(living), 0, place[size[ROOT]]
    new["size"] = size
    for pool, most in zip(POOLS, (most_slots, most_nodes), strict=True):
        if pool[0] in new:
            new |= packed(layout, arrays | new, pool, most)
    return new


def packed(layout: Layout, arrays: Arrays, pool: tuple[str, str, int, int], most: int) -> Arrays:
    """Return the arrays without the free rows of a pool; an eighth more is in reserve, `most` in all."""
    axis, free_list, used, free = pool
    size, link = arrays["size"].copy(), _copied(arrays[axis])
    held = np.unique(link[: size[NODES]])
    held = held[held >= 0]
    new, place = _kept(layout, arrays, axis, held, size[used], most)
    new[free_list][:] = 0
    link[: size[NODES]] = place[link[: size[NODES]]]
    size[used], size[free] = len(held), 0
    return new | {axis: link, "size": size}


def _kept(
    layout: Layout, arrays: Arrays, axis: str, rows: Ints, used: int, most: int
) -> tuple[Arrays, NDArray[np.int32]]:
    # These rows of the arrays of an axis, and the new position of each row; -1 stays -1.
    new, n = {}, len(rows)
    room = max(min(n + n // 8 + 1, most), n)
    for name, array in layout.items():
        if array.axes[0] == axis:
            new[name] = layouts.new_array((room, *arrays[name].shape[1:]), array.dtype, array.fill)
            new[name][:n] = arrays[name][rows]
    place = np.full(used + 1, -1, dtype=np.int32)
    place[rows] = np.arange(n)
    return new, place


def _copied(array: AnyArray) -> AnyArray:
    new = layouts.new_array(array.shape, array.dtype)
    new[...] = array
    return new
