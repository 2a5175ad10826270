"""Figures 1 to 6 of the paper on robust regression for noisy streams."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from thalweg.papers.figures import Panel, draw_lines, saved
from thalweg.papers.robust import BAGGING, LEAVES, LOANS, NOISE
from thalweg.papers.robust_tables import PAPERS, RIVAL, ROBUST, Runs, Settings, accuracies
from thalweg.papers.running import Results, by_setting

METHODS, ACCURACY = (BAGGING, RIVAL, PAPERS, ROBUST), "accuracy (%)"


def draw(results: Results, folder: Path) -> Iterator[Path]:
    """Draw each figure into `folder`; yield the paths."""
    runs = by_setting(results)
    for number, kind in ((1, "abrupt"), (2, "mixed")):
        panel = _over_chunks(f"Sphere, {kind} shifts, 10 % noise", runs[kind, 0.1, 8], METHODS)
        yield draw_lines(folder / f"figure_{number}.svg", [panel], "chunk", ACCURACY)
    noise = [100 * share for share in NOISE]
    by_noise = {name: (noise, [_mean(runs, share, 8, name) for share in NOISE]) for name in METHODS}
    yield draw_lines(folder / "figure_3.svg", [Panel("By noise", by_noise)], "noise (%)", ACCURACY)
    yield _bars(folder / "figure_4.svg", runs["mixed", 0.1, 8])
    sizes = ["full" if leaves is None else str(leaves) for leaves in LEAVES]
    by_size = {name: (sizes, [_mean(runs, 0.1, leaves, name) for leaves in LEAVES]) for name in METHODS}
    panel = Panel("By the number of leaves, 10 % noise", by_size)
    yield draw_lines(folder / "figure_5.svg", [panel], "leaves", ACCURACY)
    if LOANS in runs:
        panel = _over_chunks("Loans sorted by income, 16 leaves", runs[LOANS], runs[LOANS][0])
        yield draw_lines(folder / "figure_6.svg", [panel], "chunk", ACCURACY)


def _over_chunks(title: str, runs: Runs, methods: Iterable[str]) -> Panel:
    """Return the accuracy of methods after each chunk in per cent, the mean of the runs."""
    curves = {name: 100 * np.mean([run[name]["curve"] for run in runs], axis=0) for name in methods}
    return Panel(title, {name: (range(1, len(curve) + 1), curve) for name, curve in curves.items()})


def _mean(runs: Settings, noise: float, leaves: int | None, method: str) -> float:
    return float(accuracies(runs["mixed", noise, leaves], method).mean())


def _bars(path: Path, runs: Runs) -> Path:
    from matplotlib.figure import Figure

    counts = np.sum([run[ROBUST]["outliers"] for run in runs], axis=0)[:60]
    noisy, new = counts[:, 1], counts[:, 2]
    share = noisy / np.maximum(noisy + new, 1)
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot()
    axes.bar(range(len(share)), 1 - share, label="of a new concept")
    axes.bar(range(len(share)), share, bottom=1 - share, label="noise")
    axes.set(title="Outliers that are noise or of a new concept", xlabel="chunk", ylabel="share")
    axes.legend(fontsize="small")
    return saved(figure, path)
