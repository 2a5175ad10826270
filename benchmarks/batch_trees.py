"""Growing small trees: ours beside scikit-learn's DecisionTreeClassifier, on the same rows in one run."""

import argparse
import time

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from thalweg._kernels import batch_tree, block
from thalweg.learners.decision_tree import CRITERIA


def rows(n, d, seed):
    """Return n rows of d normal inputs; two of them make the class, one label in ten is random."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32).astype(float)
    y = (X[:, 0] + X[:, 1] ** 2 > 1).astype(np.intp)
    noisy = rng.random(n) < 0.1
    y[noisy] = rng.integers(0, 2, noisy.sum())
    return X, y, rng.random(n) + 0.5


def quickest(task, repeat):
    """Return the least CPU seconds of one call in `repeat` goes, each long enough to be timed."""
    best, calls = np.inf, 1
    for _ in range(repeat):
        start = time.process_time()
        for _ in range(calls):
            task()
        spent = time.process_time() - start
        best = min(best, spent / calls)
        calls = max(1, int(0.01 / best))
    return best


def measure(n, d, max_leaves, criterion, weighted, repeat):
    """Return the seconds of scikit-learn's fit, of ours, and of ours on a block sorted before."""
    X, y, w = rows(n, d, seed=n + d)
    w = w if weighted else np.ones(n)
    sorted_rows = block.Block(n, d, 2)
    sorted_rows.load(X)
    tree = batch_tree.BatchTree(d, 2, np.zeros(d, dtype=int), max_leaves or n, CRITERIA[criterion], 1.0, n)
    theirs = DecisionTreeClassifier(criterion=criterion, max_leaf_nodes=max_leaves, random_state=0)
    return [
        quickest(lambda: theirs.fit(X, y, sample_weight=w), repeat),
        quickest(lambda: tree.fit(X, y, w), repeat),
        quickest(lambda: tree.grow(sorted_rows, y, w), repeat),
    ]


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.batch_trees", description=__doc__)
    parser.add_argument("--repeat", type=int, default=10)
    asked = parser.parse_args()
    print("| criterion | weights | rows × inputs | leaves | scikit-learn µs | ours µs | times "
          "| sorted before µs | times |")
    print("|---|---|---|---:|---:|---:|---:|---:|---:|")
    for criterion in ("gini", "entropy"):
        for weighted in (False, True):
            for n, d in ((200, 5), (200, 20), (500, 10), (1000, 5), (1000, 20)):
                for max_leaves in (2, 16, None):
                    theirs, ours, again = measure(n, d, max_leaves, criterion, weighted, asked.repeat)
                    cells = [criterion, "unequal" if weighted else "equal", f"{n} × {d}", max_leaves or "all",
                             *(f"{1e6 * theirs:.0f}", f"{1e6 * ours:.0f}", f"{theirs / ours:.1f}"),
                             *(f"{1e6 * again:.0f}", f"{theirs / again:.1f}")]
                    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
