"""How many flipped labels are among the likeliest label errors, and how many were estimated.

    python -m benchmarks.flipped_labels --data FOLDER --seeds 3 [--peer PYTHON] [--json FILE]

A share of the labels is replaced by other classes at random; as many rows as were flipped are looked at.
PYTHON has cleanlab, whose figures are then given too: a forest of 100 trees on five shuffled folds.
"""

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from thalweg.evaluation import label_errors
from thalweg.streams import datasets

STREAMS = ("elec2", "weather", "insects_gradual", "keystroke")
SHARES = (0.0, 0.05, 0.1)
CLEANLAB = """
import sys, time, numpy as np
from cleanlab.filter import find_label_issues
from cleanlab.rank import get_label_quality_scores
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict
given = np.load(sys.argv[1])
start = time.process_time()
seed = int(given["seed"])
folds = StratifiedKFold(5, shuffle=True, random_state=seed)
forest = RandomForestClassifier(100, random_state=seed)
p = cross_val_predict(forest, given["X"], given["y"], cv=folds, method="predict_proba")
scores = get_label_quality_scores(given["y"], p)
found = int(find_label_issues(given["y"], p).sum())
np.savez(sys.argv[2], scores=scores, found=found, seconds=time.process_time() - start)
"""


def flipped(codes, n_classes, share, seed):
    """Return labels of which a share is another class, and which these are."""
    rng = np.random.default_rng([seed, 77])
    wrong = np.zeros(len(codes), dtype=bool)
    wrong[rng.choice(len(codes), round(share * len(codes)), replace=False)] = True
    others = (codes[wrong] + rng.integers(1, n_classes, wrong.sum())) % n_classes
    y = codes.copy()
    y[wrong] = others
    return y, wrong


def ours(X, y, stream, seed):
    """Return the doubt of each row, negated, the estimated number of wrong ones, and seconds."""
    start = time.process_time()
    found = label_errors(X, y, categorical=np.flatnonzero(stream.n_categories).tolist(), seed=seed)
    return -found.doubt, round(found.estimate.middle * len(y)), time.process_time() - start


def theirs(python, X, y, seed):
    """Return the same from cleanlab, run by another interpreter."""
    with tempfile.TemporaryDirectory() as folder:
        given, answer = Path(folder, "given.npz"), Path(folder, "answer.npz")
        np.savez(given, X=np.nan_to_num(X, nan=-1.0), y=y, seed=seed)
        subprocess.run([python, "-c", CLEANLAB, given, answer], check=True)
        with np.load(answer) as found:
            return found["scores"], int(found["found"]), float(found["seconds"])


def measure(name, share, seed, data, peer):
    """Return one dict for each side."""
    stream = datasets.load(name, data=data)
    X, codes = next(stream.coded_blocks(10**7))
    y, wrong = flipped(codes, len(stream.classes), share, seed)
    sides = {"ours": ours(X, y, stream, seed)}
    if peer:
        sides["cleanlab"] = theirs(peer, X, y, seed)
    for side, (scores, n_found, seconds) in sides.items():
        first = np.argsort(scores, kind="stable")[: wrong.sum()]
        hits = float(wrong[first].mean()) if len(first) else None
        yield {
            "stream": name, "share": share, "seed": seed, "side": side, "hits": hits,
            "estimated": n_found / len(y), "seconds": seconds,
        }


def main():
    """Measure all and print each result as it comes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True)
    parser.add_argument("--streams", nargs="+", default=STREAMS)
    parser.add_argument("--shares", nargs="+", type=float, default=SHARES)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--peer")
    parser.add_argument("--json")
    given = parser.parse_args()
    found = []
    for name in given.streams:
        for share in given.shares:
            for seed in range(given.first_seed, given.first_seed + given.seeds):
                for result in measure(name, share, seed, given.data, given.peer):
                    found.append(result)
                    print(*(f"{v:.3f}" if isinstance(v, float) else v for v in result.values()), flush=True)
    if given.json:
        Path(given.json).write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
