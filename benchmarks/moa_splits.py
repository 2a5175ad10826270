"""The splits and the bytes of MOA's Hoeffding trees on a stream, to compare with ours split by split."""

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from benchmarks import arrays, loops


def record(rows, kind, options=""):
    """Return MOA's splits [[row, input, threshold or "each"], …], the correct predictions and the bytes.

    `kind` is "tree" or "adaptive", `options` are MOA's.
    """
    jar, classes = loops.moa_classes()
    source = loops.HERE / "MoaSplits.java"
    path = f"{jar}{os.pathsep}{classes}"
    subprocess.run(["javac", "-nowarn", "-cp", path, "-d", classes, source], check=True)
    with tempfile.TemporaryDirectory(dir=loops.cache()) as folder:
        cells = Path(folder) / "rows.doubles"
        np.column_stack([rows.X, rows.codes]).astype("<f8").tofile(cells)
        counts = ",".join(map(str, [*rows.n_categories, rows.n_classes]))
        command = ["java", *loops.measuring(jar), "-Xss10M", "-cp", path, "MoaSplits"]
        command += [cells, counts, kind, options]
        answer = subprocess.run(command, check=True, capture_output=True, text=True)
    *lines, last = answer.stdout.splitlines()
    words = [line.split() for line in lines]
    splits = [[int(row), int(j), how if how == "each" else float(how)] for row, j, how in words]
    numbers = dict(zip(("rows", "correct", "bytes", "mean_bytes"), map(int, last.split()[1:]), strict=True))
    return {"splits": splits, **numbers}


def main():
    """Print MOA's splits of the streams, or of an .npz file with X, codes and n_categories, as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.moa_splits", description=__doc__)
    parser.add_argument("kind", choices=("tree", "adaptive"))
    parser.add_argument("stream", help="a stream of arrays.py, or an .npz file")
    parser.add_argument("--options", default="", help="MOA's options, as in '-g 100'")
    asked = parser.parse_args()
    if asked.stream.endswith(".npz"):
        with np.load(asked.stream) as file:
            rows = arrays.Rows(file["X"], file["codes"], file["n_categories"])
    else:
        rows = arrays.load(asked.stream)
    print(json.dumps(record(rows, asked.kind, asked.options)))


if __name__ == "__main__":
    main()
