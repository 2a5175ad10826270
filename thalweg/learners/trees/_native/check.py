"""Whether the arrays of a saved Hoeffding tree, which fit their declarations, also fit each other."""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

from thalweg._types import AnyArray, Arrays, Ints, Mask
from thalweg.drift._native.adwin import check_adwin
from thalweg.errors import StateError

from .codes import (
    BELOW,
    COUNT,
    DEAD,
    DEAD_NODES,
    EACH,
    FREE_SLOTS,
    FREE_WINDOWS,
    HIGHEST,
    INVERSE,
    LEAST_INVERSE,
    LOWEST,
    MEAN,
    MOST_DEPTH,
    NODES,
    ROOT,
    SLOTS,
    SQUARES,
    SURE,
    WINDOWS,
)
from .layout import MOST_VALUE, MOST_WEIGHT

Condition: TypeAlias = Mask | np.bool_ | bool
Demand: TypeAlias = Callable[[Condition, str, str], None]


def check_tree(arrays: Arrays, fresh: Arrays, who: str) -> None:
    """Raise StateError unless these are a tree's arrays; `fresh` are those of a tree that has just begun."""
    demand = partial(_demand, who)
    _check_inputs(arrays, fresh, demand)
    _check_sizes(arrays, demand)
    _check_tests(arrays, demand)
    _check_links(arrays, demand)
    held = _held(arrays["slot"])
    _check_pool(held, arrays["free"], arrays["size"][SLOTS], arrays["size"][FREE_SLOTS], "slot", demand)
    demand((arrays["feature"] < 0) & (arrays["feature"] != DEAD) | (arrays["slot"] < 0).all(axis=1), "slot",
           "holds a slot of a node that is no leaf")
    last = np.where(arrays["weight"] > 0, np.arange(1, arrays["weight"].shape[1] + 1), 0).max(axis=1)
    demand(arrays["n_seen"] == last, "n_seen", "is not the highest class seen, plus 1")
    _check_statistics(arrays, held, demand)


def _check_inputs(arrays: Arrays, fresh: Arrays, demand: Demand) -> None:
    for name in ("column", "inputs"):
        demand(np.array_equal(arrays[name], fresh[name]), name, "is not that of a tree with these inputs")
    offset, room = arrays["offset"], np.diff(arrays["offset"])
    demand(offset[0] == 0 and (room > 0).all() and offset[-1] == arrays["counts"].shape[1], "offset",
           "does not divide the categories among the inputs")
    demand(arrays["known"] <= room, "known", "exceeds the categories there are counts for")
    demand(arrays["n_values"] <= room, "n_values", "exceeds the categories there are counts for")
    n_numeric, picked = arrays["numbers"].shape[2], arrays["picked"]
    if picked.shape[1]:
        inputs, n_features = arrays["inputs"], len(arrays["inputs"]) - 1
        is_numeric = np.zeros(max(n_features, len(offset)), dtype=bool)
        is_numeric[inputs[1 : 1 + inputs[0]]] = True
        demand((picked[:, 0] <= n_numeric) & (picked[:, 1:] < n_features).all(axis=1), "picked",
               "names inputs that there are not")
        numeric = np.arange(picked.shape[1] - 1) < picked[:, :1]
        good = np.where(numeric, is_numeric[picked[:, 1:]], picked[:, 1:] < len(offset) - 1)
        demand(good, "picked", "takes numbers for categories or categories for numbers")


def _check_sizes(arrays: Arrays, demand: Demand) -> None:
    size, feature = arrays["size"], arrays["feature"]
    demand(size[NODES] == len(feature) >= 1, "size", "is not the number of nodes")
    demand(max(size[SLOTS], 1) == len(arrays["bias"]), "size", "is not the number of slots")
    demand(size[DEAD_NODES] == (feature == DEAD).sum(), "size", "is not the number of dead nodes")
    demand(size[ROOT] == 0 and feature[0] != DEAD and arrays["parent"][0] == -1, "size", "names no root")


def _check_tests(arrays: Arrays, demand: Demand) -> None:
    nodes = np.flatnonzero(arrays["feature"] >= 0)
    feature, test, n_children, child, usual = (
        arrays[name][nodes] for name in ("feature", "test", "n_children", "child", "usual")
    )
    demand(np.isin(feature, arrays["column"]) == (test != BELOW), "test", "does not suit its input")
    demand(np.where(test == EACH, n_children >= 1, n_children == 2), "n_children", "does not suit its test")
    demand(n_children.sum() < len(arrays["feature"]), "n_children", "exceeds the number of nodes")
    demand((child > nodes) & (child + n_children <= len(arrays["feature"])), "child", "is no later node")
    demand((usual >= child) & (usual < child + n_children), "usual", "is none of a node's children")


