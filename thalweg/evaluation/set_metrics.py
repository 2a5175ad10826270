"""Metrics of prediction sets: functions of a Run of a `thalweg.trust.PredictionSets`, as those in `metrics`.

Over all rows they return one number; with `window` or `fade`, an array with a number for each row. Rows
without a label are not counted. They are NaN for a Run of a learner that answers with one class.

>>> from thalweg.evaluation import prequential, set_metrics
>>> from thalweg.learners import NaiveBayes
>>> from thalweg.trust import PredictionSets
>>> run = prequential("sea", PredictionSets(NaiveBayes(), coverage=0.95), rows=5000)
>>> round(set_metrics.raw_coverage(run), 2), round(set_metrics.set_size(run), 1)
(0.95, 1.5)
"""

import math
from collections.abc import Callable

import numpy as np

from thalweg.evaluation.formatting import percentage
from thalweg.evaluation.run import Run
from thalweg.evaluation.running_sums import Score, check, ratio, total
from thalweg.evaluation.tally import SETS, set_counts

__all__ = ["coverage", "raw_coverage", "set_size", "single_share"]


def coverage(run: Run, *, window: int | None = None, fade: float | None = None) -> Score:
    """Share of rows whose label is in their set."""
    return _mean(run, "covered", window, fade)


def raw_coverage(run: Run, *, window: int | None = None, fade: float | None = None) -> Score:
    """Share of rows whose label is in their set before the rule that no set is empty."""
    return _mean(run, "held", window, fade)


def set_size(run: Run, *, window: int | None = None, fade: float | None = None) -> Score:
    """Mean number of classes in a set."""
    return _mean(run, "size", window, fade)


def single_share(run: Run, *, window: int | None = None, fade: float | None = None) -> Score:
    """Share of rows whose set has one class."""
    return _mean(run, "single", window, fade)


SET_METRICS: dict[str, Callable[..., Score]] = {
    each.__name__: each for each in (coverage, raw_coverage, set_size, single_share)
}


def plain(run: Run) -> dict[str, float] | None:
    """Return all of them for a Run whose learner answers with sets; None for others."""
    found = {name: metric(run) for name, metric in SET_METRICS.items()}
    return None if math.isnan(found["coverage"]) else found


def in_words(run: Run) -> str:
    """Return a sentence about the sets of a Run; nothing if it has none."""
    found = plain(run)
    if found is None:
        return ""
    wanted = run.parameters.get("coverage")
    aim = "" if wanted is None else f" (wanted: {100 * wanted:g} %)"
    raw = f"{percentage(found['raw_coverage'])} before the rule that no set is empty"
    size = f"{found['set_size']:.2f} classes on average"
    single = f"{percentage(found['single_share'])} of the sets have one class"
    return f"{percentage(found['coverage'])} of the labels are in their sets{aim}, {raw}; {size}; {single}."


def _mean(run: Run, name: str, window: int | None, fade: float | None) -> Score:
    check(window, fade)
    if window is None and fade is None:
        sums = run.tally.sets.sum(axis=0)
        return ratio(sums[SETS.index(name)], sums[SETS.index("rows")])
    if run.sets is None:
        return np.full(len(run.codes), np.nan)
    scored = run.codes >= 0
    values = set_counts(run.sets, run.likeliest == run.codes)[:, SETS.index(name)]
    return ratio(total(np.where(scored, values, 0), window, fade), total(scored, window, fade))
