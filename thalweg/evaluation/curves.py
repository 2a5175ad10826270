"""The lines and numbers of the pictures of a run: the page draws them as SVG, `plots` with matplotlib."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Floats, Ints
from thalweg.evaluation.baselines import BASELINES
from thalweg.evaluation.history import History, numbered
from thalweg.evaluation.metrics import agreement
from thalweg.evaluation.pages.svg_style import N_STYLES
from thalweg.evaluation.run import Run
from thalweg.evaluation.running_sums import ratio
from thalweg.evaluation.tally import ANSWERERS, LEARNER, SETS

MOST_SHARE_PARTS = 64
MOST_LINES = 7
OTHERS = "others"


@dataclass
class Line:
    """One line of a chart: its name, the name of its style (line0 … line7 or a baseline), and its points."""

    name: str
    style: str
    x: NDArray[Any]
    y: Floats


class Curve(NamedTuple):
    """Points over the rows of a stream."""

    rows: NDArray[Any]
    values: Floats


class Shares(NamedTuple):
    """The share of each named class in each part of a run; `rows` are the ends of the parts."""

    rows: Ints
    values: Floats
    names: list[str]


class Confusion(NamedTuple):
    """Counts of true classes (first axis) and answers for named classes; the last may be all others."""

    names: list[str]
    counts: Ints

    @property
    def rates(self) -> Floats:
        """The share of the rows of each true class that got each answer; NaN if the class has no rows."""
        return np.asarray(ratio(self.counts, self.counts.sum(axis=1, keepdims=True)))


class Reliability(NamedTuple):
    """How sure the answers were, how often they were right, and how many rows that is, in ranges."""

    sure: Floats
    right: Floats
    rows: Floats

    @property
    def error(self) -> float:
        """Expected calibration error: the mean distance of sureness and share of correct answers."""
        return float(ratio(np.abs(self.sure - self.right) @ self.rows, self.rows.sum()))

    def shown(self, least: int = 20) -> "Reliability":
        """Return the ranges that have enough rows to say how often answers are right."""
        enough = self.rows >= least
        return Reliability(self.sure[enough], self.right[enough], self.rows[enough])


def style_of(number: int) -> str:
    """Return the style of the line of a run, by its position."""
    return f"line{number % N_STYLES}"


def names_of(runs: Sequence[Run]) -> list[str]:
    """Return a name for each run: the learner, numbered where there are several of one kind."""
    return numbered([run.learner for run in runs])


def accuracy_lines(
    runs: Sequence[Run], window: int | None = None, cumulative: bool = False, baselines: bool = True
) -> list[Line]:
    """Return the accuracy over time of runs on one stream, then that of the baselines."""
    most = 200 if cumulative else max(200, 800 // len(runs))
    lines = [
        Line(name, style_of(i), *over_time(run, window=window, cumulative=cumulative, most=most))
        for i, (run, name) in enumerate(zip(runs, names_of(runs), strict=True))
    ]
    for name, baseline in BASELINES.items() if baselines else ():
        curve = over_time(runs[0], name, window, cumulative, min(most, 400))
        lines.append(Line(baseline.title, name, *curve))
    return lines


def lines_of(series: "Shares | History") -> list[Line]:
    """Return a line for each name: the shares of classes, or the weights of members, over time."""
    return [Line(name, style_of(i), series.rows, series.values[:, i]) for i, name in enumerate(series.names)]


def input_lines(history: History, runs: Sequence[Run], most: int = MOST_LINES) -> list[Line]:
    """Return the lines of the inputs that count most over all `runs`, which have the same style in each."""
    history, names = history.wholes(), _inputs_that_count(history.title, runs, most)
    return [
        Line(name, style_of(i), history.rows, history.values[:, history.names.index(name)])
        for i, name in enumerate(names)
        if name in history.names
    ]


def _inputs_that_count(title: str, runs: Sequence[Run], most: int) -> list[str]:
    """Return the names of the inputs with the largest mean share, in the order of the inputs."""
    total: dict[str, float] = {}
    for history in (each.wholes() for run in runs for each in run.explanations if each.title == title):
        sizes = np.nan_to_num(np.nanmedian(np.abs(history.values), axis=0))
        for name, size in zip(history.names, sizes / max(sizes.sum(), 1e-300), strict=True):
            total[name] = total.get(name, 0.0) + float(size)
    kept = set(sorted(total, key=lambda name: -total[name])[:most])
    return [name for name in total if name in kept]


def usual_window(n: int) -> int:
    """Return a round number near a fiftieth of `n` rows."""
    target = max(10, n / 50)
    power = 10 ** math.floor(math.log10(target))
    return int(min((power, 2 * power, 5 * power, 10 * power), key=lambda choice: abs(choice - target)))


def window_of(run: Run, window: int | None) -> int:
    """Return the window to use for a run: the given one or a usual one, and not more than there are rows."""
    n = run.tally.n
    return max(1, min(window or usual_window(n), n))


def over_time(
    run: Run, answerer: str = LEARNER, window: int | None = None, cumulative: bool = False, most: int = 800
) -> Curve:
    """Return the accuracy over time, thinned out to `most` points.

    It is the accuracy over a sliding window, or over all rows so far if it is `cumulative`; for a holdout
    that of each test; for a run that keeps totals only that of each part.
    """
    if run.keeps_rows:
        answered = run.predicted if answerer == LEARNER else run.baselines[answerer]
        numbers = np.arange(len(run.codes)) if run.row_numbers is None else run.row_numbers
        right, scored = run.codes == answered, run.codes >= 0
    else:
        numbers = run.tally.ends - 1
        right = run.tally.right[: len(numbers), ANSWERERS.index(answerer)]
        scored = run.tally.class_counts[: len(numbers)].sum(axis=1)
    if cumulative:
        x, y = numbers, ratio(np.cumsum(right), np.cumsum(scored))
    elif not run.keeps_rows:
        x, y = numbers, ratio(right, scored)
    elif is_grouped(run):
        x, start = np.unique(numbers, return_index=True)
        y = ratio(np.add.reduceat(right.astype(int), start), np.add.reduceat(scored.astype(int), start))
    else:
        size = window_of(run, window)
        sliding = np.asarray(agreement(run.codes, answered, window=size))
        x, y = numbers[size - 1 :], sliding[size - 1 :]
    kept = np.unique(np.linspace(0, len(x) - 1, min(most, len(x))).round().astype(int))
    return Curve(x[kept], np.atleast_1d(y)[kept])


def title_over_time(run: Run, window: int | None = None, cumulative: bool = False) -> str:
    """Return what `over_time` shows, in words."""
    if cumulative:
        return "accuracy over all rows so far"
    if not run.keeps_rows:
        return f"accuracy of each {run.tally.part_size:,} rows"
    if is_grouped(run):
        return "accuracy of each test"
    return f"accuracy over the last {window_of(run, window):,} rows"


def label_shares(run: Run, most: int = MOST_LINES) -> Shares:
    """Return the share of each class over time; of many classes the most frequent, and all others."""
    tally = run.tally
    n_parts, starts = tally.n_parts, tally.part_starts(MOST_SHARE_PARTS)
    if not n_parts:
        return Shares(np.empty(0, dtype=np.int64), np.empty((0, 0)), [])
    counts = np.add.reduceat(tally.class_counts[:n_parts, : len(run.classes)], starts)
    names, kept, rest = _most_frequent(run, most)
    columns = [counts[:, k] for k in kept] + ([counts[:, rest].sum(axis=1)] if len(rest) else [])
    ends = run.rows_until(tally.ends[np.append(starts[1:], n_parts) - 1])
    values = ratio(np.column_stack(columns), counts.sum(axis=1, keepdims=True))
    return Shares(ends, np.asarray(values), names)


def set_series(run: Run) -> dict[str, Curve]:
    """Return coverage, share of single classes and mean size of prediction sets, in parts of a run.

    Parts without a label are left out; there is nothing if the learner does not answer with sets.
    """
    tally = run.tally
    n_parts, starts = tally.n_parts, tally.part_starts(MOST_SHARE_PARTS)
    if not tally.sets.any():
        return {}
    counts = np.add.reduceat(tally.sets[:n_parts], starts)
    ends = run.rows_until(tally.ends[np.append(starts[1:], n_parts) - 1])
    n_rows = counts[:, SETS.index("rows")]
    known = n_rows > 0
    means = counts[known] / n_rows[known, None]
    return {name: Curve(ends[known], means[:, SETS.index(name)]) for name in ("covered", "single", "size")}


def confusion(run: Run, most: int = 10) -> Confusion:
    """Return the confusion matrix; of many classes the most frequent, and all others together."""
    counts = run.confusion()
    names, kept, rest = _most_frequent(run, most)
    if len(rest):
        counts = np.column_stack([counts[:, kept], counts[:, rest].sum(axis=1)])
        counts = np.vstack([counts[kept], counts[rest].sum(axis=0)])
    return Confusion(names, counts)


def reliability(run: Run) -> Reliability:
    """Return how often answers were right, by how sure the learner was, in ranges that have rows."""
    rows, sure, right = run.tally.bins[:, run.tally.bins[0] > 0]
    return Reliability(sure / rows, right / rows, rows)


def lowest_shown(curves: Sequence[Reliability]) -> float:
    """Return where the axes of a reliability diagram start: 0.5 if no point is below, else 0."""
    return 0.5 if min(np.min([each.sure, each.right], initial=1.0) for each in curves) >= 0.5 else 0.0


def is_grouped(run: Run) -> bool:
    """Return whether several tested rows belong to one row of the stream, as in a holdout."""
    numbers = run.row_numbers
    return numbers is not None and len(numbers) > 1 and bool((numbers[1:] == numbers[:-1]).any())


def _most_frequent(run: Run, most: int) -> tuple[list[str], Ints, Ints]:
    """Return the names and codes of the most frequent classes in their order, and the codes of the others."""
    totals = run.confusion().sum(axis=1)
    if len(totals) <= most:
        return [str(label) for label in run.classes], np.arange(len(totals)), np.empty(0, dtype=np.int64)
    kept = np.sort(np.argsort(-totals, kind="stable")[: most - 1])
    rest = np.setdiff1d(np.arange(len(totals)), kept)
    return [*(str(run.classes[k]) for k in kept), f"{len(rest)} {OTHERS}"], kept, rest