def _check_links(arrays: Arrays, demand: Demand) -> None:
    # Every node but the root is a child or the alternate of exactly one node, its parent.
    feature, parent = arrays["feature"], arrays["parent"]
    nodes = np.flatnonzero(feature >= 0)
    n_children = arrays["n_children"][nodes]
    owners = np.repeat(nodes, n_children)
    ends = np.cumsum(n_children)
    links = np.arange(len(owners)) + np.repeat(arrays["child"][nodes] - ends + n_children, n_children)
    if "alternate" in arrays:
        with_alternate = np.flatnonzero(arrays["alternate"] >= 0)
        demand(feature[with_alternate] != DEAD, "alternate", "belongs to a dead node")
        owners = np.concatenate([owners, with_alternate])
        links = np.concatenate([links, arrays["alternate"][with_alternate]])
        demand(links > owners, "alternate", "is no later node")
    demand(len(np.unique(links)) == len(links), "child", "is the child of two nodes")
    demand(feature[links] != DEAD, "child", "leads to a dead node")
    demand(parent[links] == owners, "parent", "is not the node whose child it is")
    demand(len(links) + 1 == (feature != DEAD).sum(), "child", "leaves nodes that nothing leads to")
    if len(feature) > MOST_DEPTH:
        demand(_depths(parent, links) <= MOST_DEPTH + 1, "parent", "makes a tree that is too deep")


def _depths(parent: AnyArray, links: AnyArray) -> Ints:
    # Nodes above each node: the way up is doubled until it ends at the root.
    up, depth = np.zeros(len(parent), dtype=np.intp), np.zeros(len(parent), dtype=np.intp)
    up[links], depth[links] = parent[links], 1
    while up.any():
        depth, up = depth + depth[up], up[up]
    return depth


def _held(slot: AnyArray) -> AnyArray:
    return slot[slot >= 0]


def _check_pool(
    held: AnyArray, free: AnyArray, n_used: int, n_free: int, name: str,
    demand: Demand,
) -> None:
    # Each of the slots (or windows) is held by one node or free.
    demand(n_free <= n_used, "size", f"counts more free {name}s than there are")
    found = np.sort(np.concatenate([held, free[:n_free]]))
    demand(np.array_equal(found, np.arange(n_used)), name, f"shares or loses a {name}")


def _check_statistics(arrays: Arrays, held: AnyArray, demand: Demand) -> None:
    numbers = arrays["numbers"][held]
    allowed = {
        COUNT: (0.0, MOST_WEIGHT),
        MEAN: (-MOST_VALUE, MOST_VALUE),
        SQUARES: (0.0, np.inf),
        INVERSE: (LEAST_INVERSE, SURE),
        LOWEST: (-MOST_VALUE, MOST_VALUE),
        HIGHEST: (-MOST_VALUE, MOST_VALUE),
    }
    for row, (low, high) in allowed.items():
        good = (numbers[:, row] >= low) & (numbers[:, row] <= high)
        demand(good, "numbers", f"holds a number in row {row} of a slot that is not between {low} and {high}")
    if len(held) and len(arrays["column"]):
        highest = np.maximum.reduceat(arrays["counts"][held], arrays["offset"][:-1], axis=1)
        demand(arrays["seen"][held] >= highest, "seen", "is less than a count that is part of it")


def check_windows(arrays: Arrays, watch_root: bool, who: str) -> None:
    """Raise StateError unless tests and alternates of an adaptive tree have a window each."""
    demand = partial(_demand, who)
    size, window = arrays["size"], arrays["window"]
    demand(max(size[WINDOWS], 1) == len(arrays["windows"]), "size", "is not the number of windows")
    _check_pool(_held(window), arrays["free_windows"], size[WINDOWS], size[FREE_WINDOWS], "window", demand)
    demand(window[arrays["feature"] == DEAD] < 0, "window", "is held by a dead node")
    alternate = arrays["alternate"][arrays["alternate"] >= 0]
    demand(window[arrays["feature"] >= 0] >= 0, "window", "lacks the window of a test")
    demand(window[alternate] >= 0, "window", "lacks the window of an alternate")
    demand(window[0] >= 0 or not watch_root, "window", "lacks the window of the root")
    for row in _held(window):
        check_adwin(arrays["windows"][row], who, "windows")


def check_options(arrays: Arrays, most_options: int, who: str) -> None:
    """Raise StateError unless the tests of an option tree form chains whose heads count the options."""
    demand = partial(_demand, who)
    alternate, options = arrays["alternate"], arrays["options"]
    is_test = arrays["feature"] >= 0
    demand(is_test[alternate >= 0], "alternate", "belongs to a node that is no test")
    is_head = is_test.copy()
    is_head[alternate[alternate >= 0]] = False
    demand((options > 0) == is_head, "options", "must count the options of the heads of chains alone")
    demand(options <= most_options, "options", "exceeds the most options allowed")


def _demand(who: str, condition: Condition, name: str, wrong: str) -> None:
    if not (condition.all() if isinstance(condition, np.ndarray) else condition):
        raise StateError(f"{who}: the state's {name!r} {wrong}")
