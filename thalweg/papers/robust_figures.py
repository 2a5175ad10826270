"""Figures 1 to 6 of the paper on robust regression for noisy streams."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from thalweg.papers.figures import Panel, draw_lines, saved
from thalweg.papers.robust import BAGGING, CHUNKS, LEAVES, LOANS, NOISE
from thalweg.papers.robust_results import (
    FOLDS,
    ONE_OF_LOANS,
    PAPERS,
    RIVAL,
    ROBUST,
    Runs,
    Settings,
    outlier_counts,
    values,
)
from thalweg.papers.running import Results, by_setting

ACCURACY = "accuracy (%)"
HALVES, WHOLE = (BAGGING, RIVAL, PAPERS, ROBUST), (ROBUST, FOLDS, "AWE", "SEA")
LINES = (BAGGING, RIVAL, PAPERS, ROBUST, FOLDS, "AWE", "SEA")
STYLES = {FOLDS: "--", "AWE": "--", "SEA": "--"}  # trees on whole chunks


def draw(results: Results, folder: Path) -> Iterator[Path]:
    """Draw each figure into `folder`; yield the paths."""
    runs = by_setting(results)
    for number, kind in ((1, "abrupt"), (2, "mixed")):
        panels = _over_chunks(f"Sphere, {kind} shifts, 10 % noise", runs[kind, 0.1, 8])
        yield draw_lines(folder / f"figure_{number}.svg", panels, "chunk", ACCURACY)
    noise = {f"{100 * share:g}": runs["mixed", share, 8] for share in NOISE}
    yield _by(folder / "figure_3.svg", {"By noise, 8 leaves": noise}, "noise (%)")
    yield _bars(folder / "figure_4.svg", runs["mixed", 0.1, 8])
    sizes = {_short(leaves): runs["mixed", 0.1, leaves] for leaves in LEAVES}
    yield _by(folder / "figure_5.svg", {"By the number of leaves, 10 % noise": sizes}, "leaves")
    if ONE_OF_LOANS in runs:
        panels = _over_chunks("Loans by income, 16 leaves", runs[ONE_OF_LOANS])
        yield draw_lines(folder / "figure_6.svg", panels, "chunk", ACCURACY)
        yield _by(folder / "figure_6_sizes.svg", _loans_by_size(runs), "leaves")


def _over_chunks(title: str, runs: Runs) -> list[Panel]:
    """Return the accuracy after each chunk, the mean of the runs, with trees on halves and whole chunks."""
    panels = []
    for ending, methods in (("halves of chunks", HALVES), ("whole chunks", WHOLE)):
        lines = {}
        for name in methods:
            curve = 100 * np.mean([run[name]["curve"] for run in runs if name in run], axis=0)
            lines[name] = range(1, len(curve) + 1), curve
        panels.append(Panel(f"{title}: {ending}", lines))
    return panels


def _by(path: Path, panels: Mapping[str, Mapping[str, Runs]], x_title: str) -> Path:
    """Draw the mean accuracy of methods by a setting: {title: {its value: runs}}."""
    made = [
        Panel(title, {
            name: (list(cases), [float(values(runs, name).mean()) for runs in cases.values()])
            for name in LINES
        })
        for title, cases in panels.items()
    ]
    return draw_lines(path, made, x_title, ACCURACY, STYLES)


def _loans_by_size(runs: Settings) -> dict[str, dict[str, Runs]]:
    return {
        f"Loans, chunks of {chunk:,}": {_short(leaves): runs[LOANS, chunk, leaves] for leaves in LEAVES}
        for chunk in CHUNKS
    }


def _short(leaves: int | None) -> str:
    return "full" if leaves is None else str(leaves)


def _bars(path: Path, runs: Runs) -> Path:
    from matplotlib.figure import Figure

    counts = outlier_counts(runs, ROBUST).sum(axis=0)[:60]
    noisy, new = counts[:, 1], counts[:, 2]
    share = noisy / np.maximum(noisy + new, 1)
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot()
    axes.bar(range(len(share)), 1 - share, label="of a new concept")
    axes.bar(range(len(share)), share, bottom=1 - share, label="noise")
    axes.set(title="Outliers that are noise or of a new concept", xlabel="chunk", ylabel="share")
    axes.legend(fontsize="small")
    return saved(figure, path)
