"""Every learner at its defaults on several streams, and the table of what it scored there.

    python tests/expected_accuracies.py                 say what differs from the table
    python tests/expected_accuracies.py --add           add what the table lacks: a new learner, a new stream
    python tests/expected_accuracies.py --renew BOLE    replace the figures of learners that were meant to
                                                        change; of all learners if none is named

The table has the accuracy and the Brier score (the squared error of a row's probabilities, summed over the
classes) of each learner on each stream. The Brier score shows changes too small to turn an answer. Both must
be equal to the last digit on the platform they were measured on. Elsewhere another libm, BLAS or SIMD unit
rounds some last bits differently, which may change a split of a tree: figures may then differ by `TOLERANCE`.
(A change of the last bit of every input moved them by up to 0.03, most by nothing.)
"""

import argparse
import csv
import hashlib
import math
import os
import platform
from functools import cache
from pathlib import Path

import numpy as np
import scipy
from golden.streams import STREAMS, folder, is_there, load

from thalweg.learners import registry

PATH = Path(__file__).parent / "golden" / "accuracies.csv"
FIGURES = "accuracy", "brier"
COLUMNS = ["stream", "learner", "rows", *FIGURES, "platform"]
TOLERANCE = 0.04


def measured(stream, learner):
    """Return the table's line for a learner at its defaults on a stream."""
    rows = load(stream)
    model = registry.load(learner)()
    model.begin(rows.X.shape[1], range(rows.n_classes), n_categories=rows.n_categories)
    p = model.test_then_train(rows.X, rows.codes, rows.weights)
    accuracy = float((p.argmax(axis=1) == rows.codes).mean())
    p[np.arange(len(p)), rows.codes] -= 1.0
    brier = math.fsum((p * p).ravel().tolist()) / len(p)
    return dict(zip(COLUMNS, [stream, learner, len(p), accuracy, brier, platform_tag()], strict=True))


@cache
def platform_tag():
    """Return a short hash of what may change the last bits of a result."""
    simd = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
    is_sanitised = "asan" in os.environ.get("LD_PRELOAD", "")
    parts = platform.machine(), platform.libc_ver(), simd, np.__version__, scipy.__version__, is_sanitised
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:8]


def read():
    """Return the table: lines by (stream, learner)."""
    with PATH.open(newline="") as file:
        lines = list(csv.DictReader(file))
    for line in lines:
        line.update({name: float(line[name]) for name in FIGURES})
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
    tolerance = 0.0 if line["platform"] == expected["platform"] else TOLERANCE
    if all(abs(line[name] - expected[name]) <= tolerance for name in FIGURES):
        return None
    figures = ", ".join(f"{name} {line[name]!r}, expected {expected[name]!r}" for name in FIGURES)
    return f"{line['learner']} on {line['stream']}: {figures}"


def arguments():
    """Return what the command line asks for."""
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--add", action="store_true")
    parser.add_argument("--renew", nargs="*", choices=[*registry], metavar="LEARNER")
    return parser.parse_args()


def main():
    """Compare, add or renew."""
    asked, table = arguments(), read()
    renewed = set(registry if asked.renew == [] else asked.renew or ())
    for stream in STREAMS:
        if not is_there(stream):
            print(f"{stream} is not in {folder()}: left as it is")
            continue
        for learner in registry:
            expected = table.get((stream, learner))
            if expected and (asked.add or renewed) and learner not in renewed:
                continue
            line = table[stream, learner] = measured(stream, learner)
            news = difference(line, expected) if expected else f"{learner} on {stream}: new"
            if news:
                print(news, flush=True)
    if asked.add or renewed:
        write(table)


if __name__ == "__main__":
    main()
