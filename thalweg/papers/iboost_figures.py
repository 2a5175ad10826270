"""Figures 2 to 6 of the paper on incremental boosting."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from thalweg.papers.iboost import EVERY
from thalweg.papers.iboost_tables import Runs, by_name, with_best_order
from thalweg.papers.running import Results

SIZE = " M=200 n=200"


def draw_all(results: Results, folder: Path) -> Iterator[Path]:
    """Draw each figure into `folder`; yield the paths."""
    runs = with_best_order(by_name(results))
    stumps = {
        name.removesuffix(SIZE): found
        for name, found in runs["stumps"].items()
        if name.endswith(SIZE) and not name.startswith("OCB o=")
    }
    panels = {2: ("SEA, stumps, M = n = 200", stumps), 3: ("SEA, naive Bayes, M = 50", runs["SEA"])}
    panels[5], panels[6] = ("LED, M = 20", runs["LED"]), ("RBF, M = 20", runs["RBF"])
    if "Santa Fe" in runs:
        panels[4] = ("Santa Fe, naive Bayes, M = 50", runs["Santa Fe"])
    for number, (title, methods) in sorted(panels.items()):
        axis = "row" if number < 5 else "% of the rows"
        yield _figure(folder / f"figure_{number}.png", title, methods, axis)


def _figure(path: Path, title: str, methods: Runs, axis: str) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for name, runs in methods.items():
        curve = np.mean([run["curve"] for run in runs], axis=0)
        rows = np.arange(1, len(curve) + 1) * (EVERY if axis == "row" else 1)
        axes.plot(rows, curve, label=name, linewidth=1)
    axes.set(title=title, xlabel=axis, ylabel="accuracy")
    axes.legend(fontsize="small")
    figure.savefig(path)
    return path
