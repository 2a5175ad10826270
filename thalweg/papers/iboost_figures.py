"""Figures 2 to 6 and table 2 of the paper on incremental boosting; names have our mean and the paper's."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np

from thalweg.papers.figures import Panel, draw_lines
from thalweg.papers.iboost import HELD_OUT, MEMBERS, METHODS, ROWS
from thalweg.papers.iboost_numbers import PAPER_BAYES, in_table_2
from thalweg.papers.iboost_results import Runs, by_stream, values_of
from thalweg.papers.iboost_runs import EVERY, Stumps
from thalweg.papers.running import Results

DRAWN = (*PAPER_BAYES, "IBoost, cap auto")


def draw(results: Results, folder: Path) -> Iterator[Path]:
    """Draw each figure into `folder`; yield the paths."""
    runs = by_stream(results)
    stumps = {method: runs["stumps"][Stumps(method)] for method in METHODS}
    said = {method: in_table_2(method, 200, 200) for method in METHODS}
    panels = {"2": [_panel("SEA, stumps, M = n = 200", stumps, METHODS, said, EVERY)]}
    sea = {name: numbers[0] for name, numbers in PAPER_BAYES.items()}
    panels["3"] = [_panel("SEA, naive Bayes, M = 50", runs["SEA"], DRAWN, sea, EVERY)]
    laser = {name: numbers[1] for name, numbers in PAPER_BAYES.items()}
    if "Santa Fe" in runs:
        panels["4"] = [_panel(stream, runs[stream], DRAWN, laser, EVERY) for stream in HELD_OUT]
    for number, stream in (("5", "LED"), ("6", "RBF")):
        panels[number] = [_panel(f"{stream}, M = 20", runs[stream], DRAWN, {}, 1)]
    for number, parts in panels.items():
        unit = "% of the rows" if number in "56" else "row"
        yield draw_lines(folder / f"figure_{number}.svg", parts, unit, "accuracy")
    yield _table_2(runs["stumps"], folder)


def _panel(title: str, runs: Runs, names: Iterable[str], said: Mapping[str, float], step: int) -> Panel:
    lines = {}
    for name in names:
        y = np.mean([run["curve"] for run in runs[name]], axis=0)
        label = f"{name} {values_of(runs[name], 'accuracy').mean():.1f}"
        label += f", paper {said[name]:g}" if name in said else ""
        lines[label] = step * np.arange(1, len(y) + 1), y
    return Panel(title, lines)


def _table_2(runs: Runs, folder: Path) -> Path:
    # Where a half of the table was not run, as in quick runs, only what was.
    halves = {"M, with n = 200": [(m, 200) for m in MEMBERS], "n, with M = 200": [(200, n) for n in ROWS]}
    panels, styles = [], {}
    for place, (title, sizes) in enumerate(halves.items()):
        lines = {}
        for method in ("stochastic", "batch", "AdaBoost"):
            present = [size for size in sizes if Stumps(method, *size) in runs]
            x = np.array([size[place] for size in present])
            ours = [values_of(runs[Stumps(method, *size)], "accuracy").mean() for size in present]
            lines[method] = x, np.array(ours)
            lines[f"{method}, paper"] = x, np.array([in_table_2(method, *size) for size in present])
            styles[f"{method}, paper"] = "--"
        panels.append(Panel(title, lines))
    return draw_lines(folder / "table_2.svg", panels, "M or n", "accuracy, %", styles)
