"""Errors of AdaptiveLogistic on rows that come at irregular times: forgetting by rows and by time."""

import argparse

import numpy as np

from thalweg.learners import AdaptiveLogistic, LogisticMixture, MajorityClass, NoChange
from thalweg.streams import DriftingGaussians

DECAYS = (0.999, 0.998, 0.995, 0.99, 0.98, 0.97, 0.95, 0.93)
BUSY, QUIET, SPARSE = 500, 5000, 100  # steps in spells on average; a quiet step in so many has a row


def regular(n, rng):
    """Return the steps that have a row: one in seven."""
    return np.arange(0, n, 7)


def spells(n, rng):
    """Return the steps that have a row: all of busy spells, few of quiet ones."""
    lengths = rng.exponential([BUSY, QUIET], size=(n // BUSY, 2)).astype(int) + 1
    busy = np.repeat(np.tile([True, False], len(lengths)), lengths.ravel())[:n]
    return np.flatnonzero(busy | (rng.random(n) < 1 / SPARSE))


def pauses(n, rng):
    """Return the steps that have a row: gaps of one step, and now and then of hundreds."""
    gaps = np.where(rng.random(n) < 0.005, rng.exponential(2000, size=n), 0).astype(int) + 1
    steps = np.cumsum(gaps)
    return steps[steps < n]


STREAMS = {"regular": regular, "busy and quiet spells": spells, "pauses": pauses}


def drawn(kind, n, n_inputs, seed):
    """Return the rows that are seen of a drifting stream of n steps, their times first, and their labels."""
    stream = DriftingGaussians(n, "drift", n_features=n_inputs, speed=0.03, damping=0.999, seed=seed)
    X, y = next(stream.blocks(n))
    seen = STREAMS[kind](n, np.random.default_rng([seed, n]))
    return np.column_stack([seen, X[seen]]), y[seen]


def learners():
    """Return by name a learner that counts rows, and the same by the time in column 0, if there is one."""
    found = {"MajorityClass": (MajorityClass(),), "NoChange": (NoChange(),)}
    found["LogisticMixture()"] = (LogisticMixture(), LogisticMixture(time_column=0))
    ways = {f"fixed, λ = {decay:g}": ("fixed", decay) for decay in DECAYS}
    ways |= {f"tuned, λ* = {decay:g}": ("tuned", decay) for decay in DECAYS[2:]}
    ways["adaptive"] = ("adaptive", 0.9)
    pairs = {
        name: (AdaptiveLogistic(*way), AdaptiveLogistic(*way, time_column=0)) for name, way in ways.items()
    }
    return found | pairs


def errors(learner, first, rows):
    """Return for each stream the percentage of rows predicted wrongly before they were learned.

    Rows from 100 on count; columns from `first` on are given.
    """
    found = []
    for X, y in rows:
        X = np.ascontiguousarray(X[:, first:])
        p = learner.copy().begin(X.shape[1], [0, 1]).test_then_train(X, y)
        found.append(100 * (p.argmax(axis=1) != y)[100:].mean())
    return np.array(found)


def shown(values):
    """Return the mean and its standard error as text."""
    return f"{values.mean():.2f} ± {values.std(ddof=1) / len(values) ** 0.5:.2f}"


def best_gain(pairs):
    """Return how much the best by time errs less than the best by rows, stream for stream."""
    by_rows, by_time = (min(some, key=np.mean) for some in zip(*pairs, strict=True))
    return by_rows - by_time


def main():
    """Print a Markdown table: mean ± standard error of the percentage wrong, by rows → by time."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gaps", description=__doc__)
    parser.add_argument("--steps", type=int, default=50_000)
    parser.add_argument("--inputs", type=int, default=5)
    parser.add_argument("--seeds", nargs="+", type=int, default=list(range(10)))
    asked = parser.parse_args()
    rows = {
        kind: [drawn(kind, asked.steps, asked.inputs, seed) for seed in asked.seeds] for kind in STREAMS
    }
    heads = [f"{kind} ({np.mean([len(y) for _, y in some]):,.0f} rows)" for kind, some in rows.items()]
    print(f"| % wrong, by rows → by time | {' | '.join(heads)} |\n|---{'|---' * len(heads)}|")
    pairs = {kind: {"fixed": [], "tuned": []} for kind in rows}
    for name, pair in learners().items():
        cells = []
        for kind, some in rows.items():
            found = [errors(learner, 1 - i, some) for i, learner in enumerate(pair)]  # 1: without the time
            cells.append(" → ".join(map(shown, found)))
            if name[:5] in pairs[kind]:
                pairs[kind][name[:5]].append(found)
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    for way in ("fixed", "tuned"):
        gains = (shown(best_gain(pairs[kind][way])) for kind in rows)
        print(f"| gain of the best {way} one | {' | '.join(gains)} |")


if __name__ == "__main__":
    main()
