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
from thalweg.learners import DecisionTree, MajorityClass
from thalweg.learners.batch_trees._native.grow import CRITERIA, BatchTree
from thalweg.learners.batch_trees._native.sorted_rows import SortedRows
from thalweg.papers import huwrs, robust
from thalweg.papers.running import has_dataset
from thalweg.streams import Sphere

SIDES = (
    {},
    {"criterion": "entropy", "min_weight": 2.0},
    {"criterion": "gain_ratio", "multiway": True, "min_weight": 2.0},
)
ENSEMBLES = ("Weighted Bagging", "AWE", "robust, e = 0.25", "robust, e = 1.5")
SPHERES = [("abrupt", 8), ("mixed", 8), ("mixed", 16), ("mixed", 32), ("mixed", None)]
NOISE = 0.1


def sides(learner):
    """Return the majority class as a baseline, and the learner with members by Gini, by entropy, and C4.4."""
    tree = learner.member or DecisionTree()
    made = [clone(learner).set_params(member=clone(tree).set_params(**side)) for side in SIDES]
    return [MajorityClass(), *made]


def on_chunks(learner, source, chunk, seed):
    """Return the accuracy after the first chunk and the seconds."""
    started = time.process_time()
    run = chunked(source, learner, size=chunk, seed=seed)
    return float((run.predicted == run.codes)[chunk:].mean()), time.process_time() - started


def huwrs_cases(seeds, data, n_rows):
    """Yield the learner, the stream, and [seed, side] accuracies and seconds of HUWRS."""
    real = {name: sizes[2] for name, sizes in huwrs.CHUNKS.items() if has_dataset(huwrs.DATASETS[name], data)}
    for name, chunk in {**dict.fromkeys(huwrs.RBF, huwrs.SHARED_CHUNK), **real}.items():
        rows = n_rows if name in huwrs.RBF else None
        found = [
            [on_chunks(each, huwrs.opened(name, seed, rows, data, None), chunk, seed)
             for each in sides(huwrs.learner_of("HUWRS", chunk, seed))]
            for seed in seeds
        ]
        yield "HUWRS", f"{name}, chunks of {chunk}", np.array(found)


def on_sphere(kind, leaves, seed, n_chunks):
    """Return [method, side] accuracies on the next chunk without noise, and seconds."""
    size = robust.CHUNK
    stream = Sphere(n_chunks * size, noise=0, step=robust.STEPS[kind], seed=seed)
    chunks = list(stream.coded_blocks(size))
    flips = np.random.default_rng([seed, 1]).random((n_chunks, size)) < NOISE
    found = []
    for learner in (each for name in ENSEMBLES for each in sides(robust.methods(leaves)[name])):
        learner.begin(3, [0, 1])
        right, started = [], time.process_time()
        for flip, (X, clean), (X_next, next_clean) in zip(flips[:-1], chunks[:-1], chunks[1:], strict=True):
            learner.test_then_train_coded(X, np.where(flip, 1 - clean, clean))
            right.append((learner.predict_proba_block(X_next).argmax(axis=1) == next_clean).mean())
        found.append((np.mean(right), time.process_time() - started))
    return np.array(found).reshape(len(ENSEMBLES), 1 + len(SIDES), 2)


def sphere_cases(seeds, n_chunks):
    """Yield the same of the ensembles on the sphere."""
    for kind, leaves in SPHERES:
        found = np.array([on_sphere(kind, leaves, seed, n_chunks) for seed in seeds])
        for m, name in enumerate(ENSEMBLES):
            yield name, f"sphere, {kind}, {leaves or 'all'} leaves", found[:, m]


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
    parser.add_argument("--rows", type=int, default=huwrs.RBF_ROWS)
    parser.add_argument("--chunks", type=int, default=robust.N_CHUNKS)
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
