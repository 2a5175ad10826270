"""Prediction sets and estimated accuracy where the changes are known: generators with planted drifts.

    python -m benchmarks.trust_planted sets estimates [--rows 20000] [--seeds 1 2 3]

`sets` prints the coverage before the rule that no set is empty and that of the worst block of 500 rows,
`estimates` the mean error of the accuracy estimated at the end of windows of 1,000 rows, beside that of the
windows whose labels are known, and the share of intervals that hold. Means over the seeds; worst of all.
"""

import argparse

import numpy as np

from benchmarks.trust_estimate import judge
from thalweg.evaluation import prequential
from thalweg.evaluation.arrivals import Arrivals
from thalweg.learners import AdaptiveRandomForest
from thalweg.streams import LED, SEA, Hyperplane, RandomRBF, Sphere
from thalweg.trust import PredictionSets

FIRST, BLOCK = 1000, 500


def swapped(n_rows, seed):
    """Return four overlapping classes; labels rotate after a third of the rows, inputs move after two."""
    rng = np.random.default_rng(seed)
    codes, rows = rng.integers(0, 4, n_rows), np.arange(n_rows)
    X = codes[:, None] * [1.0, -1.0, 0.0] + rng.normal(0, 1, (n_rows, 3))
    X[rows >= 2 * n_rows // 3] += [2.0, 0.0, 1.0]
    return X, np.where(rows >= n_rows // 3, (codes + 1) % 4, codes)


def rows_of(stream):
    """Return all rows of a stream and the codes of their labels."""
    X, codes = next(stream.coded_blocks(stream.n_rows))
    return X, codes


STREAMS = {
    "labels swapped, inputs moved": swapped,
    "sea, abrupt": lambda n, seed: rows_of(SEA(n, seed=seed)),
    "hyperplane": lambda n, seed: rows_of(Hyperplane(n, seed=seed)),
    "sphere": lambda n, seed: rows_of(Sphere(n, seed=seed)),
    "led": lambda n, seed: rows_of(LED(n, seed=seed)),
    "random rbf, moving": lambda n, seed: rows_of(RandomRBF(n, seed=seed)),
}


def sets(options):
    """Print coverages by stream and delay."""
    line("stream", *(f"{delay:,} late: raw · worst block · size" for delay in options.delays))
    line(*["---"] * (1 + len(options.delays)))
    for name, make in STREAMS.items():
        cells = []
        for delay in options.delays:
            found = [covered(*make(options.rows, seed), delay, seed) for seed in options.seeds]
            raw, worst, size = np.array(found).T
            cells.append(f"{100 * raw.mean():.2f} · {100 * worst.min():.1f} · {size.mean():.2f}")
        line(name, *cells)


def covered(X, codes, delay, seed):
    """Return raw coverage, that of the worst block, and mean size."""
    learner = PredictionSets(AdaptiveRandomForest(random_state=seed))
    run = prequential((X, codes), learner, delay=delay)
    sizes, held = run.sets[FIRST + delay :, 0], run.sets[FIRST + delay :, 1].astype(bool)
    right = (run.predicted == run.codes)[FIRST + delay :]
    whole = held | ((sizes == 0) & right)
    blocks = [whole[i : i + BLOCK].mean() for i in range(0, len(whole) - BLOCK + 1, BLOCK)]
    return held.mean(), min(blocks), np.maximum(sizes, 1).mean()


def estimates(options):
    """Print errors of estimates in points by stream and delay."""
    delays = [delay for delay in options.delays if delay]
    line("stream", *(f"{delay:,} late: last known · CBPE · estimate · intervals" for delay in delays))
    line(*["---"] * (1 + len(delays)))
    for name, make in STREAMS.items():
        cells = []
        for delay in delays:
            found = [estimated(*make(options.rows, seed), delay, seed) for seed in options.seeds]
            known, rival, ours, holds = np.mean(found, axis=0)
            cells.append(f"{known:.2f} · {rival:.2f} · {ours:.2f} · {100 * holds:.0f} %")
        line(name, *cells)


def estimated(X, codes, delay, seed):
    """Return mean errors of the last known accuracy, of CBPE and of the estimate, and how many hold."""
    p = prequential((X, codes), AdaptiveRandomForest(random_state=seed), delay=delay).probabilities
    off, holds, _ = judge(p, codes, Arrivals(delay, 1.0, 0).of(0, len(codes)))
    return off[0], off[2], off[-1], holds.mean()


def line(*cells):
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("parts", nargs="+", choices=("sets", "estimates"))
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--delays", type=int, nargs="+", default=[0, 48, 1000])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    options = parser.parse_args()
    for part in options.parts:
        globals()[part](options)


if __name__ == "__main__":
    main()
