"""Growing small trees: ours beside scikit-learn's DecisionTreeClassifier, on the same rows in one run."""

import argparse
import itertools
import time

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from thalweg.learners.batch_trees._native import grow as batch_tree
from thalweg.learners.batch_trees._native.sorted_rows import SortedRows
from thalweg.learners.batch_trees.decision_tree import CRITERIA


def rows(n, d, n_classes, seed):
    """Return n rows of d normal inputs; two of them make the class, one label in ten is random."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32).astype(float)
    signal = X[:, 0] + X[:, 1] ** 2
    y = np.digitize(signal, np.quantile(signal, np.arange(1, n_classes) / n_classes)).astype(np.intp)
    noisy = rng.random(n) < 0.1
    y[noisy] = rng.integers(0, n_classes, noisy.sum())
    return X, y, rng.random(n) + 0.5


def seconds(task, least=0.01):
    """Return the CPU seconds of one call, from as many as take `least` seconds."""
    spent, calls = 0.0, 0
    while spent < least:
        start = time.process_time()
        for _ in range(calls + 1):
            task()
        spent, calls = spent + time.process_time() - start, 2 * calls + 1
    return spent / calls


def measure(n, d, n_classes, max_leaves, criterion, weighted, turns):
    """Return [turn, side] seconds of scikit-learn's fit, of ours, and of ours on rows sorted before."""
    X, y, w = rows(n, d, n_classes, seed=n + d)
    w = w if weighted else np.ones(n)
    sorted_rows = SortedRows(n, d, n_classes)
    sorted_rows.load(X)
    tree = batch_tree.BatchTree(
        d, n_classes, np.zeros(d, dtype=int), max_leaves or n, CRITERIA[criterion], 1.0
    )
    theirs = DecisionTreeClassifier(criterion=criterion, max_leaf_nodes=max_leaves, random_state=0)
    sides = [
        lambda: theirs.fit(X, y, sample_weight=w),
        lambda: tree.fit(X, y, w),
        lambda: tree.grow(sorted_rows, y, w),
    ]
    return np.array([[seconds(side) for side in sides] for _ in range(1 + turns)])[1:]


def ratio(theirs, ours):
    """Return the ratios of the turns as median [least, most]."""
    times = theirs / ours
    return f"{np.median(times):.1f} [{times.min():.1f}, {times.max():.1f}]"


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.batch_trees", description=__doc__)
    parser.add_argument("--turns", type=int, default=7)
    asked = parser.parse_args()
    print("| criterion | weights | classes | rows × inputs | leaves | scikit-learn µs | ours µs | times "
          "| sorted before µs | times |")
    print("|---|---|---:|---|---:|---:|---:|---:|---:|---:|")
    sizes = ((200, 5), (200, 20), (500, 10), (1000, 5), (1000, 20))
    for case in itertools.product(("gini", "entropy"), (False, True), (2, 5), sizes, (2, 16, None)):
        criterion, weighted, n_classes, (n, d), max_leaves = case
        spent = measure(n, d, n_classes, max_leaves, criterion, weighted, asked.turns)
        theirs, ours, again = (f"{1e6 * np.median(side):.0f}" for side in spent.T)
        cells = [criterion, "unequal" if weighted else "equal", n_classes, f"{n} × {d}", max_leaves or "all",
                 theirs, ours, ratio(spent[:, 0], spent[:, 1]), again, ratio(spent[:, 0], spent[:, 2])]
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
