"""How cost grows: of learners with rows, inputs, classes, members and threads, and of all other operations.

    python -m benchmarks.growth [LEARNER or text in the name of an operation …] [--json FILE]

For learners, processor time of test-then-train on Gaussian classes, least of three; the exponent is that of
the power of the size which fits best (least squares of the logarithms): 1 is in proportion, 0 no growth. For
threads it is time by the clock, one thread over two, and says nothing on a machine that has no free core.

The operations of `operations.py` have stated exponents; one that grows faster is marked.
"""

import argparse
import gc
import inspect
import shutil
import time
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks import kept, operations
from thalweg import learners

SIZES = {
    "rows": (4000, 8000, 16_000, 32_000),
    "inputs": (5, 10, 20, 40, 80),
    "classes": (2, 4, 8, 16),
    "members": (5, 10, 20, 40),
}
TOLERANCE = 0.3  # of an exponent: two runs on a busy machine differ by as much
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


def measured(operation, least=0.05, most=5):
    """Return the least processor time of an operation at each of its sizes, of one where that is stated."""
    times = []
    for size in operation.sizes:
        with operations.quiet():
            run = operation.make(size)
            gc.collect()
            seconds, total, n = np.inf, 0.0, 0
            while n < 2 or (total < least and n < most):
                start = time.process_time()
                run()
                spent = time.process_time() - start
                seconds, total, n = min(seconds, spent), total + spent, n + 1
        times.append(max(seconds, 1e-7) / (size if operation.each else 1))
    return times


def judged(operation, times):
    """Return the exponents over all sizes and over the last step, and whether both are above what is stated.

    One alone may be noise, or a fixed part that ends.
    """
    whole, last = exponent(operation.sizes, times), exponent(operation.sizes[-2:], times[-2:])
    return whole, last, min(whole, last) > operation.stated + TOLERANCE


def line(operation, times):
    """Return a line about an operation: its times, its exponents, and a mark if these are too high."""
    whole, last, is_above = judged(operation, times)
    unit = "us each" if operation.each else "ms"
    scale = 1e6 if operation.each else 1e3
    shown = ", ".join(f"{scale * each:.3g}" for each in times)
    sizes = ", ".join(f"{size:,}" for size in operation.sizes)
    mark = "  <-- ABOVE" if is_above else ""
    about = f"{operation.name}, {operation.dimension} {sizes}: {shown} {unit}"
    return f"{about}; exponent {whole:.2f}, last {last:.2f}, stated {operation.stated:g}{mark}"


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="learners, or texts in names of operations")
    parser.add_argument("--json", type=Path, help="file to add the results of learners to")
    asked = parser.parse_args()
    known = [name for name in asked.names if name in learners.registry]
    texts = [name.lower() for name in asked.names if name not in known]
    chosen = [
        each for each in operations.OPERATIONS
        if not asked.names or any(text in f"{each.name}, {each.dimension}".lower() for text in texts)
    ]  # fmt: skip
    if texts and not chosen:
        parser.error(f"no learner is called so, and no operation has it in its name: {', '.join(texts)}")
    above = []
    try:
        for each in chosen:
            times = measured(each)
            print(line(each, times), flush=True)
            above += [each.name] if judged(each, times)[2] else []
    finally:
        shutil.rmtree(operations.FOLDER, ignore_errors=True)
    if chosen:
        print(f"{len(chosen)} operations, {len(above)} above what is stated: {', '.join(above) or 'none'}\n")
    results = {}
    for name in known if asked.names else NAMES:
        results[name] = grown(name)
        print(name, results[name], flush=True)
        if asked.json:
            kept.keep(asked.json, growth={name: results[name]})
    if results:
        print("\n" + table(results))


if __name__ == "__main__":
    main()
