"""Figures 1 to 7 and 10 to 12 of the paper on particle filters; 11 and 12 are one here."""

import numpy as np

from thalweg.papers.particle_filter import BATCHES, TABLE_3, stream_of
from thalweg.papers.particle_filter_tables import accuracies, courses, gathered

BLUE, RED, GREY, MAGENTA = "#1d5fd1", "#b42318", "#64707d", "#b5179e"


def draw_all(results, folder):
    """Draw each figure into `folder`; yield the paths."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    found = gathered(results)
    for number, paint in FIGURES.items():
        if number in (5, 6) and ("ELEC", "boundary") not in found:
            continue
        figure = Figure(figsize=(9, 3.6), layout="constrained")
        paint(figure, found)
        path = folder / f"particle_filter_{number}.svg"
        with rc_context({"svg.hashsalt": "thalweg"}):
            figure.savefig(path, metadata={"Date": None}, dpi=120)
        yield path


def gaussian_track(seed=1, n_steps=100, n_particles=1000):
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


def _tracking(figure, found):
    states, means = gaussian_track()
    for j, axes in enumerate(figure.subplots(1, 2)):
        axes.plot(states[:, j], color="black", label="state")
        axes.plot(means[:, j], "--", color=RED, label="mean of the filter")
        axes.set(xlabel="step", ylabel=f"β{'₁₂'[j]}")
        axes.legend()


def _over_batches(stream, names):
    def paint(figure, found):
        axes = figure.subplots()
        for (name, label), colour in zip(names.items(), (BLUE, RED, GREY, "black"), strict=False):
            axes.plot(courses(found)[stream, name], color=colour, label=label, lw=1.2)
        for drift in stream_of(stream, 0).drifts:
            axes.axvline(drift / 50, color=MAGENTA, lw=0.7, ls=":")
        axes.set(xlabel="batch", ylabel="accuracy, per cent", title=stream)
        axes.legend(loc="lower right")

    return paint


def _by_batch_size(figure, found):
    axes = figure.subplots()
    paper, deviation = zip(*TABLE_3, strict=True)
    axes.errorbar(BATCHES, paper, deviation, color=GREY, fmt="o--", capsize=3, label="paper")
    for name, colour in (("PF-LR", BLUE), ("tracking", RED)):
        runs = [accuracies(found)["ELEC", f"{name}, B = {size}"] for size in BATCHES]
        spread = [np.std(run, ddof=1) for run in runs]
        axes.errorbar(BATCHES, [np.mean(run) for run in runs], spread, color=colour, fmt="o-", capsize=3,
                      label=f"ours, {name}")
    axes.axhline(85.3, color="black", lw=0.8, ls=":", label="repeat the last label")
    axes.set(xlabel="batch size B", ylabel="accuracy, per cent", ylim=(84, 95))
    axes.legend(loc="lower left")


def _prices(figure, found):
    run = found["ELEC", "boundary"][0]
    price, label, boundary = (np.array(run[name]) for name in ("price", "label", "boundary"))
    axes = figure.subplots()
    at = np.arange(len(price))
    dots = {"ms": 2.5, "ls": "", "rasterized": True}
    axes.plot(at[label == 0], price[label == 0], marker="v", color=RED, label="DOWN", **dots)
    axes.plot(at[label == 1], price[label == 1], marker="o", color="black", label="UP", **dots)
    axes.plot(at, boundary, color=BLUE, lw=1, label="boundary, B = 10")
    axes.set(xlabel="row", ylabel="nswprice", ylim=(0, np.quantile(price, 0.999) * 1.1))
    axes.legend()


def _beside(case, labels):
    def paint(figure, found):
        first = {"SEA": "PF-LR, warm-up 500", "MANY": "PF-LR, warm-up 500", "CIRCLES": "PF-LR"}
        for axes, (stream, name) in zip(figure.subplots(1, 3), first.items(), strict=True):
            axes.plot(courses(found)[stream, name], color=BLUE, lw=1, label=labels[0])
            axes.plot(courses(found)[stream, case], "-.", color=RED, lw=1, label=labels[1])
            axes.set(xlabel="batch", title=stream)
            axes.legend()

    return paint


_SEA = {"PF-LR, warm-up 500": "PF-LR", "+ widening (default)": "tracking form"}
_MANY = _SEA | {"PF-LR, U(0, 1) start": "PF-LR, U(0, 1) start, no warm-up"}
_CIRCLES = {"PF-LR": "PF-LR", "tracking (default)": "tracking form", "by likelihood": "by likelihood"}
_PLANES = {
    "PF-LR, refit below 0.75": "PF-LR with detection and selection",
    "PF-LR, N(0, 1) start": "PF-LR",
    "+ widening (default)": "tracking form",
    "tracking, refit below 0.75": "tracking with detection and selection",
}
FIGURES = {
    1: _tracking,
    2: _over_batches("SEA", _SEA),
    3: _over_batches("CIRCLES", _CIRCLES),
    4: _over_batches("MANY", _MANY),
    5: _by_batch_size,
    6: _prices,
    7: _beside("RegPF-LR", ("PF-LR", "RegPF-LR")),
    10: _beside("by likelihood", ("by accuracy", "by likelihood")),
    11: _over_batches("HYPERPLANE", _PLANES),
}
