"""HUWRS and SlidingHUWRS by the rule that retrains members, on generated streams that no other page reports.

    python -m benchmarks.huwrs_calibration [--seeds 5] [--first 2000]

Accuracy after the first chunk, in per cent, ± standard error over seeds, and in brackets the share of members
that are retrained in the time of a chunk.
"""

import argparse

import numpy as np

from thalweg.evaluation import chunked
from thalweg.learners import HUWRS, HoeffdingTree, SlidingHUWRS
from thalweg.papers.reports import averaged
from thalweg.streams import SEA, Hyperplane, RandomRBF, from_arrays

N_WORDS, ERA = 100, 300


def texts(n_rows, seed, turns):
    """Return rows of rare words from three topics, one of which is liked, or each second era disliked."""
    rng = np.random.default_rng([seed, 7])
    rates = rng.beta(0.5, 12, size=(3, N_WORDS))
    topic = rng.integers(0, 3, n_rows)
    X = (rng.random((n_rows, N_WORDS)) < rates[topic]).astype(float)
    turned = (np.arange(n_rows) // ERA) % 2 == 1 if turns else False
    return X, ((topic == 0) ^ turned).astype(int)


def turned_sea(n_rows, seed):
    """Return rows of SEA with labels that turn around every 1,000 rows."""
    X, y = next(SEA(n_rows, seed=seed).blocks(n_rows))
    return X, np.where((np.arange(n_rows) // 1000) % 2, 1 - y, y)


def rbf(n_rows, seed, **settings):
    """Return rows of RandomRBF."""
    return next(RandomRBF(n_rows, seed=seed, **settings).blocks(n_rows))


STREAMS = {
    "texts, labels swapped": (lambda seed: texts(1500, seed, True), (30, 100, 150)),
    "texts, no change": (lambda seed: texts(1500, seed, False), (30, 100)),
    "SEA, labels swapped": (lambda seed: turned_sea(5000, seed), (100, 300)),
    "hyperplane": (lambda seed: next(Hyperplane(5000, seed=seed).blocks(5000)), (100, 500)),
    "RBF, no change": (lambda seed: rbf(6000, seed, n_features=20, n_centroids=50, speed=0), (100, 300)),
    "RBF, centroids move": (lambda seed: rbf(8000, seed, speed=0.001), (100, 500)),
    "RBF, noise moves": (
        lambda seed: rbf(8000, seed, n_features=20, n_centroids=30, speed=0, n_shifted=4, shift=200),
        (100, 500),
    ),
}


def tried(chunk, seed):
    """Return the learners by name, in the order of the columns."""
    chunks = {"n_members": 50, "chunk_size": chunk, "random_state": seed}
    window = {"n_members": 20, "window": chunk, "period": max(chunk // 10, 1), "random_state": seed}
    return {
        "HUWRS, 0.7": HUWRS(**chunks, threshold=0.7),
        "HUWRS, 0.8": HUWRS(**chunks, threshold=0.8),
        "HUWRS, auto": HUWRS(**chunks),
        "retrain always": HUWRS(**chunks, threshold=2),
        "Sliding, Hoeffding trees, 0.7": SlidingHUWRS(HoeffdingTree(50, 0.01), **window, threshold=0.7),
        "Sliding, 0.7": SlidingHUWRS(**window, threshold=0.7),
        "Sliding, auto": SlidingHUWRS(**window),
    }


def measured(learner, X, y, chunk):
    """Return the accuracy and the share of members retrained in the time of a chunk, in per cent."""
    run = chunked(from_arrays(X, y), learner, size=chunk)
    n_times = learner.n_members * (len(y) / chunk - 1)
    return 100 * (run.predicted == run.codes)[chunk:].mean(), 100 * learner.n_retrained_ / n_times


def main():
    """Print a line of a table for each stream and chunk."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=2000)
    asked = parser.parse_args()
    seeds = range(asked.first, asked.first + asked.seeds)
    names = list(tried(100, 0))
    print("| stream | chunk |", " | ".join(names), "|\n|---|" + "---:|" * (1 + len(names)))
    for stream, (make, chunks) in STREAMS.items():
        rows = {seed: make(seed) for seed in seeds}
        for chunk in chunks:
            cells = []
            for name in names:
                found = [measured(tried(chunk, seed)[name], *rows[seed], chunk) for seed in seeds]
                (mean, error), (share, _) = (averaged(each) for each in zip(*found, strict=True))
                cells.append(f"{mean:.1f} ± {error:.1f} ({share:.0f})")
            print(f"| {stream} | {chunk} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
