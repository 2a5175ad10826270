"""The figures of Fok, An and Wang (2013), drawn from our runs; needs matplotlib."""

import numpy as np

from thalweg.learners import ParticleFilter
from thalweg.papers.particle_filter import BATCHES, PUBLISHED, TABLE_3, prices, stream_of

BLUE, RED, GREY, MAGENTA = "#1d5fd1", "#b42318", "#64707d", "#b5179e"


def draw(courses, accuracies, folder, data=None):
    """Draw all figures into `folder`; return {file name: caption}.

    Parameters
    ----------
    courses : dict
        Mean accuracy over the batches (per cent) by (stream, case).
    accuracies : dict
        Accuracy of each run (per cent) by (stream, case).
    folder : Path
        Where to write them, as SVG.
    data : str or None
        Folder of the public datasets.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    captions = {}
    for number, (caption, paint) in FIGURES.items():
        figure = Figure(figsize=(9, 3.6), layout="constrained")
        paint(figure, courses, accuracies, data)
        name = f"particle_filter_{number}.svg"
        with rc_context({"svg.hashsalt": "thalweg"}):
            figure.savefig(folder / name, metadata={"Date": None}, dpi=120)
        captions[name] = caption
    return captions


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


def _tracking(figure, courses, accuracies, data):
    states, means = gaussian_track()
    for j, axes in enumerate(figure.subplots(1, 2)):
        axes.plot(states[:, j], color="black", label="state")
        axes.plot(means[:, j], "--", color=RED, label="mean of the filter")
        axes.set(xlabel="step", ylabel=f"β{'₁₂'[j]}")
        axes.legend()


def _over_batches(stream, names, smooth=1):
    def paint(figure, courses, accuracies, data):
        axes = figure.subplots()
        for (name, label), colour in zip(names.items(), (BLUE, RED, GREY, "black"), strict=False):
            course = courses[stream, name]
            course = np.convolve(course, np.ones(smooth) / smooth, "valid")
            axes.plot(np.arange(len(course)) + smooth / 2, course, color=colour, label=label, lw=1.2)
        for drift in stream_of(stream, 0).drifts:
            axes.axvline(drift / 50, color=MAGENTA, lw=0.7, ls=":")
        axes.set(xlabel="batch", ylabel="accuracy, per cent", title=stream)
        axes.legend(loc="lower right")

    return paint


def _by_batch_size(figure, courses, accuracies, data):
    axes = figure.subplots()
    paper, deviation = zip(*TABLE_3, strict=True)
    axes.errorbar(BATCHES, paper, deviation, color=GREY, fmt="o--", capsize=3, label="paper")
    for name, colour in (("PF-LR", BLUE), ("tracking", RED)):
        runs = [accuracies["ELEC", f"{name}, B = {size}"] for size in BATCHES]
        spread = [np.std(run, ddof=1) for run in runs]
        axes.errorbar(BATCHES, [np.mean(run) for run in runs], spread, color=colour, fmt="o-", capsize=3,
                      label=f"ours, {name}")
    axes.axhline(85.3, color="black", lw=0.8, ls=":", label="repeat the last label")
    axes.set(xlabel="batch size B", ylabel="accuracy, per cent", ylim=(84, 95))
    axes.legend(loc="lower left")


def boundary_over_price(data, n_rows=2500, batch=10):
    """Figure 6: the prices, their labels, and the boundary β₀/β₁ in force at each of the first rows."""
    X, y = prices(data)
    learner = ParticleFilter(batch_size=batch, **PUBLISHED).begin(1, [0, 1])
    boundary = np.full(n_rows, np.nan)
    for start in range(0, n_rows, batch):
        rows = slice(start, start + batch)
        learner.test_then_train(X[rows], y[rows])
        offset, slope = learner.coefficients_[0]
        boundary[start + batch : start + 2 * batch] = offset / slope
    return X[:n_rows, 0], y[:n_rows], boundary


def _prices(figure, courses, accuracies, data):
    price, label, boundary = boundary_over_price(data)
    axes = figure.subplots()
    at = np.arange(len(price))
    dots = {"ms": 2.5, "ls": "", "rasterized": True}
    axes.plot(at[label == 0], price[label == 0], marker="v", color=RED, label="DOWN", **dots)
    axes.plot(at[label == 1], price[label == 1], marker="o", color="black", label="UP", **dots)
    axes.plot(at, boundary, color=BLUE, lw=1, label="boundary, B = 10")
    axes.set(xlabel="row", ylabel="nswprice", ylim=(0, np.quantile(price, 0.999) * 1.1))
    axes.legend()


def _likelihood(figure, courses, accuracies, data):
    first = {"SEA": "PF-LR, warm-up 500", "MANY": "PF-LR, warm-up 500", "CIRCLES": "PF-LR"}
    for axes, (stream, name) in zip(figure.subplots(1, 3), first.items(), strict=True):
        axes.plot(courses[stream, name], color=BLUE, lw=1, label="by accuracy")
        axes.plot(courses[stream, "by likelihood"], "-.", color=RED, lw=1, label="by likelihood")
        axes.set(xlabel="batch", title=stream)
        axes.legend()


def _regularised(figure, courses, accuracies, data):
    first = {"SEA": "PF-LR, warm-up 500", "MANY": "PF-LR, warm-up 500", "CIRCLES": "PF-LR"}
    for axes, (stream, name) in zip(figure.subplots(1, 3), first.items(), strict=True):
        axes.plot(courses[stream, name], color=BLUE, lw=1, label="PF-LR")
        axes.plot(courses[stream, "RegPF-LR"], color=RED, lw=1, label="RegPF-LR")
        axes.set(xlabel="batch", title=stream)
        axes.legend()


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
    1: ("Figure 1: a particle filter follows a Gaussian state that drifts and jumps at step 50.", _tracking),
    2: ("Figure 2: SEA, mean over the runs.", _over_batches("SEA", _SEA)),
    3: ("Figure 3: CIRCLES, mean over the runs.", _over_batches("CIRCLES", _CIRCLES)),
    4: ("Figure 4: MANY, mean over the runs; drifts at every second batch.", _over_batches("MANY", _MANY)),
    5: ("Figure 5: ELEC by batch size; bars are standard deviations.", _by_batch_size),
    6: ("Figure 6: the price, its labels and the boundary learned, first 2500 rows.", _prices),
    7: ("Figure 7: RegPF-LR beside PF-LR.", _regularised),
    10: ("Figure 10: particles chosen by accuracy and by likelihood.", _likelihood),
    11: ("Figures 11 and 12: HYPERPLANE, with and without detection.", _over_batches("HYPERPLANE", _PLANES)),
}
