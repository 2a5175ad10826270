"""How well detectors find drift, and how well a learner does that they reset."""

import argparse
import time

import numpy as np

from benchmarks import arrays
from thalweg import drift
from thalweg.evaluation import loss_streams, score_detector
from thalweg.learners import DriftReset, NaiveBayes

DETECTORS = [drift.registry.load(name)() for name in drift.registry]
MOAS_PAGE_HINKLEY = drift.PageHinkley(decay=0.9999, from_lowest=False)


def score_lines(n_streams, seed):
    """Yield misses, delays and false alarms of every detector beside its dummy."""
    yield "| detector | drift | missed % | delay | false alarms | random: missed % | delay | false alarms |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|"
    for detector in [*DETECTORS, MOAS_PAGE_HINKLEY]:
        for kind in ("abrupt", "gradual"):
            score = score_detector(detector, loss_streams(kind, n_streams, seed=seed))
            dummy, delays = score.random, score.delays
            delay = f"{score.delay:.0f} [{delays.min()}, {delays.max()}]" if len(delays) else "–"
            cells = [f"{100 * score.missed:.0f}", delay, f"{score.false_alarms:.2f}"]
            beside = [f"{100 * dummy.missed:.0f}", f"{dummy.delay:.0f}", f"{dummy.false_alarms:.2f}"]
            yield f"| {' | '.join([str(detector), kind, *cells, *beside])} |"


def reset_lines(data):
    """Yield the accuracy of naive Bayes with every detector on two real streams."""
    yield "| stream | detector | accuracy % | drifts | ns a row |"
    yield "|---|---|---:|---:|---:|"
    for stream in ("elec2 nominal", "usenet1 nominal"):
        rows = arrays.load(stream, data)
        for detector in DETECTORS:
            learner = DriftReset(NaiveBayes(), detector)
            learner.begin(rows.X.shape[1], np.arange(rows.n_classes), n_categories=rows.n_categories)
            start = time.process_time()
            p = learner.test_then_train_coded(rows.X, rows.codes)
            spent = 1e9 * (time.process_time() - start) / len(p)
            accuracy = 100 * np.mean(p.argmax(axis=1) == rows.codes)
            yield f"| {stream} | {detector} | {accuracy:.2f} | {learner.n_drifts_} | {spent:.0f} |"


def main():
    """Print both tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.detector_scores", description=__doc__)
    parser.add_argument("--streams", type=int, default=100, help="streams of each kind (default 100)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--data", default=arrays.DATA, help="folder of the real files")
    asked = parser.parse_args()
    for line in [*score_lines(asked.streams, asked.seed), "", *reset_lines(asked.data)]:
        print(line, flush=True)


if __name__ == "__main__":
    main()
