"""Test-then-train with Vowpal Wabbit's own driver over a file of rows, one pass for every line read.

The driver reads and parses text, which is in its time: it has no way to be given arrays.
"""

import json
import re
import sys
import time
from pathlib import Path

import numpy as np
import vowpalwabbit


def write(X, codes, n_classes, path):
    """Write the rows in VW's format; zeros and missing inputs are left out."""
    labels = 2 * codes - 1 if n_classes == 2 else codes + 1
    with path.open("w") as file:
        for row, label in zip(X.tolist(), labels.tolist(), strict=True):
            cells = " ".join(f"{j}:{x!r}" for j, x in enumerate(row) if x and x == x)
            file.write(f"{label} |f {cells}\n")


def one_pass(path, options, n_rows):
    """Return rows, correct predictions and the CPU seconds of both of its threads."""
    start = time.process_time()
    workspace = vowpalwabbit.Workspace(f"-d {path} --no_stdin {options}", enable_logging=True)
    workspace.finish()
    spent = time.process_time() - start
    loss = float(re.search(r"average loss = ([\d.]+)", "\n".join(workspace.get_log()))[1])
    return {"rows": n_rows, "correct": round((1 - loss) * n_rows), "seconds": spent}


def main(rows_file, expression):
    """Answer every line read with one pass."""
    with np.load(rows_file) as arrays:
        X, codes, n_classes = arrays["X"], arrays["codes"], int(arrays["n_classes"])
    path = Path(rows_file).with_suffix(".vw")
    if not path.exists():
        write(X, codes, n_classes, path)
    options = f"{expression} {'--binary' if n_classes == 2 else f'--oaa {n_classes}'}"
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        asked_for_size = line.strip() == "bytes"  # which it does not tell
        print(json.dumps({} if asked_for_size else one_pass(path, options, len(X))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
