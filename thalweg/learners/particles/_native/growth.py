"""A particle filter that learns of one more class, or of more inputs.

Two classes share one energy, that of the second as against the first; more classes have one each. A new class
gets the mean of the others' energies, which is never the least alone: nothing is predicted to be of it before
a batch has taught it. Where there were two classes, the first gets the energy 0 (not for circles, which have
no such coefficients: there the predictions stay, but the search starts from elsewhere).

The coefficients of new inputs are 0 in all that predicts, so that nothing changes before the next batch; in
the best set, from which particles are drawn, they come from where the first particles do.
"""

from typing import Any

import numpy as np

from thalweg._native.layout import Layout
from thalweg._types import Arrays, Floats

COEFFICIENTS = (
    "active", "centre", "averages", "kept", "path", "centre_log_spread", "mean_log_spread", "kept_log_spread",
)
START_UNIFORM, START_NORMAL = 1, 2


def with_outputs(values: Floats, axis: int, n_outputs: int) -> Floats:
    """Return energies' coefficients, one output after another along `axis`, for more outputs.

    From one output there are then three or more.
    """
    while values.shape[axis] < n_outputs:
        if values.shape[axis] == 1:
            values = np.concatenate([np.zeros_like(values), values], axis)
        values = np.concatenate([values, values.mean(axis, keepdims=True)], axis)
    return values


def with_classes(old: Arrays, fresh: Arrays, n_before: int, n_outputs: int, lanes: int) -> Arrays:
    """Return the arrays of a filter of `n_before` outputs for `n_outputs`; `fresh` is what it begins with."""
    new = {name: array.copy() for name, array in old.items()}
    new["seen"] = fresh["seen"].copy()
    new["seen"][: len(old["seen"])] = old["seen"]
    if n_outputs == n_before:
        return new
    for name in COEFFICIENTS[1:]:
        if name in old:
            shape = old[name].shape
            parts = old[name].reshape(*shape[:-1], n_before, shape[-1] // n_before)
            grown = with_outputs(parts, parts.ndim - 2, n_outputs)
            if name.endswith("log_spread") and n_before == 1:
                grown[..., 0, :] = grown[..., 1, :]
            new[name] = np.ascontiguousarray(grown).reshape(*shape[:-1], fresh[name].shape[-1])
    new["active"] = fresh["active"].copy()
    first = old["active"].size if n_before == 1 else 0
    new["active"][first : first + old["active"].size] = old["active"]
    for name in ("predictor", "voters"):
        terms = old[name].reshape(-1, n_before, old["predictor"].size // (n_before * lanes), lanes)
        new[name] = np.ascontiguousarray(with_outputs(terms, 1, n_outputs)).reshape(-1)
    return new


def with_inputs(old: Arrays, fresh: Arrays, layout: Layout, n_outputs: int, lanes: int) -> Arrays:
    """Return the arrays of a filter for more inputs; `fresh` is what it begins with."""
    new = {name: array.copy() for name, array in old.items()}
    before, after = len(old["mean"]), len(fresh["mean"])
    for name in ("X", "mean", "squares"):
        new[name] = np.pad(old[name], [(0, 0)] * (old[name].ndim - 1) + [(0, after - before)])
    for name in COEFFICIENTS:
        if name in old:
            parts = old[name].reshape(*old[name].shape[:-1], n_outputs, 1 + before)
            wider = np.full((*parts.shape[:-1], 1 + after), layout[name].fill, dtype=parts.dtype)
            wider[..., : 1 + before] = parts
            new[name] = wider.reshape(*old[name].shape[:-1], fresh[name].shape[-1])
    for name in ("predictor", "voters"):
        terms = old[name].reshape(-1, n_outputs, old["predictor"].size // (n_outputs * lanes), lanes)
        new[name] = np.insert(terms, [1 + before] * (after - before), 0.0, axis=2).reshape(-1)
    return new


def with_drawn_inputs(
    kept: Floats, n_kept: int, n_before: int, n_outputs: int, settings: dict[str, Any]
) -> Floats:
    """Return the best set with coefficients drawn for the inputs from `n_before` on."""
    if settings["start"] not in (START_UNIFORM, START_NORMAL):
        return kept
    kept = kept.copy()
    parts = kept.reshape(len(kept), n_outputs, -1)[:n_kept, :, 1 + n_before :]
    rng = np.random.default_rng([settings["seed"], parts.shape[-1] + n_before])
    draws = rng.random(parts.shape) if settings["start"] == START_UNIFORM else rng.normal(size=parts.shape)
    parts[...] = settings["start_width"] * draws
    if settings["scaled"]:
        parts /= np.sqrt(kept.shape[1])  # as long as one of so many coefficients is after scaling
        kept = scaled_to_one(kept)
    return kept


def scaled_to_one(coefficients: Floats) -> Floats:
    """Return sets of coefficients, one a row, divided by their length unless it is 0."""
    length = np.sqrt((coefficients**2).sum(axis=-1, keepdims=True))
    return np.divide(coefficients, length, out=coefficients.copy(), where=length > 0)
