"""Every learner at its defaults on several streams, and the table of what it scored there.

    python tests/expected_accuracies.py                 say what differs from the table
    python tests/expected_accuracies.py --add           add what the table lacks: a new learner, a new stream
    python tests/expected_accuracies.py --renew BOLE    replace the lines of learners that were meant to
                                                        change; of all learners if none is named

The table has the accuracy and the Brier score (the squared error of a row's probabilities, summed over the
classes) of each learner on each stream. The Brier score shows changes too small to turn an answer. Both must
be equal to the last digit on a machine like the one they were measured on, which the table names: its kind,
and for learners that call BLAS the width of its vectors. Under CI (`THALWEG_CI`) a table from another kind of
machine fails.

Elsewhere another libm or other vectors round some last bits differently, which may change a split of a tree.
How far that can move a score is measured with it: each input is moved by one to three units in its last
place, in N_TRIALS ways, and the largest change of the score is its spread. All values of an input move the
same way, so that equal values stay equal. A machine of another kind may differ by FACTOR times the spread,
and by FLOOR at least: so few trials do not find the largest change. (Four scores in five did not change at
all, 99 of 100 by less than 0.01. Of 2924 trials, all but 2 changed the accuracy, and all but 4 the Brier
score, by no more than that tolerance taken from the three other trials.)
"""

import argparse
import csv
import math
import os
import platform
from functools import cache
from pathlib import Path

import numpy as np
from golden.streams import STREAMS, folder, is_there, load
from support.every_learner import registry

from thalweg import drift

PATH = Path(__file__).parent / "golden" / "accuracies.csv"
SCORES = "accuracy", "brier"
SPREADS = {"accuracy": "accuracy_spread", "brier": "brier_spread"}
COLUMNS = ["stream", "learner", "rows", *SCORES, *SPREADS.values(), "machine"]
N_TRIALS, FACTOR, FLOOR = 4, 2.0, 0.005
FEWER_ROWS = {"AdaBoostWindow": 1000}  # it is trained again after each error, which takes half of all time
CALLS_BLAS = {"WindowLogistic"}  # the scores of all others are the same bits with vectors of 256 and 512 bits


def measured(stream, learner, with_spread=False):
    """Return the table's line for a learner at its defaults on a stream, without the spreads if not asked."""
    rows = load(stream)
    n = FEWER_ROWS.get(learner, len(rows.X))
    scores = scored(rows, learner, rows.X[:n])
    line = {"stream": stream, "learner": learner, "rows": min(n, len(rows.X))}
    line |= {"machine": machine(learner), **scores}
    if with_spread:
        others = [scored(rows, learner, moved(rows, trial)[:n]) for trial in range(N_TRIALS)]
        for name, spread in SPREADS.items():
            line[spread] = max(abs(other[name] - scores[name]) for other in others)
    return line


def scored(rows, learner, X):
    """Return the scores of a learner on the first rows of a stream, whose values are X."""
    codes, weights = rows.codes[: len(X)], None if rows.weights is None else rows.weights[: len(X)]
    model = registry.load(learner)()
    model.begin(X.shape[1], range(rows.n_classes), n_categories=rows.n_categories)
    p = model.test_then_train(X, codes, sample_weight=weights)
    accuracy = float((p.argmax(axis=1) == codes).mean())
    p[np.arange(len(p)), codes] -= 1.0
    return {"accuracy": accuracy, "brier": math.fsum((p * p).ravel().tolist()) / len(p)}


def moved(rows, trial):
    """Return the values of a stream, each input that is no category moved by one to three last places."""
    rng = np.random.default_rng(trial)
    steps = rng.integers(1, 4, rows.X.shape[1]) * rng.choice([-1, 1], rows.X.shape[1])
    steps[rows.n_categories > 0] = 0
    return np.where(rows.X == 0, 0.0, rows.X + steps * np.spacing(rows.X))


@cache
def machine(learner):
    """Return what decides the last bits of a learner's scores: kind of machine, and width of its vectors."""
    is_sanitised = "asan" in os.environ.get("LD_PRELOAD", "")
    width = f" {vector_bits()} bits" if learner in CALLS_BLAS else ""
    return f"{platform.machine()}{width}{', sanitised' * is_sanitised}"


def vector_bits():
    """Return the width of the machine's vectors."""
    found = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
    is_512 = any("512" in name or name == "X86_V4" for name in found)
    return 512 if is_512 else 256 if {"AVX2", "FMA3", "X86_V3"} & set(found) else 128


def read():
    """Return the table: lines by (stream, learner)."""
    with PATH.open(newline="") as file:
        lines = list(csv.DictReader(file))
    for line in lines:
        line.update({name: float(line[name]) for name in (*SCORES, *SPREADS.values())})
    return {(line["stream"], line["learner"]): line for line in lines}


def write(table):
    """Write the lines of the streams and learners there are, in their order."""
    pairs = [(stream, learner) for stream in STREAMS for learner in registry]
    with PATH.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table[pair] for pair in pairs if pair in table)


def difference(line, expected):
    """Return in words how a measured line differs from the table's, or None."""
    if all(abs(line[name] - expected[name]) <= tolerance(name, line, expected) for name in SCORES):
        return None
    scores = ", ".join(f"{name} {line[name]!r}, expected {expected[name]!r}" for name in SCORES)
    return f"{line['learner']} on {line['stream']}: {scores}"


def tolerance(name, line, expected):
    """Return by how much a score may differ from the table's: on a machine like the table's, by nothing."""
    is_alike = line["machine"] == expected["machine"]
    return 0.0 if is_alike else max(FACTOR * expected[SPREADS[name]], FLOOR)


def arguments():
    """Return what the command line asks for."""
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--add", action="store_true")
    names = [*registry, *drift.registry]  # a detector has no line
    parser.add_argument("--renew", nargs="*", choices=names, metavar="LEARNER")
    return parser.parse_args()


def main():
    """Compare, add or renew."""
    asked, table = arguments(), read()
    renewed = set(registry if asked.renew == [] else asked.renew or ())
    is_written = asked.add or bool(renewed)
    for stream in STREAMS:
        if not is_there(stream):
            print(f"{stream} is not in {folder()}: left as it is")
            continue
        for learner in registry:
            expected = table.get((stream, learner))
            if expected and is_written and learner not in renewed:
                continue
            line = table[stream, learner] = measured(stream, learner, with_spread=is_written)
            news = difference(line, expected) if expected else f"{learner} on {stream}: new"
            if news:
                print(news, flush=True)
    if is_written:
        write(table)


if __name__ == "__main__":
    main()
