"""The arrays of the logistic filters, and how they go on when a class or an input appears later."""

import numpy as np
from scipy.special import ndtri

from thalweg._native.layout import FLOAT, INDEX, MOST_VALUE, Array, Layout
from thalweg._types import Arrays


def logistic_layout(n_members: int, most_turns: int, rate: float, timed: bool) -> Layout:
    """Return the declarations of the arrays.

    R, S and psi may leave the range of a double: a filter notices it at its next row and starts again.
    """
    layout = {
        "count": Array(FLOAT, "input", low=0.0),
        "mean": Array(FLOAT, "input", low=-MOST_VALUE, high=MOST_VALUE),
        "variance": Array(FLOAT, "input", low=0.0, high=MOST_VALUE**2),
        "share": Array(FLOAT, "member", low=0.0, high=1.0, fill=1.0 / n_members),
        "turn": Array(INDEX, 1, low=0, high=most_turns - 1),
        "place": Array(INDEX, 1, low=0, high="direction"),
        "restarts": Array(INDEX, "filter", low=0),
        "beta": Array(FLOAT, "direction", "filter"),
        "R": Array(FLOAT, "pair", "filter", finite=False),
        "S": Array(FLOAT, "pair", "slope", finite=False),
        "psi": Array(FLOAT, "direction", "slope", finite=False),
        "decay": Array(FLOAT, "filter", low=0.0, high=1.0, fill=1.0),
        "step": Array(FLOAT, "filter", low=0.0, fill=rate),
        "slope": Array(FLOAT, "filter", finite=False),
    }
    clock = Array(FLOAT, 1, low=-MOST_VALUE, high=MOST_VALUE, missing=True, fill=np.nan)
    return layout | {"clock": clock} if timed else layout


def with_one_more_class(
    layout: Layout, fresh: Arrays, old: Arrays, n_members: int, n_filters: tuple[int, int], probit: bool
) -> Arrays:
    """Return arrays that go on from `old` instead of `fresh`, which has one class more.

    `n_filters` of a member are before and after: the one filter of two classes becomes two of three, each
    with its coefficients, or half of them unless the link is probit; the first with their signs turned.
    A new class begins from the prior, but with the constant of a class that has one of the rows so far.
    """
    before, after = n_filters
    part = 1.0 if probit else 0.5
    new = {name: fresh[name].copy() for name in layout}
    for name, array in layout.items():
        if array.axes[-1] not in ("filter", "slope"):
            new[name][...] = old[name]
    for name, array in layout.items():
        if array.axes[-1] in ("filter", "slope") and new[name].size:
            shape = new[name].shape[:-1]
            known = old[name].reshape(*shape, n_members, before)
            halves = name in ("beta", "psi") and before < after - 1
            parts = new[name].reshape(*shape, n_members, after)
            parts[..., : after - 1] = known * np.array([-part, part]) if halves else known
    constants = new["beta"][-1].reshape(n_members, after)
    n = old["count"].max(initial=0.0) + 2.0
    all_others = np.logaddexp.reduce(constants[:, :-1], axis=1)
    constants[:, -1] = ndtri(1.0 / n) if probit else all_others - np.log(n)
    return new


def with_more_inputs(layout: Layout, fresh: Arrays, old: Arrays) -> Arrays:
    """Return arrays that go on from `old` instead of `fresh`, which has more inputs.

    Coefficients of new inputs begin as in `fresh`, from the prior. The constant stays the last one.
    """
    new = {name: fresh[name].copy() for name in layout}
    n, d = len(old["mean"]), len(fresh["beta"])
    kept = np.append(np.arange(n), d - 1)
    row, column = np.tril_indices(n + 1)
    pairs = kept[row] * (kept[row] + 1) // 2 + kept[column]
    for name, array in layout.items():
        if array.axes[0] == "pair":
            new[name][pairs] = old[name]
        elif array.axes[0] == "direction":
            new[name][kept] = old[name]
        else:
            new[name][: len(old[name])] = old[name]
    new["place"][:] = kept[old["place"]]
    return new
