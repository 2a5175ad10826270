"""Accuracy and calibration of the logistic learners on the real streams, beside River's and trivial ones."""

import argparse
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from benchmarks import arrays
from thalweg.learners import AdaptiveLogistic, LinearLogistic, LogisticMixture, MajorityClass, NoChange

OURS = (MajorityClass, NoChange, AdaptiveLogistic, LogisticMixture, LinearLogistic)


def measures(p, codes):
    """Return accuracy, Brier score and calibration error.

    The calibration error is the mean gap between how sure the learner was of its answer and how often it was
    right, over ten bins of sureness, by rows.
    """
    right = p.argmax(axis=1) == codes
    wanted = np.eye(p.shape[1])[codes]
    sure = p.max(axis=1)
    bins = np.minimum((sure * 10).astype(int), 9)
    gaps = [abs(np.sum(right[bins == b] - sure[bins == b])) for b in range(10)]
    return right.mean(), ((p - wanted) ** 2).sum(axis=1).mean(), sum(gaps) / len(right)


def ours(kind, rows):
    """Return the probabilities each row got before it was learned."""
    learner = kind().begin(rows.X.shape[1], np.arange(rows.n_classes))
    return learner.test_then_train_coded(rows.X, rows.codes)


def rivers(python, rows):
    """Return what River's scaled logistic regression gave, run by an interpreter that has River."""
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder) / "rows.npz", Path(folder) / "p.npy"
        np.savez(given, X=rows.X, codes=rows.codes)
        script = Path(__file__).with_name("river_probabilities.py")
        subprocess.run([python, script, given, found], check=True)
        return np.load(found)


def main():
    """Print a Markdown table: accuracy · Brier score · calibration error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--river", help="an interpreter that has River")
    parser.add_argument("--streams", nargs="+", default=list(arrays.REAL))
    parser.add_argument("--data", default=arrays.DATA)
    options = parser.parse_args()
    names = [kind.__name__ for kind in OURS] + (["River"] if options.river else [])
    print(f"| stream | {' | '.join(names)} |\n|---{'|---' * len(names)}|", flush=True)
    for name in options.streams:
        rows = arrays.load(name, options.data)
        found = [measures(ours(kind, rows), rows.codes) for kind in OURS]
        if options.river:
            found.append(measures(rivers(options.river, rows), rows.codes))
        cells = [f"{100 * hits:.2f} · {brier:.3f} · {gap:.3f}" for hits, brier, gap in found]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
