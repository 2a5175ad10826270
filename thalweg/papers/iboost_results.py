"""Results of the runs of the paper on incremental boosting, by stream and method."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from thalweg._types import Floats
from thalweg.papers.iboost import ORDERS
from thalweg.papers.reports import Mean, averaged
from thalweg.papers.running import Result, Results, by_setting

Runs: TypeAlias = dict[Any, list[Result]]  # by method; those with stumps by their setting


def by_stream(results: Results) -> dict[str, Runs]:
    """Return {stream: {method: its runs by seed}}; an OCB of stumps without an order has the best one's."""
    found: dict[str, Runs] = {}
    in_order = dict(sorted(results.items(), key=lambda item: item[0][1]))
    for (stream, method), runs in by_setting(in_order).items():
        found.setdefault(stream, {})[method] = runs
    stumps = found["stumps"]
    for best in {each._replace(order=None) for each in stumps if each.method == "OCB"}:
        tried = [stumps[best._replace(order=order)] for order in ORDERS]
        stumps[best] = max(tried, key=lambda runs: float(values_of(runs, "accuracy").mean()))
    return found


def mean_of(runs: Sequence[Result] | None, what: str) -> Mean | None:
    """Return mean and standard error of one number over runs, in per cent unless it is a time."""
    if not runs or runs[0][what] is None:
        return None
    return averaged(values_of(runs, what))


def values_of(runs: Sequence[Result], what: str) -> Floats:
    """Return one number of each run, in per cent unless it is a time."""
    return np.array([run[what] for run in runs], dtype=float) * (1 if what == "seconds" else 100)
