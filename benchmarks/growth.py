"""How the cost of a learner grows with rows, inputs, classes, members and threads.

    python -m benchmarks.growth [--json FILE]

Processor time of test-then-train on Gaussian classes, least of three; the exponent is that of the power of
the size which fits best (least squares of the logarithms): 1 is in proportion, 0 no growth. For threads it is
time by the clock, one thread over two, and says nothing on a machine that has no free core.
"""

import argparse
import inspect
import time
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks import kept
from thalweg import learners

SIZES = {
    "rows": (4000, 8000, 16_000, 32_000),
    "inputs": (5, 10, 20, 40, 80),
    "classes": (2, 4, 8, 16),
    "members": (5, 10, 20, 40),
}
USUAL = {"rows": 4000, "inputs": 10, "classes": 2}
NAMES = (
    "NaiveBayes", "AdaptiveLogistic", "LogisticMixture", "LinearLogistic", "HoeffdingTree",
    "HoeffdingAdaptiveTree", "NearestNeighbours", "OnlineBagging", "LeveragingBagging", "OnlineBoost", "BOLE",
    "DynamicWeightedMajority", "AccuracyWeightedEnsemble", "AdaptiveRandomForest", "StreamingRandomPatches",
    "HUWRS", "ParticleFilter",
)


def gaussians(rows, inputs, classes):
    """Return rows of equally frequent classes whose means differ in every input."""
    rng = np.random.default_rng(1)
    codes = rng.integers(classes, size=rows)
    means = rng.standard_normal((classes, inputs)) / np.sqrt(inputs)
    return means[codes] + rng.standard_normal((rows, inputs)), codes


def seconds(make, clock=time.process_time, repeats=3, **sizes):
    """Return the least time of a fresh learner over rows of these sizes."""
    sizes = USUAL | sizes
    X, codes = gaussians(**sizes)
    least = np.inf
    for _ in range(repeats):
        learner = make().begin(sizes["inputs"], range(sizes["classes"]))
        start = clock()
        learner.test_then_train_coded(X, codes)
        least = min(least, clock() - start)
    return least


def exponent(sizes, times):
    """Return the exponent of the power of the size that the times follow best."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def grown(name):
    """Return the exponents of a learner, and what two threads gain where it has threads."""
    kind = learners.registry.load(name)
    parameters = inspect.signature(kind).parameters
    found = {}
    for what, sizes in SIZES.items():
        if what == "members" and "n_members" in parameters:
            times = [seconds(lambda size=size: kind(n_members=size)) for size in sizes]
        elif what == "members":
            continue
        else:
            times = [seconds(kind, **{what: size}) for size in sizes]
        found[what] = round(exponent(sizes, times), 2)
    if "n_jobs" in parameters:
        found["threads"] = round(gain(kind), 2)
    return found


def gain(kind, pairs=5):
    """Return how many times faster two threads are by the clock, 16,000 rows: the median of some pairs."""
    ratios = []
    for _ in range(pairs):
        one, two = (
            seconds(lambda n=n: kind(n_jobs=n), time.perf_counter, 2, rows=16_000) for n in (1, 2)
        )
        ratios.append(one / two)
    return median(ratios)


def table(results):
    """Return the exponents as a markdown table."""
    columns = [*SIZES, "threads"]
    lines = [f"| learner | {' | '.join(columns[:-1])} | two threads |", "|---|" + "---:|" * len(columns)]
    for name, found in results.items():
        cells = [f"{found[what]:.2f}" if what in found else "–" for what in columns]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main():
    """Measure and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=NAMES, metavar="LEARNER")
    parser.add_argument("--json", type=Path, help="file to add the results to")
    asked = parser.parse_args()
    results = {}
    for name in asked.names:
        results[name] = grown(name)
        print(name, results[name], flush=True)
        if asked.json:
            kept.keep(asked.json, growth={name: results[name]})
    print("\n" + table(results))


if __name__ == "__main__":
    main()
