"""Time of runs with late labels, for learners that observe rows and for others.

    python -m benchmarks.late_speed [--stream elec2] [--rows 45000] [--delays 0 48 1000]

Prints the processor time in µs a row of each learner and delay, and a digest of all probabilities: two
versions of the library that give the same answers print the same digests.
"""

import argparse
import hashlib
import time

from benchmarks import arrays
from thalweg.evaluation import metrics, prequential
from thalweg.learners import HUWRS, AdaptiveStacking, LogisticMixture, NaiveBayes
from thalweg.trust import Calibrated, PredictionSets

LEARNERS = {
    "NaiveBayes": NaiveBayes,
    "LogisticMixture": LogisticMixture,
    "Calibrated(NaiveBayes)": lambda: Calibrated(NaiveBayes()),
    "PredictionSets(NaiveBayes)": lambda: PredictionSets(NaiveBayes()),
    "HUWRS": lambda: HUWRS(random_state=1),
    "AdaptiveStacking": lambda: AdaptiveStacking(random_state=1),
}


def measured(name, X, codes, delay):
    """Return the processor time in µs a row, the accuracy, and a digest of the probabilities."""
    learner = LEARNERS[name]()
    begin = time.process_time()
    run = prequential((X, codes), learner, delay=delay)
    seconds = time.process_time() - begin
    digest = hashlib.sha256(run.probabilities.tobytes()).hexdigest()[:12]
    return 1e6 * seconds / len(codes), metrics.accuracy(run), digest


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--stream", default="elec2")
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--rows", type=int, default=45_000)
    parser.add_argument("--delays", type=int, nargs="*", default=[0, 48, 1000])
    parser.add_argument("--learners", nargs="*", default=list(LEARNERS), choices=list(LEARNERS))
    options = parser.parse_args()
    rows = arrays.load(options.stream, options.data)
    X, codes = rows.X[: options.rows], rows.codes[: options.rows]
    print(f"{options.stream}, {len(codes):,} rows, processor time in µs a row")
    for name in options.learners:
        for delay in options.delays:
            microseconds, accuracy, digest = measured(name, X, codes, delay)
            found = f"{microseconds:8.2f}  {100 * accuracy:.2f} %  {digest}"
            print(f"{name:28} {delay:5} late {found}", flush=True)


if __name__ == "__main__":
    main()
