"""What a block costs an ensemble with ten members, and what growing a tree on its rows costs.

    python -m benchmarks.block_speed --data FOLDER [--streams sphere elec2 …] [--leaves 8 0]

CPU time in one process, mean over blocks, each the best of several turns. An ensemble learns a block without
predicting it; the tree is grown on as many of its rows as grow a member, and on all of them.
"""

import argparse
import time

import numpy as np

from thalweg.learners import DecisionTree, RobustEnsemble
from thalweg.streams import Sphere, datasets

STREAMS = ("sphere", "elec2", "gmsc", "insects_gradual", "covertype")
SIZE = 1000
FIRST = 12                              # blocks until there are ten members, and old ones are replaced


def rows_of(name, n, data):
    """Return n rows of a stream, the codes of their labels, and the number of classes."""
    stream = Sphere(n, noise=0.1, seed=1) if name == "sphere" else datasets.load(name, data=data)
    X, y = next(stream.coded_blocks(n))
    return X, y, len(stream.classes)


def timed(call, blocks):
    """Return the CPU time of a call for each block."""
    found = []
    for X, y, w in blocks:
        start = time.process_time_ns()
        call(X, y, w)
        found.append(time.process_time_ns() - start)
    return np.array(found) / 1e9


def grow(leaves, n_classes, blocks, n_rows):
    """Return the times of growing a tree on the first rows of each block, in memory that is used again."""
    tree = DecisionTree(max_leaves=leaves, window=1).begin(blocks[0][0].shape[1], list(range(n_classes)))
    return timed(lambda X, y, w: tree._fit_block(X[:n_rows], y[:n_rows], w[:n_rows]), blocks)


def learn(leaves, n_classes, blocks):
    """Return the times of an ensemble to learn each block."""
    member = DecisionTree(max_leaves=leaves, window=1)
    settings = {"chunk_size": SIZE, "holdout": 0.5, "ridge": 1.0}
    ensemble = RobustEnsemble(member, 10, **settings).begin(blocks[0][0].shape[1], list(range(n_classes)))
    tested, p = np.zeros(SIZE, dtype=np.uint8), np.empty((SIZE, n_classes))
    return timed(lambda X, y, w: ensemble._kernel.learn(X, y, w, p, tested), blocks)


def measure(name, leaves, n_blocks, turns, data):
    """Return inputs, classes, and seconds of a tree on half a block, on a whole one, and of the ensemble."""
    X, y, n_classes = rows_of(name, SIZE * (FIRST + n_blocks), data)
    n = len(X) // SIZE * SIZE
    blocks = [(X[i:i + SIZE].copy(), y[i:i + SIZE].copy(), np.ones(SIZE)) for i in range(0, n, SIZE)]
    found = [
        [grow(leaves, n_classes, blocks, SIZE // 2), grow(leaves, n_classes, blocks, SIZE),
         learn(leaves, n_classes, blocks)]
        for _ in range(turns)
    ]
    return X.shape[1], n_classes, np.min(found, axis=0)[:, FIRST:].mean(axis=1)


def main():
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True)
    parser.add_argument("--streams", nargs="+", default=STREAMS)
    parser.add_argument("--leaves", nargs="+", type=int, default=[8, 0], help="0: full trees")
    parser.add_argument("--blocks", type=int, default=28)
    parser.add_argument("--turns", type=int, default=8)
    given = parser.parse_args()
    print("| stream, inputs, classes | leaves | tree, 500 rows | tree, 1,000 rows | whole block | ratios |")
    print("|---|---|" + "---:|" * 4)
    for name in given.streams:
        for leaves in given.leaves:
            d, n_classes, found = measure(name, leaves or SIZE, given.blocks, given.turns, given.data)
            micros = " | ".join(f"{1e6 * each:,.0f} µs" for each in found)
            ratios = f"{found[2] / found[0]:.1f}, {found[2] / found[1]:.1f}"
            print(f"| {name}, {d}, {n_classes} | {leaves or 'full'} | {micros} | {ratios} |", flush=True)


if __name__ == "__main__":
    main()
