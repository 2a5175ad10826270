"""Test-then-train with one of our learners over rows held in memory, one pass for every line read."""

import json
import pickle
import sys
import time

import numpy as np

from benchmarks.methods import made
from thalweg._native.argmax import likeliest


def one_pass(learner, X, codes, block, seconds):
    """Return rows, correct predictions and CPU seconds; finding the likeliest class is in the time.

    "correct_after" counts the correct ones of the first 1000 rows, of the first 2000 and so on.
    """
    n, hits = 0, []
    start = time.process_time()
    while n < len(X) and time.process_time() - start < seconds:
        some = slice(n, n + block)
        p = learner.test_then_train_coded(X[some], codes[some])
        hits.append(likeliest(p) == codes[some])
        n += len(p)
    spent = time.process_time() - start
    correct = np.concatenate(hits).cumsum()
    after = correct[999::1000].tolist()
    return {"rows": n, "correct": int(correct[-1]), "seconds": spent, "correct_after": after}


def main(rows_file, expression, block):
    """Answer every line read with one pass of a fresh learner."""
    with np.load(rows_file) as rows:
        X, codes, n_categories = rows["X"], rows["codes"], rows["n_categories"]
        classes = np.arange(rows["n_classes"])
    block = int(block) or len(X)
    print(json.dumps({"ready": True}), flush=True)
    learner = None
    for line in sys.stdin:
        if line.strip() == "bytes":
            print(json.dumps({"bytes": len(pickle.dumps(learner))}), flush=True)
            continue
        seconds, *seed = line.split()
        learner = made(expression)
        if seed:
            learner.set_params(random_state=int(seed[0]))
        learner.begin(X.shape[1], classes, n_categories=n_categories)
        print(json.dumps(one_pass(learner, X, codes, block, float(seconds))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
