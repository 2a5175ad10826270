"""Which inputs count over time, drawn for the page of a run."""

from collections.abc import Sequence

import numpy as np

from thalweg._types import Floats
from thalweg.evaluation.history import History
from thalweg.evaluation.pages.charts import MOST_LINES, style_of
from thalweg.evaluation.pages.page import text
from thalweg.evaluation.pages.svg import Line, both, plain_scale
from thalweg.evaluation.run import Run

MOST_PARTS = 10
NOTES = {
    "importance in splits": "Each column's share in what the splits of the trees gained.",
    "coefficient": "By how much the score of a class rises with the input, in the units of the input; with "
    "more than two classes, the class stands behind the input. Of the time of day, weekday, month and words "
    "of a text: by how much the score swings with them.",
    "accuracy lost by shuffling": "How much less accurate the learner is on rows it has not learned if the "
    "values of a column are shuffled.",
    "log-loss gained by shuffling": "How much its log-loss on rows it has not learned rises if the values of "
    "a column are shuffled.",
}


def explanations(run: Run, runs: Sequence[Run]) -> str:
    """Return the HTML of the charts of inputs over time, one for each watcher that found something.

    All `runs` of a page show the same inputs in the same colours: those that count most over all of them.
    """
    return "".join(_chart(run, history, _most_important(history.title, runs)) for history in run.explanations)


def _most_important(title: str, runs: Sequence[Run]) -> list[str]:
    """Return the names of the inputs with the largest mean share, in the order of the inputs."""
    total: dict[str, float] = {}
    for history in (each.wholes() for run in runs for each in run.explanations if each.title == title):
        sizes = np.nan_to_num(np.nanmedian(np.abs(history.values), axis=0))
        for name, size in zip(history.names, sizes / max(sizes.sum(), 1e-300), strict=True):
            total[name] = total.get(name, 0.0) + float(size)
    kept = set(sorted(total, key=lambda name: -total[name])[:MOST_LINES])
    return [name for name in total if name in kept]


def _chart(run: Run, whole: History, names: list[str]) -> str:
    history = whole.wholes()
    shown = [name for name in names if name in history.names]
    values = history.values[:, [history.names.index(name) for name in shown]]
    inside, note = _inside(values)
    lines = [
        Line(name, style_of(names.index(name)), history.rows, inside[:, i]) for i, name in enumerate(shown)
    ]
    n_rows = max(run.n_rows, int(history.rows.max()))
    picture = both(lines, n_rows, [], history.title, plain_scale(inside))
    n_all = len(history.names)
    largest = f" The {len(lines)} largest of {n_all}." if len(lines) < n_all else ""
    said = f"{NOTES.get(history.title, '')}{largest}{note}"
    parts = "".join(f"<br/>{text(line)}" for line in part_lines(whole, shown))
    return f'<figure>{picture}</figure><p class="note">{said}{parts}</p>'


def part_lines(history: History, names: Sequence[str]) -> list[str]:
    """Return for each of `names` that has parts a line with the latest number of each part."""
    latest, lines = history.latest(), []
    for name in names:
        parts = [each for each in history.parts.get(name, ()) if each in latest]
        if parts:
            ordered = sorted(parts, key=lambda part: -abs(latest[part]))[:MOST_PARTS]
            listed = ", ".join(f"{part.removeprefix(f'{name}: ')} {latest[part]:.3f}" for part in ordered)
            lines.append(f"{name}, lately: {listed}")
    return lines


def _inside(values: Floats) -> tuple[Floats, str]:
    """Return the values within the range of most of them, and a note if some few are far outside."""
    low, high = np.nanquantile(values, [0.02, 0.98])
    low, high = low - (high - low), high + (high - low)
    if not low < high or (np.nanmin(values) >= low and np.nanmax(values) <= high):
        return values, ""
    extremes = " to ".join(f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
                           for value in (np.nanmin(values), np.nanmax(values)))
    return np.clip(values, low, high), f" Peaks are cut off: the values are {extremes}."
