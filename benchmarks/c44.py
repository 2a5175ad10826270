"""C4.4 members beside those by Gini in HUWRS and the chunk ensembles, on the streams of their papers.

Members by entropy with C4.5's least weight of 2 stand between the two: what is left is due to gain ratios.
"""

import argparse
import itertools
import time
from functools import partial

import numpy as np
from sklearn.base import clone

from benchmarks.batch_trees import ratio, rows, seconds
from thalweg.evaluation import chunked
from thalweg.learners import HUWRS, AccuracyWeightedEnsemble, DecisionTree, MajorityClass, RobustEnsemble
from thalweg.learners.batch_trees._native.grow import CRITERIA, BatchTree
from thalweg.learners.batch_trees._native.sorted_rows import SortedRows
from thalweg.papers.huwrs import DATASETS, opened
from thalweg.papers.robust import STEPS
from thalweg.papers.running import has_dataset
from thalweg.streams import RandomRBF, Sphere

SIDES = (
    {},
    {"criterion": "entropy", "min_weight": 2.0},
    {"criterion": "gain_ratio", "multiway": True, "min_weight": 2.0},
)
RBF, RBF_ROWS, RBF_CHUNK = (0.5, 1, 2, 5, 10), 50_000, 500
REAL = {"elec2": 500, "elec2 without prices": 500, "usenet1": 70, "email list": 70}
SPHERES = [("abrupt", 8), ("mixed", 8), ("mixed", 16), ("mixed", 32), ("mixed", None)]
CHUNK, N_CHUNKS, NOISE = 1000, 160, 0.1


def sides(learner):
    """Return the majority class as a baseline, and the learner with members by Gini, by entropy, and C4.4."""
    made = [clone(learner).set_params(member=clone(learner.member).set_params(**side)) for side in SIDES]
    return [MajorityClass(), *made]


def ensembles(leaves):
    """Return the methods of the paper on robust regression that have trees of so many leaves."""
    tree = DecisionTree(max_leaves=leaves, window=1 if leaves else CHUNK)
    half = {"member": tree, "n_members": 10, "chunk_size": CHUNK, "holdout": 0.5}
    return {
        "Weighted Bagging": AccuracyWeightedEnsemble(**half, replacement="oldest"),
        "AWE": AccuracyWeightedEnsemble(tree, 10, chunk_size=CHUNK, folds=10),
        "robust, e = 0.25": RobustEnsemble(**half, penalty=0.25, ridge=1.0),
        "robust, e = 1.5": RobustEnsemble(**half, penalty=1.5, ridge=1.0),
    }


def on_chunks(learner, source, chunk, seed):
    """Return the accuracy after the first chunk and the seconds."""
    started = time.process_time()
    run = chunked(source, learner, size=chunk, seed=seed)
    return float((run.predicted == run.codes)[chunk:].mean()), time.process_time() - started


def huwrs_cases(seeds, data, n_rows):
    """Yield the learner, the stream, and [seed, side] accuracies and seconds of HUWRS."""

    def rbf(seed, drift):
        return RandomRBF(
            n_rows, n_features=20, n_centroids=50, speed=0, n_shifted=4, shift=20 * drift, seed=seed
        )

    def real(seed, name):
        return opened(name, seed, None, data, None)

    cases = [(f"RBF {drift}", RBF_CHUNK, partial(rbf, drift=drift)) for drift in RBF]
    cases += [
        (name, chunk, partial(real, name=name))
        for name, chunk in REAL.items() if has_dataset(DATASETS[name], data)
    ]
    settings = {"n_bins": 30, "threshold": 0.7, "distance": "corrected"}
    for name, chunk, make in cases:
        found = [
            [on_chunks(each, make(seed), chunk, seed)
             for each in sides(HUWRS(DecisionTree(), chunk_size=chunk, random_state=seed, **settings))]
            for seed in seeds
        ]
        yield "HUWRS", f"{name}, chunks of {chunk}", np.array(found)


