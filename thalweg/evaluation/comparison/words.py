"""A comparison in words and in tables of text, for the terminal and the page."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from thalweg.evaluation.baselines import BASELINES
from thalweg.evaluation.comparison.result import LEVEL, Comparison
from thalweg.evaluation.formatting import all_of, formatted, percentage, plus_minus, points


def verdict(comparison: Comparison) -> str:
    """Return in a sentence which learner is ahead, and whether the tests agree."""
    ranks = comparison.mean_ranks()
    if not np.isfinite(ranks).all():
        return "No stream was finished by all learners, so there are no ranks."
    best = int(np.argmin(ranks))
    tests, name = comparison.tests(), comparison.learners[best]
    if len(comparison.learners) == 1:
        return f"{name} alone was run: there is nothing to compare it with but the baselines."
    streams = f"over {len(comparison.ranked)} streams"
    said = f"{name} has the best mean rank, {ranks[best]:.2f} of {len(ranks)}, {streams}"
    if len(comparison.ranked) == 1:
        return _verdict_of_one_stream(comparison, best)
    if np.ptp(ranks) == 0:
        return f"All learners have the same mean rank, {ranks[0]:.2f} of {len(ranks)}, {streams}."
    alike = [
        other
        for m, other in enumerate(comparison.learners)
        if m != best and ranks[m] - ranks[best] <= tests["critical_difference"]
    ]
    friedman = tests["friedman"]
    if friedman is not None and friedman.p_value > LEVEL:
        p_value = f"p = {friedman.p_value:.2g}"
        return f"{said}, but the ranks differ no more than chance allows (Friedman's test, {p_value})."
    test = f"{test_of_pairs(len(ranks))} at {percentage(LEVEL, '.0f')}"
    if not alike:
        return f"{said}, significantly ahead of all others ({test})."
    return f"{said}; so few streams do not tell it from {all_of(alike)} ({test})."


def test_of_pairs(n_learners: int) -> str:
    """Return the name of the test behind the critical difference."""
    return "the sign test" if n_learners == 2 else "Nemenyi's test"


def _verdict_of_one_stream(comparison: Comparison, best: int) -> str:
    stream, name = comparison.ranked[0], comparison.learners[best]
    scores = comparison.scores()[0]
    second = int(np.argsort(-scores, kind="stable")[1])
    found = comparison.paired(name, comparison.learners[second], stream=stream)
    gap = plus_minus(points(found.mean), found.standard_error)
    other = comparison.learners[second]
    return f"On {stream} {name} is ahead of {other} by {gap} points, {found.in_words(LEVEL)}."


class Accuracy(NamedTuple):
    """An accuracy in a table: its standard error, NaN if it has none, and whether it is a stream's best."""

    value: float
    error: float = math.nan
    is_best: bool = False

    def __str__(self) -> str:
        return plus_minus(points(self.value), self.error)


def accuracy_rows(
    comparison: Comparison, cell: Callable[[Accuracy], str], name: Callable[[str], str] = str
) -> list[list[str]]:
    """Return the table of accuracies of learners and baselines; `cell` and `name` word what is in it."""
    values, errors, ranks = comparison.table(), comparison.spread(), comparison.mean_ranks()
    best = [np.nanmax(row) if np.isfinite(row).any() else math.nan for row in values]
    rows = [["", "mean rank", *map(name, comparison.streams)]]
    for m in best_first(comparison):
        cells = map(Accuracy, values[:, m], errors[:, m], values[:, m] == best)
        rows.append([name(comparison.learners[m]), formatted(ranks[m], ".2f"), *map(cell, cells)])
    for baseline, accuracies in comparison.baselines().items():
        rows.append([name(BASELINES[baseline].title), "", *(cell(Accuracy(value)) for value in accuracies)])
    return rows


def about_errors(comparison: Comparison) -> str:
    """Return in a sentence what the numbers before and after the ± are."""
    n = comparison.n_seeds
    if n == 1:
        return "± is the standard error, which allows for errors that come in runs."
    means = f"Means over {n} seeds ± standard error, over seeds"
    same_rows = any(run.get("same_rows") for run in comparison.results.values())
    return f"{means}, and over rows where all seeds have the same rows." if same_rows else f"{means}."


def best_first(comparison: Comparison) -> list[int]:
    """Return the learners by mean rank, the best first."""
    return np.argsort(comparison.mean_ranks(), kind="stable").tolist()


def pair_rows(comparison: Comparison, tests: dict[str, Any]) -> list[list[str]]:
    """Return a line for each pair of learners: streams won, as good and lost, and Wilcoxon's p-value."""
    rows = [["", "better", "as good", "worse", "Wilcoxon, p"]]
    order = best_first(comparison)
    can_show = streams_needed(len(order)) <= len(comparison.ranked)
    for i, a in enumerate(order):
        for b in order[i + 1 :]:
            won, tied, lost = tests["wins"][a, b]
            pair = f"{comparison.learners[a]} against {comparison.learners[b]}"
            p_value = f"{tests['wilcoxon'][a, b]:.2g}" if can_show else "too few streams"
            rows.append([pair, str(won), str(tied), str(lost), p_value])
    return rows


def streams_needed(n_learners: int) -> int:
    """Return the least number of streams with which Wilcoxon's test can find a difference.

    For a learner that wins on all n streams p is 2 / 2**n; Holm's method multiplies it by the pairs.
    """
    n_pairs = n_learners * (n_learners - 1) / 2
    return math.ceil(1 + math.log2(n_pairs / LEVEL))


def about_few_streams(comparison: Comparison) -> str:
    """Return a sentence if there are too few streams for Wilcoxon's test to find anything, else nothing."""
    n, needed = len(comparison.ranked), streams_needed(len(comparison.learners))
    if n >= needed:
        return ""
    learners = len(comparison.learners)
    return (
        f"{n} streams cannot show by Wilcoxon's test that a learner is better, even if it wins on all: "
        f"with {learners} learners that takes at least {needed} streams."
    )


KEPT_MARK = "†"
ABOUT_KEPT = f"{KEPT_MARK} Timed in an earlier call, whose results were kept"


def about_kept(comparison: Comparison, remedy: str) -> str:
    """Return a sentence if times are those of an earlier call, and how to measure again; else nothing."""
    return f"{ABOUT_KEPT}: {remedy} measures again." if comparison.kept().any() else ""
