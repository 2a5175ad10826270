"""Our learners on the real streams, beside the accuracies recorded for MOA."""

import argparse
import csv
from pathlib import Path

import numpy as np

from benchmarks import arrays
from benchmarks.methods import METHODS, made

REFERENCE = arrays.DATA.parent / "reference" / "peers.csv"
NOMINAL = ("elec2", "usenet1", "email-list")
STREAMS = [*arrays.REAL, *(f"{name} nominal" for name in NOMINAL)]


def accuracy(name, rows):
    """Return the share of rows our learner predicts correctly before it learns them."""
    learner = made(METHODS[name].ours)
    learner.begin(rows.X.shape[1], np.arange(rows.n_classes), n_categories=rows.n_categories)
    p = learner.test_then_train_coded(rows.X, rows.codes)
    return float(np.mean(p.argmax(axis=1) == rows.codes))


def recorded(path):
    """Return MOA's accuracies by file and learner, " nominal" being part of the learner's name there."""
    with open(path, newline="", encoding="utf-8") as file:
        found = [line for line in csv.DictReader(file) if line["library"].startswith("MOA")]
    return {(line["file"], line["learner"]): float(line["accuracy"]) for line in found}


def lines(names, streams, data, reference):
    """Yield the markdown table line by line."""
    theirs = recorded(reference)
    yield "| stream | rows × inputs | majority | last label | learner | ours | MOA | difference |"
    yield "|---|---|---:|---:|---|---:|---:|---:|"
    for stream in streams:
        rows = arrays.load(stream, data)
        file, _, nominal = stream.partition(" ")
        trivial = [f"{100 * accuracy(name, rows):.2f}" for name in ("MajorityClass", "NoChange")]
        size = "{:,} × {}".format(*rows.X.shape)
        for name in names:
            ours = accuracy(name, rows)
            known = METHODS[name].recorded or name
            moa = theirs.get((arrays.REAL[file], f"{known} {nominal}".strip()))
            points = ["–", "–"] if moa is None else [100 * moa, round(100 * (ours - moa), 2)]
            beside = points if moa is None else [f"{points[0]:.2f}", f"{points[1] + 0.0:+.2f}"]
            yield "| " + " | ".join([stream, size, *trivial, name, f"{100 * ours:.2f}", *beside]) + " |"


def main():
    """Print the table of the learners and streams the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real_streams", description=__doc__)
    parser.add_argument("learners", nargs="+", choices=METHODS, metavar="LEARNER", help=", ".join(METHODS))
    parser.add_argument("--streams", nargs="+", default=STREAMS, help="default: the ten, and three nominal")
    parser.add_argument("--data", type=Path, default=arrays.DATA, help="folder of the real files")
    parser.add_argument("--reference", type=Path, default=REFERENCE, help="CSV of recorded accuracies")
    asked = parser.parse_args()
    for line in lines(asked.learners, asked.streams, asked.data, asked.reference):
        print(line, flush=True)


if __name__ == "__main__":
    main()