def on_sphere(kind, leaves, seed, n_chunks):
    """Return {method: [side] accuracies on the next chunk without noise, and seconds}."""
    chunks = list(Sphere(n_chunks * CHUNK, noise=0, step=STEPS[kind], seed=seed).coded_blocks(CHUNK))
    flips = np.random.default_rng([seed, 1]).random((n_chunks, CHUNK)) < NOISE

    def run(learner):
        learner.begin(3, [0, 1])
        right, started = [], time.process_time()
        for flip, (X, clean), (X_next, next_clean) in zip(flips[:-1], chunks[:-1], chunks[1:], strict=True):
            learner.test_then_train_coded(X, np.where(flip, 1 - clean, clean))
            right.append((learner.predict_proba_block(X_next).argmax(axis=1) == next_clean).mean())
        return np.mean(right), time.process_time() - started

    return {name: [run(each) for each in sides(learner)] for name, learner in ensembles(leaves).items()}


def sphere_cases(seeds, n_chunks):
    """Yield the same of the ensembles on the sphere."""
    for kind, leaves in SPHERES:
        found = [on_sphere(kind, leaves, seed, n_chunks) for seed in seeds]
        for name in found[0]:
            stream = f"sphere, {kind}, {leaves or 'all'} leaves"
            yield name, stream, np.array([each[name] for each in found])


def shown(name, stream, found):
    """Return a line of the table; `found` has [seed, side] accuracies and seconds."""
    accuracy, seconds = 100 * found[..., 0], found[..., 1].sum(axis=0)
    gaps = accuracy[:, 2:] - accuracy[:, 1:2]
    errors = gaps.std(axis=0, ddof=1) / np.sqrt(len(gaps))
    cells = [name, stream, *(f"{each:.2f}" for each in accuracy[:, :2].mean(axis=0))]
    cells += [f"{gap:+.2f} ± {error:.2f}" for gap, error in zip(gaps.mean(axis=0), errors, strict=True)]
    cells += [f"{each:.2f}" for each in seconds[2:] / seconds[1]]
    return "| " + " | ".join(cells) + " |"


def print_speed(turns=9):
    """Print the microseconds of growing a tree on sorted rows; every second input may have 10 categories."""
    print("| inputs | classes | weights | rows × inputs | Gini µs | entropy µs | C4.4 µs | C4.4 to entropy |")
    print("|---|---:|---|---|---:|---:|---:|---:|")
    kinds, weights, sizes = ("numeric", "categories"), ("equal", "unequal"), ((200, 5), (500, 10), (1000, 20))
    for kind, n_classes, weight, (n, d) in itertools.product(kinds, (2, 5), weights, sizes):
        X, y, w = rows(n, d, n_classes, seed=n + d)
        n_categories = np.zeros(d, dtype=int)
        if kind == "categories":
            n_categories[::2] = 10
            X[:, ::2] = np.clip(np.floor(2 * X[:, ::2] + 5), 0, 9)
        sorted_rows = SortedRows(n, d, n_classes)
        sorted_rows.load(X)
        settings = (0, False, 0.0), (1, False, 2.0), (CRITERIA["gain_ratio"], True, 2.0)
        tasks = [
            partial(BatchTree(d, n_classes, n_categories, n, number, 1.0, *more).grow, sorted_rows, y,
                    w if weight == "unequal" else np.ones(n))
            for number, *more in settings
        ]
        spent = np.array([[1e6 * seconds(task) for task in tasks] for _ in range(turns)])
        cells = [kind, n_classes, weight, f"{n} × {d}", *(f"{each:.0f}" for each in np.median(spent, axis=0))]
        print("| " + " | ".join(map(str, cells)) + f" | {ratio(spent[:, 2], spent[:, 1])} |", flush=True)


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.c44", description=__doc__)
    parser.add_argument("--data", help="folder of the real streams")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--rows", type=int, default=RBF_ROWS)
    parser.add_argument("--chunks", type=int, default=N_CHUNKS)
    parser.add_argument("--speed", action="store_true", help="how long one tree takes, instead")
    asked = parser.parse_args()
    if asked.speed:
        print_speed()
        return
    seeds = range(asked.seeds)
    print("| learner | stream | majority | Gini | entropy | C4.4 | time, entropy | C4.4 |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for case in huwrs_cases(seeds, asked.data, asked.rows):
        print(shown(*case), flush=True)
    for case in sphere_cases(seeds, asked.chunks):
        print(shown(*case), flush=True)


if __name__ == "__main__":
    main()
