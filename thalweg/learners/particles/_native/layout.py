"""The arrays of a particle filter, and which of their values contradict each other."""

from typing import Any

import numpy as np

from thalweg._native.fields import Field, checked_fields, counter, require
from thalweg._native.layout import FLOAT, INDEX, WORD, Array, Layout
from thalweg._native.ring_layout import check_ring, ring_layout
from thalweg._types import Arrays, Lengths
from thalweg.errors import StateError

LARGEST = 1.1e150  # inputs and their means, rounding allowed for
MOST_COEFFICIENT = 1e100
MOST_NUMBERS = 2**27  # of particles, of a batch's values, of the best set's coefficients: a GiB each
LOWEST_LOG_SPREAD = -7.0

COUNTS = (
    counter("step"),
    counter("started", 1),
    counter("n_kept"),
    counter("n_voters", 32),
    counter("chosen"),
    counter("n_refits"),
    counter("opened", 1),
    counter("n_steps"),
)
MEASURES = (
    Field("n_seen", 0.0, 1e101),
    Field("buffered", 0.0, 1e101),
    Field("error", -1e-6, 1 + 1e-6),
    Field("accuracy", -1e-6, 1 + 1e-6, others=(-1.0,)),
    Field("spread", 0.0),
)


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
        "counts": Array(INDEX, len(COUNTS), low=0),
        "measures": Array(FLOAT, len(MEASURES)),
        "seed": Array(WORD, 1),
        "seen": Array(FLOAT, "class", low=0.0, high=1e200),
        "mean": Array(FLOAT, "input", low=-LARGEST, high=LARGEST),
        "squares": Array(FLOAT, "input", low=0.0, high=1e300),
        "active": Array(FLOAT, "coefficient", low=0.0, high=1.0, fill=1.0),
        "centre": coefficients(),
        "averages": coefficients("average"),
        "tallies": Array(FLOAT, "candidate", low=0.0, high=10 + 1e-6),
        "predictor": Array(FLOAT, "predictor"),
        "voters": Array(FLOAT, "voters"),
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
    return layout


def check_filter(arrays: Arrays, settings: dict[str, Any], lengths: Lengths, who: str) -> None:
    """Raise StateError if arrays that fit their declarations contradict each other."""
    counts = checked_fields(COUNTS, arrays["counts"], arrays["counts"], who)
    measures = checked_fields(MEASURES, arrays["measures"], arrays["measures"], who)
    _check_kept(counts, arrays, settings, who)
    _check_buffer(counts, measures, arrays, settings, who)
    require(counts["chosen"] <= lengths["average"], who, "'chosen' is no candidate")
    spreads = (settings["spread"], settings["wide_spread"] or settings["spread"])
    require(measures["spread"] in spreads, who, f"'spread' is {measures['spread']}, not one of {spreads}")
    if not np.isin(arrays["active"], (0.0, 1.0) if settings["refit_below"] else (1.0,)).all():
        raise StateError(f"{who}: the state's 'active' must hold 0 or 1, and only 1 where nothing is fitted")
    steepest = np.abs(np.r_[arrays["predictor"], arrays["voters"]]).max()
    require(steepest <= 1e307, who, "'predictor' or 'voters' hold a number that is too large")


def _check_kept(counts: dict[str, float], arrays: Arrays, settings: dict[str, Any], who: str) -> None:
    n_kept = counts["n_kept"]
    most = min(len(arrays["kept"]), settings["n_particles"] + 1)
    require(n_kept <= most, who, f"'n_kept' is {n_kept}, more than the {most} there can be")
    require((n_kept > 0) == (counts["step"] > 0), who, "'n_kept' and 'step' must both be 0 or neither")
    require((counts["n_voters"] > 0) == bool(counts["started"]), who, "'n_voters' does not fit 'started'")
    require(counts["step"] > 0 or not counts["started"], who, "'started' is 1 before the first step")
    if "parents" in arrays and (arrays["parents"] >= max(n_kept, 1)).any():
        raise StateError(f"{who}: the state's 'parents' hold a position beyond the {n_kept} kept particles")


def _check_buffer(
    counts: dict[str, float], measures: dict[str, float], arrays: Arrays, settings: dict[str, Any], who: str
) -> None:
    check_ring(arrays, who)
    (first, n), started = arrays["span"].tolist(), counts["started"] > 0
    n_steps = 1 if started else 1 + settings["n_warmup"]
    require(first == 0, who, "'span' says that rows of a batch have been dropped")
    total = arrays["w"][:n].sum()
    require(abs(measures["buffered"] - total) <= 1e-6 * total, who, "'buffered' is not the sum of 'w'")
    if counts["opened"]:
        require(n > 0 and total > 0, who, "'opened' is 1, but there are no rows")
        require(counts["n_steps"] <= n_steps, who, f"'n_steps' is {counts['n_steps']}, more than {n_steps}")
        require(started or counts["step"] == counts["n_steps"], who, "'n_steps' is not 'step'")
    else:
        is_full = max(n, measures["buffered"]) >= settings["batch_size"]
        require(not is_full, who, "a full batch is not learned")
        require(counts["n_steps"] == 0, who, "'n_steps' is not 0, but no batch is being learned")
        require(started or counts["step"] == 0, who, "there were steps, but no batch is learned")
