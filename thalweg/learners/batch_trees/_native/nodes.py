"""The nodes of a batch tree as arrays: described for people, and checked when they come from a file."""

import numpy as np

from thalweg._types import Arrays, Ints, Mask
from thalweg.errors import StateError


def described(arrays: Arrays, multiway: bool) -> Arrays:
    """Return the tree node by node: a dict of arrays, as DecisionTree.nodes_ describes it."""
    n = arrays["n_nodes"].item()
    feature, child, missing = (arrays[name][:n] for name in ("feature", "child", "missing"))
    threshold, is_leaf = arrays["threshold"][:n].copy(), feature < 0
    threshold[threshold == np.finfo(float).max] = np.inf  # all known values go left
    branches = _are_branching(arrays, n, multiway)
    last = child + 1
    last[branches] = _last_branches(arrays, branches)
    threshold[branches] = np.nan
    found = {
        "feature": feature.copy(),
        "threshold": np.where(is_leaf, np.nan, threshold),
        "left": np.where(is_leaf, -1, child),
        "right": np.where(is_leaf, -1, last),
        "missing": np.where(is_leaf, -1, missing),
        "weights": arrays["weights"][:n].copy(),
    }
    if multiway:
        found["category"] = np.full(n, np.nan)
        for node in np.flatnonzero(branches):
            part = slice(child[node], child[node] + int(arrays["threshold"][node]))
            found["category"][part] = arrays["category"][part]
    return found


def _are_branching(arrays: Arrays, n: int, multiway: bool) -> Mask:
    """Return which of the first n nodes have a branch for each category."""
    feature = arrays["feature"][:n]
    branching: Mask = (feature >= 0) & (arrays["n_categories"][feature] > 0)
    return branching & multiway


def _last_branches(arrays: Arrays, branches: Mask) -> Ints:
    child, missing, n_known = (arrays[name][: len(branches)] for name in ("child", "missing", "threshold"))
    following = child[branches] + n_known[branches].astype(np.intp)
    return following - (missing[branches] != following)  # missing values may have a branch after the others


def check_nodes(arrays: Arrays, multiway: bool, who: str) -> None:
    """Raise StateError unless every path from the root ends in a leaf."""
    n = arrays["n_nodes"].item()
    if n > len(arrays["feature"]):
        raise StateError(f"{who}: the state's 'n_nodes' is {n}, more than it has nodes")
    branches, last = _are_branching(arrays, n, multiway), arrays["child"][:n] + 1
    n_known = arrays["threshold"][:n][branches]
    if ((n_known < 1) | (n_known > n) | (n_known != np.floor(n_known))).any():
        raise StateError(f"{who}: the state's 'threshold' is not the number of a node's branches")
    last[branches] = _last_branches(arrays, branches)
    inner = np.flatnonzero(arrays["feature"][:n] >= 0)
    child, missing, last = arrays["child"][inner], arrays["missing"][inner], last[inner]
    if (child <= inner).any() or (last >= n).any():
        raise StateError(f"{who}: the state's 'child' leads to a node before its parent or to none")
    if ((missing < child) | (missing > last)).any():
        raise StateError(f"{who}: the state's 'missing' leads to a node that is not a child")
    for node in np.flatnonzero(branches):
        first = arrays["child"][node]
        if (np.diff(arrays["category"][first : first + int(arrays["threshold"][node])]) <= 0).any():
            raise StateError(f"{who}: the state's 'category' does not grow from branch to branch")
