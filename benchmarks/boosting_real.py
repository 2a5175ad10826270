"""Boosting on a window and its rivals on the ten real streams, beside other ensembles and trivial baselines.

    python -m benchmarks.boosting_real --data FOLDER

Prints the share of rows right before they are learned, in per cent, and the processor time in all.
"""

import argparse
import time
from pathlib import Path

import numpy as np

from benchmarks import arrays
from benchmarks.methods import made

LEARNERS = {
    "`IBoost`": "IBoost()",
    "`IBoost`, stumps, cap auto": "IBoost(cap='auto')",
    "`IBoost`, naive Bayes, cap auto": "IBoost(NaiveBayes(), n_members=20, cap='auto')",
    "`IBoost`, stumps, no cap": "IBoost(cap=None)",
    "`AdaBoostWindow`, M = 50": "AdaBoostWindow(n_members=50)",
    "`NonstationaryOnlineBoost`": "NonstationaryOnlineBoost()",
    "`FastLightClassifier`": "FastLightClassifier()",
    "`OnlineCoordinateBoost`": "OnlineCoordinateBoost()",
    "`FastLightBoost`": "FastLightBoost()",
    "`OnlineBoost`": "OnlineBoost()",
    "`BOLE`": "BOLE()",
    "`LeveragingBagging`": "LeveragingBagging(HoeffdingTree())",
    "`AdaptiveRandomForest`": "AdaptiveRandomForest()",
    "`LogisticMixture`": "LogisticMixture()",
    "`LabelChain`": "LabelChain()",
    "`NoChange`": "NoChange()",
    "`MajorityClass`": "MajorityClass()",
}


def accuracy(expression, rows):
    """Return the share of rows that a learner predicts correctly before it learns them."""
    learner = made(expression)
    learner.begin(rows.X.shape[1], np.arange(rows.n_classes), n_categories=rows.n_categories)
    p = learner.test_then_train_coded(rows.X, rows.codes)
    return float(np.mean(p.argmax(axis=1) == rows.codes))


def lines(learners, streams, data):
    """Yield the markdown table line by line."""
    loaded = {name: arrays.load(name, data) for name in streams}
    yield "| | " + " | ".join(loaded) + " | seconds |"
    yield "|---|" + "---:|" * (len(loaded) + 1)
    for name in learners:
        start = time.process_time()
        found = [f"{100 * accuracy(LEARNERS[name], rows):.1f}" for rows in loaded.values()]
        yield f"| {name} | " + " | ".join(found) + f" | {time.process_time() - start:.0f} |"


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.boosting_real", description=__doc__)
    parser.add_argument("--streams", nargs="+", default=list(arrays.REAL))
    parser.add_argument("--data", type=Path, default=arrays.DATA, help="folder of the real files")
    asked = parser.parse_args()
    for line in lines(LEARNERS, asked.streams, asked.data):
        print(line, flush=True)


if __name__ == "__main__":
    main()
