"""Figures 1 to 6 of the paper on robust regression for noisy streams."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from thalweg._types import Floats
from thalweg.papers.robust import LEAVES, NOISE
from thalweg.papers.robust_tables import (
    BAGGING,
    PAPERS,
    RIVAL,
    ROBUST,
    Runs,
    Settings,
    accuracies,
    by_setting,
)
from thalweg.papers.running import Results

METHODS = (BAGGING, RIVAL, PAPERS, ROBUST)


def draw_all(results: Results, folder: Path) -> Iterator[Path]:
    """Draw each figure into `folder`; yield the paths."""
    runs = by_setting(results)
    for number, kind in ((1, "abrupt"), (2, "mixed")):
        curves = {name: mean_curve(runs[kind, "0.1", "8"], name) for name in METHODS}
        yield _lines(folder / f"figure_{number}.png", f"Sphere, {kind} shifts, 10 % noise", curves, "block")
    by_noise = {name: [_mean(runs, f"{noise:g}", "8", name) for noise in NOISE] for name in METHODS}
    yield _lines(folder / "figure_3.png", "By noise", by_noise, "noise (%)", [100 * x for x in NOISE])
    yield _bars(folder / "figure_4.png", runs["mixed", "0.1", "8"])
    sizes = ["full" if leaves is None else str(leaves) for leaves in LEAVES]
    by_size = {name: [_mean(runs, "0.1", str(leaves), name) for leaves in LEAVES] for name in METHODS}
    yield _lines(folder / "figure_5.png", "By the number of leaves, 10 % noise", by_size, "leaves", sizes)
    if ("loans", "0", "16") in runs:
        curves = {name: 100 * np.array(run["curve"]) for name, run in runs["loans", "0", "16"][0].items()}
        yield _lines(folder / "figure_6.png", "Loans sorted by income, 16 leaves", curves, "block")


def mean_curve(runs: Runs, method: str) -> Floats:
    """Return the accuracy after each block in per cent, the mean of the runs."""
    return 100 * np.mean([run[method]["curve"] for run in runs], axis=0)


def _mean(runs: Settings, noise: str, leaves: str, method: str) -> float:
    return float(accuracies(runs["mixed", noise, leaves], method).mean())


def _lines(
    path: Path, title: str, curves: dict[str, Any], axis: str, places: list[Any] | None = None
) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for name, curve in curves.items():
        axes.plot(range(1, len(curve) + 1) if places is None else places, curve, label=name, linewidth=1)
    axes.set(title=title, xlabel=axis, ylabel="accuracy (%)")
    axes.legend(fontsize="small")
    figure.savefig(path)
    return path


def _bars(path: Path, runs: Runs) -> Path:
    from matplotlib.figure import Figure

    counts = np.sum([run[ROBUST]["outliers"] for run in runs], axis=0)[:60]
    noisy, new = counts[:, 1], counts[:, 2]
    share = noisy / np.maximum(noisy + new, 1)
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot()
    axes.bar(range(len(share)), 1 - share, label="of a new concept")
    axes.bar(range(len(share)), share, bottom=1 - share, label="noise")
    axes.set(title="Outliers that are noise or of a new concept", xlabel="block", ylabel="share")
    axes.legend(fontsize="small")
    figure.savefig(path)
    return path
