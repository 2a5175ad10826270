"""What HUWRS's accuracy is on the streams that its paper may mean by RBF with a drift of 0.5 to 10.

    python -m benchmarks.huwrs_readings [--seeds 5]

Accuracy after the first chunk, in per cent, ± standard error over seeds, of HUWRS with the paper's distance
and threshold. Where noise moves, chunks have a tenth of the rows, and noise moves twenty times as far.
"""

import argparse
from functools import partial

import numpy as np

from thalweg.evaluation import chunked
from thalweg.learners import HUWRS
from thalweg.papers.huwrs import SCALE
from thalweg.papers.huwrs_tables import AXES
from thalweg.papers.reports import averaged
from thalweg.streams import RandomRBF, from_arrays

N_ROWS, N_INPUTS, N_SHIFTED = 20_000, 20, 4


def moving(drift, seed, n_centroids=50, walls="stop"):
    """Return the stream whose centroids all move."""
    return RandomRBF(N_ROWS, N_INPUTS, n_centroids=n_centroids, speed=drift, walls=walls, seed=seed)


def added(drift, seed, spread):
    """Return the stream with noise with a moving centre added to some inputs."""
    settings = {"speed": 0, "n_shifted": N_SHIFTED, "shift": SCALE * drift, "spread": spread}
    return RandomRBF(N_ROWS, N_INPUTS, n_centroids=50, **settings, seed=seed)


def replaced(drift, seed, spread):
    """Return the stream of which some inputs are nothing but noise with a moving centre."""
    X, y = next(RandomRBF(N_ROWS, N_INPUTS, n_centroids=50, speed=0, seed=seed).blocks(N_ROWS))
    rng = np.random.default_rng([seed, 1])
    shifted = rng.choice(N_INPUTS, N_SHIFTED, replace=False)
    way = rng.choice([-1, 1], N_SHIFTED) * drift * SCALE / 1e6
    X[:, shifted] = np.arange(N_ROWS)[:, None] * way + rng.normal(0.5, spread, (N_ROWS, N_SHIFTED))
    return from_arrays(X, y)


READINGS = {
    "centroids move, stop at walls": (5000, moving),
    "the same, 10 centroids": (5000, partial(moving, n_centroids=10)),
    "centroids move, turn back at walls": (5000, partial(moving, walls="reflect")),
    "noise is added, spread 0.1": (500, partial(added, spread=0.1)),
    "noise is added, spread 1": (500, partial(added, spread=1.0)),
    "noise is added, spread 5": (500, partial(added, spread=5.0)),
    "noise replaces, spread 0.1": (500, partial(replaced, spread=0.1)),
    "noise replaces, spread 1": (500, partial(replaced, spread=1.0)),
}


def accuracy(stream, chunk, seed):
    """Return the accuracy on the rows after the first chunk, in per cent."""
    learner = HUWRS(chunk_size=chunk, threshold=0.7, distance="plain", random_state=seed)
    run = chunked(stream, learner, size=chunk)
    return 100 * float((run.predicted == run.codes)[chunk:].mean())


def main():
    """Print a line for each reading."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    seeds = range(parser.parse_args().seeds)
    drifts = (0.5, 2, 10)
    print("| reading | chunk |", " | ".join(f"drift {drift}" for drift in drifts), "|")
    print("|---|---:|" + "---:|" * len(drifts))
    print("| axis of figure 1 | |", " | ".join(AXES[f"RBF {drift}"][0] for drift in drifts), "|")
    for name, (chunk, stream) in READINGS.items():
        found = (averaged([accuracy(stream(drift, seed), chunk, seed) for seed in seeds]) for drift in drifts)
        cells = " | ".join(f"{mean:.1f} ± {error:.1f}" for mean, error in found)
        print(f"| {name} | {chunk} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
