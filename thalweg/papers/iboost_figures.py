"""Figures 2 to 6 of the paper on incremental boosting."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from thalweg.papers.figures import Panel, draw_lines
from thalweg.papers.iboost import EVERY, METHODS, Stumps
from thalweg.papers.iboost_tables import Runs, by_stream
from thalweg.papers.running import Results


def draw(results: Results, folder: Path) -> Iterator[Path]:
    """Draw each figure into `folder`; yield the paths."""
    runs = by_stream(results)
    stumps = {method: runs["stumps"][Stumps(method)] for method in METHODS}
    panels = {2: ("SEA, stumps, M = n = 200", stumps), 3: ("SEA, naive Bayes, M = 50", runs["SEA"])}
    if "Santa Fe" in runs:
        panels[4] = ("Santa Fe, naive Bayes, M = 50", runs["Santa Fe"])
    panels[5], panels[6] = ("LED, M = 20", runs["LED"]), ("RBF, M = 20", runs["RBF"])
    for number, (title, methods) in panels.items():
        unit, step = ("row", EVERY) if number < 5 else ("% of the rows", 1)
        yield draw_lines(folder / f"figure_{number}.svg", [_panel(title, methods, step)], unit, "accuracy")


def _panel(title: str, methods: Runs, step: int) -> Panel:
    curves = {name: np.mean([run["curve"] for run in runs], axis=0) for name, runs in methods.items()}
    return Panel(title, {name: (step * np.arange(1, len(y) + 1), y) for name, y in curves.items()})
