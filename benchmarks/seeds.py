"""Accuracy of ours and of MOA's over several seeds, on the same arrays."""

import argparse
import tempfile
from pathlib import Path

import numpy as np

from benchmarks import arrays, loops
from benchmarks.methods import METHODS


def accuracies(loop, seeds):
    """Return the accuracy in percent for each seed."""
    try:
        passes = [loop.run(1e9, seed) for seed in seeds]
    finally:
        loop.close()
    return np.array([100 * answer["correct"] / answer["rows"] for answer in passes])


def main():
    """Print a line for each learner and stream: mean ± standard deviation of both, and the difference."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.seeds", description=__doc__)
    parser.add_argument("learners", nargs="+", choices=METHODS, metavar="LEARNER", help=", ".join(METHODS))
    parser.add_argument("--streams", nargs="+", default=["sea", "rbf", "elec", "covtype"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3, 4, 5])
    parser.add_argument("--data", type=Path, default=arrays.DATA, help="folder of the real files")
    asked = parser.parse_args()
    print("| stream | learner | ours | MOA | difference |\n|---|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory(dir=loops.cache()) as folder:
        for stream in asked.streams:
            rows_file = arrays.save(stream, asked.data, folder)
            for name in asked.learners:
                method = METHODS[name]
                ours = accuracies(loops.thalweg(rows_file, method, 0), asked.seeds)
                moa = accuracies(loops.moa(rows_file, method), asked.seeds)
                cells = [f"{side.mean():.2f} ± {side.std(ddof=1):.2f}" for side in (ours, moa)]
                cells += [f"{ours.mean() - moa.mean():+.2f}"]
                print(f"| {stream} | {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
