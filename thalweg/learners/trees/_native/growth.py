"""A Hoeffding tree that learns of more classes or inputs.

Leaves that look at random inputs keep theirs. If by its parameters a leaf looks at more of them now, the
others are drawn from those it did not look at; nothing is known of them there.
"""


import numpy as np

from thalweg._native import layout as layouts
from thalweg._native.layout import Layout
from thalweg._types import AnyArray, Arrays, Lengths
from thalweg.errors import ParameterError

from .codes import INVERSE, NODES, SLOTS, SURE


def grown(layout: Layout, lengths: Lengths, fresh: Arrays, old: Arrays, who: str) -> Arrays:
    """Return the arrays of a tree that continues from `old`; `fresh` is what it begins with."""
    apart = ("inputs", "picked")
    rest = {name: array for name, array in layout.items() if name not in apart}
    n_features = len(old["inputs"]) - 1
    old = layouts.with_new_categories(fresh, old, old["column"], fresh["column"], n_features, 1, who)
    new = layouts.grown(rest, lengths, fresh, old, who, 0.0)
    new["numbers"][: old["size"][SLOTS], INVERSE, old["numbers"].shape[2] :] = SURE
    width = fresh["picked"].shape[1]
    if width < old["picked"].shape[1]:
        raise ParameterError(f"{who}: parameters were changed after it had begun; begin again")
    inputs = fresh["inputs"].copy()
    return new | {"inputs": inputs, "picked": _picked(old, inputs, width)}


def with_numeric(arrays: Arrays, n_features: int, n_picked: int) -> Arrays:
    """Return the arrays of a tree without categories, with more inputs; a leaf has `n_picked` of them."""
    inputs = layouts.new_array(1 + n_features, arrays["inputs"].dtype)
    inputs[0], inputs[1:] = n_features, np.arange(n_features)
    new = arrays | {"inputs": inputs, "picked": _picked(arrays, inputs, 1 + n_picked)}
    if (n_before := arrays["numbers"].shape[2]) < n_picked:
        before = arrays["numbers"]
        numbers = new["numbers"] = layouts.new_array((*before.shape[:2], n_picked), before.dtype)
        numbers[:, :, :n_before] = before
        numbers[: arrays["size"][SLOTS], INVERSE, n_before:] = SURE
    return new


def _picked(old: Arrays, inputs: AnyArray, width: int) -> AnyArray:
    before = old["picked"]
    if before.shape[1] == width:
        return before.copy()
    new = layouts.new_array((len(before), width), before.dtype)
    rng = np.random.default_rng([int(old["random"][0]), len(inputs)])
    for node in range(old["size"][NODES]):
        picked = before[node] if before.shape[1] else old["inputs"]
        new[node] = _with_more(picked, inputs, width - 1, rng)
    return new


def _with_more(picked: AnyArray, inputs: AnyArray, n_wanted: int, rng: np.random.Generator) -> AnyArray:
    # Numeric inputs come first, after their number: their statistics lie in this order.
    numeric, categorical = picked[1 : 1 + picked[0]], picked[1 + picked[0] :]
    others = [_without(inputs[1 : 1 + inputs[0]], numeric), _without(inputs[1 + inputs[0] :], categorical)]
    n_numeric = len(others[0])
    drawn = np.sort(rng.permutation(n_numeric + len(others[1]))[: n_wanted - len(picked) + 1])
    numeric = np.concatenate([numeric, others[0][drawn[drawn < n_numeric]]])
    more = others[1][drawn[drawn >= n_numeric] - n_numeric]
    return np.concatenate([[len(numeric)], numeric, categorical, more])


def _without(inputs: AnyArray, some: AnyArray) -> AnyArray:
    # Inputs are in growing order.
    if not len(inputs):
        return inputs
    is_other = np.zeros(inputs[-1] + 1, dtype=bool)
    is_other[inputs] = True
    is_other[some] = False
    return np.flatnonzero(is_other)
