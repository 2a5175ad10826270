"""The arrays of linear_logistic.pyx, and how they go on when classes or inputs appear later."""

import numpy as np

from thalweg._native import layout
from thalweg._native.layout import FLOAT, MOST_COUNTED, MOST_VALUE, MOST_WEIGHT, Array, Layout
from thalweg._types import Arrays, Lengths

STEEPEST = 1e100
LANES = {"lane": 3, "adaptive lane": 2}  # axes of filters, and how many models these are of


def linear_layout(n_models: int, most_trust: float) -> Layout:
    """Return the declarations of the arrays; "lane" are the filters of all models."""
    return {
        "seen": Array(FLOAT, 1, low=0.0, high=MOST_COUNTED),
        "count": Array(FLOAT, "input", low=0.0, high=MOST_COUNTED),
        "missing": Array(FLOAT, "input", low=0.0, high=MOST_COUNTED),
        "mean": Array(FLOAT, "input", low=-MOST_VALUE, high=MOST_VALUE),
        "variance": Array(FLOAT, "input", low=0.0, high=MOST_VALUE**2),
        "beta": Array(FLOAT, "input", "lane", low=-STEEPEST, high=STEEPEST),
        "square": Array(FLOAT, "input", "adaptive lane", low=0.0, high=MOST_WEIGHT),
        "constant": Array(FLOAT, "lane", low=-STEEPEST, high=STEEPEST),
        "constant_square": Array(FLOAT, "adaptive lane", low=0.0, high=MOST_WEIGHT),
        "weights": Array(FLOAT, n_models, low=-most_trust, high=most_trust, fill=1.0 / n_models),
        "information": Array(FLOAT, n_models, n_models, low=-1e9, high=1e9),
    }


def check_linear(arrays: Arrays, ridge: float, who: str) -> None:
    """Raise StateError if arrays that fit their declarations contradict each other."""
    seen = arrays["count"] + arrays["missing"]
    layout.require(bool((seen <= arrays["seen"]).all()), who, "count", "has more values than rows were seen")
    information = arrays["information"]
    good = np.array_equal(information, information.T)
    good = good and np.linalg.eigvalsh(information)[0] > 0.9 * ridge
    layout.require(good, who, "information", f"is not symmetric with eigenvalues of at least {ridge:g}")


def with_more_inputs(declared: Layout, lengths: Lengths, fresh: Arrays, old: Arrays, who: str) -> Arrays:
    """Return arrays that go on from `old`, which have fewer inputs: the rows so far lacked the new ones."""
    new = layout.grown(declared, lengths, fresh, old, who, 0.0)
    new["missing"][len(old["missing"]) :] = old["seen"]
    return new


def with_one_more_class(declared: Layout, fresh: Arrays, old: Arrays) -> Arrays:
    """Return arrays that go on from `old`, which have one class less.

    The one filter of two classes becomes two of three, each with half of its coefficients. The new one begins
    with the constant of a class that has one of the rows so far.
    """
    new = {name: fresh[name] if array.axes[-1] in LANES else old[name] for name, array in declared.items()}
    for name, array in declared.items():
        if array.axes[-1] in LANES:
            n_models = LANES[array.axes[-1]]
            shape = *old[name].shape[:-1], n_models, -1
            known, parts = old[name].reshape(shape), new[name].copy().reshape(shape)
            n = parts.shape[-1] - 1
            halves = known.shape[-1] < n and name in ("beta", "constant")
            parts[..., :n] = known * np.array([-0.5, 0.5]) if halves else known
            new[name] = parts.reshape(fresh[name].shape)
    constants = new["constant"].reshape(LANES["lane"], -1)
    constants[:, -1] = np.logaddexp.reduce(constants[:, :-1], axis=1) - np.log(old["seen"][0] + 2.0)
    return new
