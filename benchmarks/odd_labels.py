"""What a mistyped label and a declared class that never occurs cost, and how fast a real one is learned.

    python -m benchmarks.odd_labels [--learner NAME …] [--rows 5000] [--seeds 5] [--json FILE]

Points of accuracy on the 2,000 rows after the last learned one, with nothing learned there, on three
generated streams: a boundary across five inputs, SEA, and a random RBF of three classes.

- odd: one label of a class of its own as the last row, against the same learner without it.
- unseen: a class declared at the beginning, against the same learner without it.
- begins: accuracy 200 rows after a further class of 30 % of the rows has begun; not a difference.
"""

import argparse
import json
import time

import numpy as np

from thalweg.learners import AdaptiveStacking, registry
from thalweg.streams import SEA, RandomRBF

N_AFTER, N_BEGUN, ODD = 2_000, 200, 7
LEFT_OUT = ("NoChange", "LabelChain")
FURTHER = {
    "AdaptiveStacking(small)": lambda: AdaptiveStacking(size="small"),
}


def boundary(seed, n):
    """Five normal inputs; the sign of the sum of two of them is the label."""
    X = np.random.default_rng(seed).normal(size=(n, 5))
    return X, (X[:, 0] + X[:, 1] > 0).astype(int)


def sea(seed, n):
    """SEA without a change, 10 % of the labels wrong."""
    X, y = next(SEA(seed=seed).blocks(n))
    return X, y.astype(int)


def clusters(seed, n):
    """Three classes in clusters, of ten inputs."""
    X, y = next(RandomRBF(seed=seed, n_classes=3).blocks(n))
    return X, y.astype(int)


STREAMS = {"boundary": boundary, "SEA": sea, "clusters": clusters}


def accuracy(learner, X, y):
    """Return the share of rows that a learner predicts rightly, in percent."""
    return 100 * float((learner.predict(X) == y).mean())


def costs(make, stream, seed, n):
    """Return the three figures of a learner for a stream and a seed."""
    X, y = STREAMS[stream](seed, n + N_AFTER + 1)
    classes, width = sorted(set(y.tolist())), X.shape[1]
    known, after = (X[:n], y[:n].tolist()), (X[n + 1 :], y[n + 1 :])
    plain = make().begin(width)
    plain.test_then_train(*known)
    before, odd = accuracy(plain, *after), plain.copy()
    odd.test_then_train(X[n : n + 1], [ODD])
    told = make().begin(width, classes)
    told.test_then_train(*known)
    unseen = make().begin(width, [*classes, ODD])
    unseen.test_then_train(*known)
    # A class of 30 % begins, in the corner where two of the inputs are largest.
    score = (X[:, -1] - X[:, -1].mean()) / X[:, -1].std() + (X[:, -2] - X[:, -2].mean()) / X[:, -2].std()
    new = np.where(score > np.quantile(score, 0.7), ODD, y)
    plain.test_then_train(X[n : n + N_BEGUN], new[n : n + N_BEGUN].tolist())
    return {
        "plain": before,
        "odd": before - accuracy(odd, *after),
        "unseen": accuracy(told, *after) - accuracy(unseen, *after),
        "begins": accuracy(plain, X[n + N_BEGUN :], new[n + N_BEGUN :]),
    }


def main():
    """Print a line for each learner and stream: means over the seeds, and the largest costs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--learner", nargs="*")
    parser.add_argument("--stream", nargs="*", default=list(STREAMS))
    parser.add_argument("--rows", type=int, default=5_000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--json")
    options = parser.parse_args()
    every = {name: registry.load(name) for name in registry if name not in LEFT_OUT} | FURTHER
    found = {}
    for name in options.learner or every:
        for stream in options.stream:
            begun = time.process_time()
            parts = [costs(every[name], stream, seed, options.rows) for seed in range(options.seeds)]
            found[f"{name} {stream}"] = parts
            means = {figure: np.mean([part[figure] for part in parts]) for figure in parts[0]}
            worst = {figure: np.max([part[figure] for part in parts]) for figure in ("odd", "unseen")}
            print(
                f"{name:28} {stream:9} accuracy {means['plain']:6.2f}  odd {means['odd']:6.2f} "
                f"(most {worst['odd']:6.2f})  unseen {means['unseen']:6.2f} (most {worst['unseen']:6.2f})  "
                f"begins {means['begins']:6.2f}  {time.process_time() - begun:.0f} s",
                flush=True,
            )
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(found, file)


if __name__ == "__main__":
    main()
