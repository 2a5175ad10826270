"""The arrays of a particle filter, and which of their values contradict each other."""

from typing import Any

import numpy as np

from thalweg._native.layout import FLOAT, INDEX, WORD, Array, Layout, counter, require
from thalweg._native.ring_layout import check_ring, ring_layout
from thalweg._types import Arrays, Lengths

LARGEST = 1.1e150  # inputs and their means, rounding allowed for
MOST_COEFFICIENT = 1e100
MOST_ENERGY = 1e307  # coefficients of energies, for inputs as they come
MOST_NUMBERS = 2**27  # of particles, of a batch's values, of the best set's coefficients: a GiB each
LOWEST_LOG_SPREAD = -7.0
LEAST_SIZE = 4  # of batches that adapt their size
LEAST_MOVING, MOST_MOVING = 0.3, 3.0  # spreads that follow the centre, in units of `spread`

COUNTS = {
    "step": counter(),
    "started": counter(1),
    "n_kept": counter(),
    "n_voters": counter(),
    "chosen": counter(),
    "n_refits": counter(),
    "opened": counter(1),
    "n_steps": counter(),
}
MEASURES = {
    "n_seen": Array(FLOAT, low=0.0, high=1e101),
    "buffered": Array(FLOAT, low=0.0, high=1e101),
    "error": Array(FLOAT, low=-1e-6, high=1 + 1e-6),
    "accuracy": Array(FLOAT, low=-1e-6, high=1 + 1e-6, others=(-1.0,)),
    "spread": Array(FLOAT, low=0.0),
}
TRIALS = {
    "gain": Array(FLOAT, low=-1e125, high=1e125),
    "squares": Array(FLOAT, low=0.0, high=1e250),
    "n_batches": counter(),
}


def filter_layout(settings: dict[str, Any]) -> Layout:
    """Return the declarations of the arrays."""
    steepest = 1 + 1e-6 if settings["scaled"] else MOST_COEFFICIENT
    log_spread = np.log(settings["spread"])
    lowest, highest = min(LOWEST_LOG_SPREAD, log_spread), max(1e-6, log_spread)

    def coefficients(*axes: str) -> Array:
        return Array(FLOAT, *axes, "coefficient", low=-steepest, high=steepest)

    def spreads(*axes: str) -> Array:
        return Array(FLOAT, *axes, "coefficient", low=lowest, high=highest, fill=log_spread)

    layout = ring_layout(most_value=LARGEST, most_weight=1e100, missing=False) | {
        "counts": Array(INDEX, COUNTS),
        "measures": Array(FLOAT, MEASURES),
        "seed": Array(WORD, 1),
        "seen": Array(FLOAT, "class", low=0.0, high=1e200),
        "mean": Array(FLOAT, "input", low=-LARGEST, high=LARGEST),
        "squares": Array(FLOAT, "input", low=0.0, high=1e300),
        "active": Array(FLOAT, "coefficient", low=0.0, high=1.0, fill=1.0),
        "centre": coefficients(),
        "averages": coefficients("average"),
        "tallies": Array(FLOAT, "candidate", low=0.0, high=10 + 1e-6),
        "predictor": Array(FLOAT, "predictor", low=-MOST_ENERGY, high=MOST_ENERGY),
        "voters": Array(FLOAT, "voters", low=-MOST_ENERGY, high=MOST_ENERGY),
        "kept": coefficients("kept"),
    }
    if settings["regularised"]:
        layout |= {
            "centre_log_spread": spreads(),
            "mean_log_spread": spreads(),
            "kept_log_spread": spreads("kept"),
        }
    if settings["likelihood"]:
        layout["parents"] = Array(INDEX, "particle", low=0)
    if settings["movement"]:
        layout["path"] = Array(FLOAT, "coefficient", low=-2 * steepest, high=2 * steepest)
    if settings["resizing"]:
        largest = settings["batch_size"]
        layout["size"] = Array(INDEX, 1, low=min(LEAST_SIZE, largest), high=largest, fill=largest)
        layout["trials"] = Array(FLOAT, TRIALS)
    return layout


def check_filter(arrays: Arrays, settings: dict[str, Any], lengths: Lengths, who: str) -> None:
    """Raise StateError if arrays that fit their declarations contradict each other."""
    counts = dict(zip(COUNTS, arrays["counts"].tolist(), strict=True))
    measures = dict(zip(MEASURES, arrays["measures"].tolist(), strict=True))
    _check_kept(counts, arrays, settings, who)
    _check_buffer(counts, measures, arrays, settings, who)
    require(counts["chosen"] <= lengths["average"], who, "chosen", "is no candidate")
    _check_spread(measures["spread"], settings, who)
    allowed = (0.0, 1.0) if settings["refit_below"] else (1.0,)
    good = bool(np.isin(arrays["active"], allowed).all())
    require(good, who, "active", "must hold 0 or 1, and only 1 where nothing is fitted")


def _check_spread(spread: float, settings: dict[str, Any], who: str) -> None:
    spreads = (settings["spread"], settings["wide_spread"] or settings["spread"])
    if not settings["movement"]:
        require(spread in spreads, who, "spread", f"is {spread}, not one of {spreads}")
        return
    low, high = 0.999 * LEAST_MOVING * spreads[0], 1.001 * MOST_MOVING * spreads[1]
    require(low <= spread <= high, who, "spread", f"is {spread}, not between {low} and {high}")


def _check_kept(counts: dict[str, float], arrays: Arrays, settings: dict[str, Any], who: str) -> None:
    n_kept = counts["n_kept"]
    most = min(len(arrays["kept"]), settings["n_particles"] + 1)
    require(n_kept <= most, who, "n_kept", f"is {n_kept}, more than the {most} there can be")
    require((n_kept > 0) == (counts["step"] > 0), who, "n_kept", "must be 0 if and only if 'step' is")
    most = settings["most_voters"]
    require(counts["n_voters"] <= most, who, "n_voters", f"is {counts['n_voters']}, more than {most}")
    require((counts["n_voters"] > 0) == bool(counts["started"]), who, "n_voters", "does not fit 'started'")
    require(counts["step"] > 0 or not counts["started"], who, "started", "is 1 before the first step")
    good = "parents" not in arrays or bool((arrays["parents"] < max(n_kept, 1)).all())
    require(good, who, "parents", f"hold a position beyond the {n_kept} kept particles")


def _check_buffer(
    counts: dict[str, float], measures: dict[str, float], arrays: Arrays, settings: dict[str, Any], who: str
) -> None:
    check_ring(arrays, who)
    (first, n), started = arrays["span"].tolist(), bool(counts["started"])
    n_steps = 1 if started else 1 + settings["n_warmup"]
    require(first == 0, who, "span", "says that rows of a batch have been dropped")
    total = arrays["w"][:n].sum()
    require(abs(measures["buffered"] - total) <= 1e-6 * total, who, "buffered", "is not the sum of 'w'")
    if counts["opened"]:
        require(n > 0 and total > 0, who, "opened", "is 1, but there are no rows")
        require(counts["n_steps"] <= n_steps, who, "n_steps", f"is {counts['n_steps']}, more than {n_steps}")
        require(started or counts["step"] == counts["n_steps"], who, "n_steps", "is not 'step'")
    else:
        size = int(arrays["size"][0]) if settings["resizing"] else settings["batch_size"]
        is_full = max(n, measures["buffered"]) >= size
        require(not is_full, who, "span", "has a full batch that is not learned")
        require(counts["n_steps"] == 0, who, "n_steps", "is not 0, but no batch is being learned")
        require(started or counts["step"] == 0, who, "step", "is not 0, but no batch is learned")
