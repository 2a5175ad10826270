"""Mean rank of AdaptiveStacking among all our learners and the peers recorded, over real streams.

    python -m benchmarks.stacking_ranks [--streams elec2 …] [--seconds 300]

Our learners run with their default settings and the seed 1. A learner that takes longer than `--seconds` on a
stream has no accuracy there. Ranks count the methods that have an accuracy on all streams; equal ones share.
"""

import argparse
import csv
import time
from pathlib import Path

import numpy as np
from scipy import stats

from benchmarks import arrays
from benchmarks.real_streams import REFERENCE
from thalweg import learners

BLOCK = 1000


def accuracy(learner, rows, seconds):
    """Return the percentage of rows right before they are learned; None if it takes too long."""
    learner.begin(rows.X.shape[1], np.arange(rows.n_classes))
    n_right, start = 0, time.process_time()
    for first in range(0, len(rows.X), BLOCK):
        part = slice(first, first + BLOCK)
        p = learner.test_then_train_coded(rows.X[part], rows.codes[part])
        n_right += int(np.sum(p.argmax(axis=1) == rows.codes[part]))
        if time.process_time() - start > seconds:
            return None
    return 100 * n_right / len(rows.X)


def recorded(path, files):
    """Return the peers' accuracies in percent: {method: {file: accuracy}}."""
    found = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["file"] in files:
                method = f"{row['library'].split()[0]} {row['learner']}"
                found.setdefault(method, {})[row["file"]] = 100 * float(row["accuracy"])
    return found


def main():
    """Print every method's accuracies and mean rank, the best first."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--streams", nargs="+", choices=arrays.REAL, default=list(arrays.REAL))
    parser.add_argument("--seconds", type=float, default=300, help="CPU time of a learner on a stream")
    parser.add_argument("--data", type=Path, default=arrays.DATA, help="folder of the real files")
    parser.add_argument("--reference", type=Path, default=REFERENCE, help="CSV of the peers' accuracies")
    options = parser.parse_args()
    files = [arrays.REAL[name] for name in options.streams]
    found = recorded(options.reference, files)
    for stream, file in zip(options.streams, files, strict=True):
        rows = arrays.load(stream, options.data)
        for name in learners.__all__:
            right = accuracy(getattr(learners, name)(), rows, options.seconds)
            if right is not None:
                found.setdefault(name, {})[file] = right
        print(f"<!-- {stream} is done -->", flush=True)
    whole = {name: [each[file] for file in files] for name, each in found.items() if len(each) == len(files)}
    ranks = stats.rankdata(-np.array(list(whole.values())), axis=0).mean(axis=1)
    print("| mean rank | method", *options.streams, sep=" | ", end=" |\n")
    print("|---" * (2 + len(files)) + "|")
    for rank, name in sorted(zip(ranks, whole, strict=True)):
        print(f"| {rank:.1f} | {name}", *[f"{each:.2f}" for each in whole[name]], sep=" | ", end=" |\n")


if __name__ == "__main__":
    main()
