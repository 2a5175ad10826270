"""Which inputs count over time, drawn for the page of a run."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from thalweg._types import Floats
from thalweg.evaluation.curves import Line, input_lines
from thalweg.evaluation.history import History
from thalweg.evaluation.pages.page import text
from thalweg.evaluation.pages.svg import both, plain_scale
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
    """Return the HTML of the charts of inputs over time, one for each observer that found something.

    All `runs` of a page show the same inputs in the same colours: those that count most over all of them.
    """
    return "".join(_chart(run, history, input_lines(history, runs)) for history in run.explanations)


def _chart(run: Run, history: History, lines: list[Line]) -> str:
    inside, cut_off = _inside(np.column_stack([line.y for line in lines]))
    cut = [replace(line, y=inside[:, i]) for i, line in enumerate(lines)]
    n_rows = max(run.end_row, int(history.rows.max()))
    picture = both(cut, n_rows, [], history.title, plain_scale(inside))
    n_all = len(history.wholes().names)
    largest = f" The {len(lines)} largest of {n_all}." if len(lines) < n_all else ""
    said = f"{NOTES.get(history.title, '')}{largest}{cut_off}"
    parts = "".join(f"<br/>{text(line)}" for line in part_lines(history, [line.name for line in lines]))
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
