"""Answers questions about the installed version of the library, one JSON object a line."""

import hashlib
import json
import sys
import time
from functools import cache

import numpy as np

import thalweg
from thalweg.learners import registry

BLOCK = 1000
N_CALLS = 500


@cache
def rows_of(path):
    with np.load(path) as rows:
        return rows["X"], rows["codes"], rows["n_categories"], int(rows["n_classes"])


def begun(path, learner):
    X, codes, n_categories, n_classes = rows_of(path)
    model = registry.load(learner)()
    return model.begin(X.shape[1], range(n_classes), n_categories=n_categories), X, codes


def probabilities(path, learner, n_rows, seconds, out=None):
    """Test-then-train, then predict the first block again; put all probabilities into the file `out`.

    Ends after `n_rows` rows, or at the end of a block after so many CPU seconds; the first blocks are short.
    """
    model, X, codes = begun(path, learner)
    parts, start, n = [], time.process_time(), 0
    while n < min(n_rows, len(X)) and time.process_time() - start < seconds:
        block = slice(n, n + min(max(n, 100), BLOCK))
        parts.append(model.test_then_train_coded(X[block], codes[block]))
        n += len(parts[-1])
    answers = np.concatenate(parts).argmax(axis=1)
    p = np.concatenate([*parts, model.predict_proba(X[:BLOCK])])
    if out:
        np.save(out, p)
    digest = hashlib.sha256(p.tobytes()).hexdigest()
    return {"rows": n, "accuracy": float((answers == codes[:n]).mean()), "digest": digest}


def learning(path, learner, n_rows, seconds):
    """Return the CPU seconds of test-then-train in one call, the best of passes for so many seconds."""

    def one_pass():
        model, X, codes = begun(path, learner)
        return {"learn": cpu_seconds(model.test_then_train_coded, X[:n_rows], codes[:n_rows])}

    return best(one_pass, seconds)


def calls(path, learner, seconds):
    """Learn a block, then learn and predict the next rows one by one; return the microseconds of a call."""

    def one_pass():
        model, X, codes = begun(path, learner)
        model.test_then_train_coded(X[:BLOCK], codes[:BLOCK])
        chosen = slice(BLOCK, BLOCK + N_CALLS)
        rows, labels = list(X[chosen]), codes[chosen].tolist()
        spent = {
            "learn_one": cpu_seconds(lambda: [*map(model.learn_one, rows, labels)]),
            "predict_one": cpu_seconds(lambda: [*map(model.predict_one, rows)]),
            "predict_proba_one": cpu_seconds(lambda: [*map(model.predict_proba_one, rows)]),
        }
        return {name: 1e6 * value / len(rows) for name, value in spent.items()}

    return best(one_pass, seconds)


def best(one_pass, seconds):
    """Return the least of each time over passes that fill so many CPU seconds, at least one."""
    start, least = time.process_time(), one_pass()
    while time.process_time() - start < seconds:
        again = one_pass()
        least = {name: min(value, again[name]) for name, value in least.items()}
    return least


def cpu_seconds(work, *given):
    start = time.process_time()
    work(*given)
    return time.process_time() - start


def main():
    """Say which version this is, then answer every line."""
    print(json.dumps({"thalweg": thalweg.__file__, "learners": [*registry]}), flush=True)
    known = {work.__name__: work for work in (probabilities, learning, calls)}
    for line in sys.stdin:
        question = json.loads(line)
        try:
            answer = known[question.pop("do")](**question)
        except Exception as error:
            answer = {"error": repr(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
