"""Millions of rows through a tree of bounded memory: its bytes and the process's stay where they are."""

import argparse
import resource

import numpy as np

from thalweg import learners
from thalweg.learners.trees._native.codes import INACTIVE_LEAVES


def blocks(n_rows, size=100_000, n_features=10, seed=1):
    """Yield blocks of a rule that needs a large tree: a wave over three of the inputs, 10 % noise."""
    rng = np.random.default_rng(seed)
    for _ in range(n_rows // size):
        X = rng.random((size, n_features))
        y = np.sin(9 * X[:, 0]) + np.sin(9 * X[:, 1]) + np.sin(9 * X[:, 2]) > 0
        yield X, y ^ (rng.random(size) < 0.1)


def main():
    """Print accuracy, leaves, bytes of the tree and peak megabytes of the process at each tenth."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bounded_tree", description=__doc__)
    parser.add_argument("learner", nargs="?", default="HoeffdingTree")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--max-bytes", type=int, default=500_000)
    asked = parser.parse_args()
    tree = getattr(learners, asked.learner)(max_bytes=asked.max_bytes).begin(10, [False, True])
    print("| rows | accuracy % | leaves | inactive | bytes | process MB |\n|---:|---:|---:|---:|---:|---:|")
    seen = right = 0
    for i, (X, y) in enumerate(blocks(asked.rows), 1):
        right += int(np.sum((tree.test_then_train(X, y).argmax(axis=1) == 1) == y))
        seen += len(X)
        if i * len(X) % (asked.rows // 10) == 0:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            inactive = tree._kernel.arrays["size"][INACTIVE_LEAVES]
            accuracy = f"{100 * right / seen:.2f}"
            cells = f"{i * len(X):,}", accuracy, tree.n_leaves_, inactive, f"{tree.n_bytes_:,}"
            print(f"| {' | '.join(map(str, cells))} | {peak:.0f} |", flush=True)
            seen = right = 0


if __name__ == "__main__":
    main()
