"""The arrays of a Hoeffding tree, declared."""

import functools
from typing import Any

from thalweg._native.layout import FLOAT, INDEX, INT, WORD, Array, Layout

from .codes import DEAD, EACH, IS, LEAF, N_NUMBERS, N_SIZES, TREE_CATEGORIES

MOST_WEIGHT = 1e150  # of all rows together
MOST_VALUE = 2e150  # values lie within ±1e150; means may pass that by rounding
MOST_BIAS = 1e15


@functools.cache
def tree_layout(n_features: int, n_categorical: int, n_picked: int) -> Layout:
    """Return the arrays every tree has; leaves look at `n_picked` random inputs each, at all if it is 0."""
    return {
        "size": Array(INDEX, N_SIZES, low=0),
        "column": Array(INDEX, "categorical", low=0, high="input"),
        "offset": Array(INDEX, n_categorical + 1, low=0),
        "known": Array(INDEX, "categorical", low=0, high=TREE_CATEGORIES),
        "inputs": Array(INT, 1 + n_features, low=0),
        "random": Array(WORD, 1),
    } | _node_arrays(n_picked) | _slot_arrays()


def _node_arrays(n_picked: int) -> Layout:
    link: dict[str, Any] = {"low": -1, "high": "node", "fill": -1}
    weight: dict[str, Any] = {"low": 0.0, "high": MOST_WEIGHT}
    return {
        "feature": Array(INT, "node", low=DEAD, high="input", fill=LEAF),
        "test": Array(INT, "node", low=0, high=max(EACH, IS)),
        "child": Array(INT, "node", **link),
        "n_children": Array(INT, "node", low=0, high=TREE_CATEGORIES),
        "usual": Array(INT, "node", **link),
        "parent": Array(INT, "node", **link),
        "n_seen": Array(INT, "node", low=0),
        "slot": Array(INT, "node", "class", low=-1, high="slot", fill=-1),
        "picked": Array(INT, "node", 1 + n_picked if n_picked else 0, low=0),
        "threshold": Array(FLOAT, "node"),
        "weight": Array(FLOAT, "node", "class", **weight),
        "tried": Array(FLOAT, "node", **weight),
        "right": Array(FLOAT, "node", 2, **weight),
    }


def _slot_arrays() -> Layout:
    weight: dict[str, Any] = {"low": 0.0, "high": MOST_WEIGHT}
    return {
        "numbers": Array(FLOAT, "slot", N_NUMBERS, "numeric"),
        "bias": Array(FLOAT, "slot", low=-MOST_BIAS, high=MOST_BIAS),
        "counts": Array(FLOAT, "slot", "category", **weight),
        "seen": Array(FLOAT, "slot", "categorical", **weight),
        "n_values": Array(INT, "slot", "categorical", low=0, high=TREE_CATEGORIES),
        "free": Array(INT, "slot", low=0, high="slot"),
    }
