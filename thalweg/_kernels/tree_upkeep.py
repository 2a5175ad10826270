"""What a tree does to its arrays now and then, in NumPy: sharing out memory, waking leaves, sweeping up.

`groups` names the arrays that have a row for each node, slot and window. `size` holds the numbers below.
"""

import numpy as np

NODES, SLOTS, FREE, DEAD_NODES, SLEEPERS, ROOT, WINDOWS, FREE_WINDOWS = range(8)
LEAF, ASLEEP, DEAD = -1, -2, -3


def limits(arrays, groups, most_bytes, who):
    """Return how many nodes and slots there may be: a third of the bytes is for nodes and their windows."""
    row, slot, window = (sum(arrays[name][:1].nbytes for name in names) for names in groups.values())
    n_classes = arrays["weight"].shape[1]
    grouped = {name for names in groups.values() for name in names}
    spare = most_bytes - sum(array.nbytes for name, array in arrays.items() if name not in grouped)
    if spare < 3 * (row + window) + (n_classes + 1) * slot:
        least = most_bytes - spare + 3 * (row + window) + (n_classes + 1) * slot
        raise ValueError(f"{who}: max_bytes={most_bytes} is too little, a leaf needs {least}")
    n_slots = max(spare * 2 // 3 // slot, n_classes + 1)
    return (spare - n_slots * slot) // (row + window), n_slots


def lengthen(arrays, names, n):
    """Give the named arrays n rows."""
    for name in names:
        old = arrays[name]
        arrays[name] = np.concatenate([old, np.zeros((n - len(old), *old.shape[1:]), dtype=old.dtype)])


def rank(arrays, most_slots):
    """Wake the most promising leaves that nine tenths of the slots can serve; put the others to sleep."""
    size, feature, weight, slot = (arrays[name] for name in ("size", "feature", "weight", "slot"))
    leaves = np.flatnonzero(np.isin(feature[: size[NODES]], (LEAF, ASLEEP)))
    promise = weight[leaves].sum(axis=1) - weight[leaves].max(axis=1)
    order = leaves[np.argsort(-promise, kind="stable")]
    need = np.cumsum(np.maximum((weight[order] > 0).sum(axis=1), 1))
    awake = need <= max(int(0.9 * most_slots), need[0])
    asleep = order[~awake]
    given = slot[asleep][slot[asleep] >= 0]
    arrays["free"][size[FREE] : size[FREE] + len(given)] = given
    slot[asleep] = -1
    feature[order] = np.where(awake, LEAF, ASLEEP)
    size[FREE] += len(given)
    size[SLEEPERS] = len(asleep)


def sweep(arrays, groups):
    """Move living nodes, slots and windows together, and give back the memory of the others."""
    size, used = arrays["size"], arrays["size"][NODES]
    living = np.flatnonzero(arrays["feature"][:used] != DEAD)
    place = _keep(arrays, groups["nodes"], living, used)
    for link in ("child", "usual", "parent", "beside"):
        if link in arrays:
            arrays[link][:] = place[arrays[link]]
    size[NODES], size[DEAD_NODES], size[ROOT] = len(living), 0, place[size[ROOT]]
    pools = ("slots", "slot", SLOTS, FREE), ("windows", "watch", WINDOWS, FREE_WINDOWS)
    for group, link, used, free in pools:
        if groups[group]:
            held = np.unique(arrays[link][: len(living)])
            held = held[held >= 0]
            arrays[link][:] = _keep(arrays, groups[group], held, size[used])[arrays[link]]
            size[used], size[free] = len(held), 0


def _keep(arrays, names, rows, used):
    # Keep these rows of the arrays, and an eighth more in reserve; return the new place of each old one.
    for name in names:
        old = arrays[name]
        arrays[name] = np.zeros((len(rows) + len(rows) // 8 + 1, *old.shape[1:]), dtype=old.dtype)
        arrays[name][: len(rows)] = old[rows]
    place = np.full(used + 1, -1, dtype=np.int32)
    place[rows] = np.arange(len(rows))
    return place
