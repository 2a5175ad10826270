"""Figures 1 to 7 and 10 to 12 of the paper on particle filters."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from thalweg._types import Floats
from thalweg.papers.figures import saved
from thalweg.papers.particle_filter import BATCHES, BOUNDARY, TABLE_3, stream_of
from thalweg.papers.particle_filter_tables import ByCase, accuracies, courses
from thalweg.papers.running import Results, by_setting

BLUE, RED, GREY, MAGENTA, GREEN = "#1d5fd1", "#b42318", "#64707d", "#b5179e", "#1a7f37"
RIVALS = {"LB-HT": "LB-HT", "DWM-NB": "DWM-NB"}


def draw(results: Results, folder: Path) -> Iterator[Path]:
    """Draw each figure into `folder`; yield the paths."""
    from matplotlib.figure import Figure

    by_case = by_setting(results)
    for number, paint in FIGURES.items():
        if number in (5, 6) and ("ELEC", BOUNDARY) not in by_case:
            continue
        figure = Figure(figsize=(9, 9 if number == 7 else 3.6), layout="constrained")
        paint(figure, by_case)
        yield saved(figure, folder / f"figure_{number}.svg")


def gaussian_track(seed: int = 1, n_steps: int = 100, n_particles: int = 1000) -> tuple[Floats, Floats]:
    """Figure 1: a state that drifts, and jumps at step 50, and the mean of the filter: (n, 2) each."""
    rng = np.random.default_rng(seed)
    state, particles = np.zeros(2), np.zeros((n_particles, 2))
    states, means = [], []
    for n in range(n_steps):
        state = state + rng.normal(size=2) + (10 if n == 50 else 0)
        seen = state + rng.normal(size=2)
        particles = particles + rng.normal(size=particles.shape)
        score = -0.5 * ((particles - seen) ** 2).sum(axis=1)
        weights = np.exp(score - score.max())
        weights /= weights.sum()
        states.append(state)
        means.append(weights @ particles)
        particles = particles[rng.choice(n_particles, n_particles, p=weights)]
    return np.array(states), np.array(means)


def _tracking(figure: Any, by_case: ByCase) -> None:
    states, means = gaussian_track()
    for j, axes in enumerate(figure.subplots(1, 2)):
        axes.plot(states[:, j], color="black", label="state")
        axes.plot(means[:, j], "--", color=RED, label="mean of the filter")
        axes.set(xlabel="step", ylabel=f"β{'₁₂'[j]}")
        axes.legend()


def _over_batches(stream: str, names: dict[str, str]) -> Callable[[Any, ByCase], None]:
    def paint(figure: Any, by_case: ByCase) -> None:
        axes = figure.subplots()
        _draw_courses(axes, by_case, stream, names)
        for drift in stream_of(stream, 0).drifts if stream != "MANY" else ():
            axes.axvline(drift / 50, color=MAGENTA, lw=0.7, ls=":")
        axes.set(ylabel="accuracy, per cent")

    return paint


def _draw_courses(axes: Any, by_case: ByCase, stream: str, names: dict[str, str]) -> None:
    # The mean over the runs, and a band of one standard error around it.
    styles = zip((BLUE, "black", RED, GREEN, GREY), ("-", "--", ":", "-", "-."), strict=True)
    for (name, label), (colour, style) in zip(names.items(), styles, strict=False):
        mean, error = courses(by_case, stream, name)
        axes.plot(mean, style, color=colour, label=label, lw=1.2)
        axes.fill_between(np.arange(len(mean)), mean - error, mean + error, color=colour, alpha=0.15, lw=0)
    axes.set(xlabel="batch", title=stream)
    axes.legend(loc="lower right", fontsize="small")


def _by_batch_size(figure: Any, by_case: ByCase) -> None:
    axes = figure.subplots()
    paper, deviation = zip(*TABLE_3, strict=True)
    axes.errorbar(BATCHES, paper, deviation, color=GREY, fmt="o--", capsize=3, label="paper")
    for name, colour in (("PF-LR", BLUE), ("tracking", RED)):
        runs = [accuracies(by_case)["ELEC", f"{name}, B = {size}"] for size in BATCHES]
        spread = [np.std(run, ddof=1) for run in runs]
        axes.errorbar(BATCHES, [np.mean(run) for run in runs], spread, color=colour, fmt="o-", capsize=3,
                      label=f"ours, {name}")
    axes.axhline(85.3, color="black", lw=0.8, ls=":", label="repeat the last label")
    axes.set(xlabel="batch size B", ylabel="accuracy, per cent", ylim=(84, 95))
    axes.legend(loc="lower left")


def _prices(figure: Any, by_case: ByCase) -> None:
    run = by_case["ELEC", BOUNDARY][0]
    price, label, boundary = (np.array(run[name]) for name in ("price", "label", "boundary"))
    axes = figure.subplots()
    at = np.arange(len(price))
    dots = {"ms": 2.5, "ls": "", "rasterized": True}
    axes.plot(at[label == 0], price[label == 0], marker="v", color=RED, label="DOWN", **dots)
    axes.plot(at[label == 1], price[label == 1], marker="o", color="black", label="UP", **dots)
    axes.plot(at, boundary, color=BLUE, lw=1, label="boundary, B = 10")
    axes.set(xlabel="row", ylabel="nswprice", ylim=(0, np.quantile(price, 0.999) * 1.1))
    axes.legend()


def _regularised(figure: Any, by_case: ByCase) -> None:
    for stream, axes in zip(PLAIN, figure.subplots(3, 2, sharey="row"), strict=True):
        _draw_courses(axes[0], by_case, stream, {"RegPF-LR": "RegPF-LR"} | RIVALS)
        _draw_courses(axes[1], by_case, stream, {"RegPF-LR": "RegPF-LR", PLAIN[stream]: "PF-LR"})
        axes[0].set(ylabel="accuracy, per cent")


def _by_likelihood(figure: Any, by_case: ByCase) -> None:
    for stream, axes in zip(PLAIN, figure.subplots(1, 3), strict=True):
        names = {PLAIN[stream]: "by accuracy", "by likelihood": "by likelihood"}
        _draw_courses(axes, by_case, stream, names)


PLAIN = {"SEA": "PF-LR, warm-up 500", "CIRCLES": "PF-LR", "MANY": "PF-LR, warm-up 500"}
TRACKING = {"+ widening (default)": "tracking form"}
FIGURES = {
    1: _tracking,
    2: _over_batches("SEA", {PLAIN["SEA"]: "PF-LR"} | RIVALS | TRACKING),
    3: _over_batches("CIRCLES", {"PF-LR": "PF-LR"} | RIVALS | {"tracking (default)": "tracking form"}),
    4: _over_batches(
        "MANY", {PLAIN["MANY"]: "PF-LR"} | RIVALS | TRACKING | {"PF-LR, U(0, 1) start": "U(0, 1) start"}
    ),
    5: _by_batch_size,
    6: _prices,
    7: _regularised,
    10: _by_likelihood,
    11: _over_batches(
        "HYPERPLANE",
        {
            "PF-LR, refit below 0.75": "PF-LR with detection and selection",
            "tracking, refit below 0.75": "tracking form with them",
            "PF-LR, warm-up 500": "PF-LR without",
        },
    ),
    12: _over_batches("HYPERPLANE", {"PF-LR, refit below 0.75": "PF-LR"} | RIVALS),
}
