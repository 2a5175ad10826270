"""Kill processes that save models, at random moments: the file must be the old or the new one.

    python tests/fuzz/kills.py --seconds 60 --seed 1 [--kills 1000]

A child saves one of two models over the same file again and again until it is killed. The models differ in
size, so that a mixture of both would be noticed even without the checksum.
"""

import argparse
import os
import signal
import tempfile
import time
from pathlib import Path

import numpy as np

import thalweg
from thalweg.learners import NaiveBayes, NearestNeighbours
from thalweg.streams import SEA


def models():
    """Return a small and a larger model that have learned the same rows."""
    X, y = next(SEA(3000, seed=1).blocks(3000))
    return [
        learner.begin(3, [0, 1]).partial_fit(X, y)
        for learner in (NaiveBayes(), NearestNeighbours(window=2000))
    ]


def saving(path, pair):
    """Fork a child that saves both models by turns until it is killed; return its number."""
    child = os.fork()
    if child:
        return child
    while True:
        for model in pair:
            thalweg.save(model, path)


def main():
    """Kill until the time is over or the number is reached; a file that is not whole raises."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kills", type=int, default=10**9)
    given = parser.parse_args()
    rng, end, kills, replaced = np.random.default_rng(given.seed), time.monotonic() + given.seconds, 0, 0
    pair = models()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.tw"
        thalweg.save(pair[0], path)
        while kills < given.kills and time.monotonic() < end:
            before = path.stat().st_mtime_ns
            child = saving(path, pair)
            time.sleep(rng.uniform(0, 0.02))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            kills += 1
            replaced += path.stat().st_mtime_ns != before
            thalweg.load(path)  # raises if the file is not whole
        left = len(list(Path(folder).glob(".*.part")))
    print(f"{kills} kills, {replaced} after the file was replaced, {left} cut while writing; all files whole")


if __name__ == "__main__":
    main()
