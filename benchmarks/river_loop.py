"""Test-then-train with a River classifier over rows held in memory, one pass for every line read."""

import importlib
import json
import sys
import time

import numpy as np


class Modules(dict):
    """River's modules by name, imported when an expression names them."""

    def __missing__(self, name):
        return importlib.import_module(f"river.{name}")


def one_pass(learner, rows, labels, seconds):
    """Return rows, correct predictions and CPU seconds; making the dicts is not in the time."""
    n = correct = 0
    start = time.process_time()
    for x, y in zip(rows, labels, strict=True):
        correct += learner.predict_one(x) == y
        learner.learn_one(x, y)
        n += 1
        if n % 1000 == 0 and time.process_time() - start > seconds:
            break
    return {"rows": n, "correct": correct, "seconds": time.process_time() - start}


def main(rows_file, expression):
    """Answer every line read with one pass of a fresh classifier; missing inputs are left out."""
    with np.load(rows_file) as arrays:
        X, labels = arrays["X"], arrays["codes"].tolist()
    names = [f"x{j}" for j in range(X.shape[1])]
    rows = [{name: x for name, x in zip(names, row, strict=True) if x == x} for row in X.tolist()]
    print(json.dumps({"ready": True}), flush=True)
    learner = None
    for line in sys.stdin:
        if line.strip() == "bytes":
            print(json.dumps({"bytes": learner._raw_memory_usage}), flush=True)
            continue
        learner = eval(expression, {}, Modules())
        print(json.dumps(one_pass(learner, rows, labels, float(line))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
