"""PredictionSets beside other ways to choose sets of classes: real streams, late labels, two learners.

    python -m benchmarks.trust_sets tables speed [--streams elec2 …] [--delays 0 48 share] [--kept FOLDER]
    python -m benchmarks.trust_sets coverages --learners AdaptiveRandomForest

`tables` prints a Markdown table for each learner and delay, `coverages` one for other coverages than 90 %,
`speed` the time that sets add to a row. All methods get the same probabilities, recorded once; with `--kept`
they are kept as files. If MAPIE is there, its sets are beside ours: recalibrated every 1,000 rows.
"""

import argparse
import time
from pathlib import Path

import numpy as np

from benchmarks import arrays
from benchmarks.trust_set_rivals import RIVALS, mapie_sets, rival_sets
from thalweg.evaluation import prequential
from thalweg.evaluation.arrivals import Arrivals
from thalweg.learners import AdaptiveRandomForest, AdaptiveStacking, NaiveBayes, NoChange
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.streams import from_arrays
from thalweg.trust import PredictionSets

LEARNERS = {"AdaptiveRandomForest": AdaptiveRandomForest, "AdaptiveStacking": AdaptiveStacking}
STREAMS = [name for name in arrays.REAL if name != "email-list"] + ["sea", "rbf"]
DELAYS = {"0": {}, "48": {"delay": 48}, "1000": {"delay": 1000}, "share": {"label_share": 0.1}}
TITLES = {
    "0": "without delay", "48": "48 rows late", "1000": "1,000 rows late", "share": "10 % of labels",
}  # fmt: skip
BLOCK, MANY = 500, 5000


class Replay(StreamClassifier):
    """Answers with recorded probabilities; the only input is the number of the row."""

    def __init__(self, p=None):
        self.p = p

    def _begin(self, n_features, n_classes):
        pass

    def _predict(self, X, p):
        p[:] = self.p[X[:, 0].astype(np.intp)]

    def _learn(self, X, y, w, p):
        self._predict(X, p)


def probabilities(learner, stream, delay, options):
    """Return the probabilities of a learner for the first rows of a stream, and the codes."""
    rows = arrays.load(stream, options.data)
    X, codes = rows.X[: options.rows], rows.codes[: options.rows]
    path = Path(options.kept or ".") / f"{learner}-{stream}-{delay}.npy"
    if options.kept and path.exists():
        return np.load(path), codes
    made = LEARNERS[learner](random_state=options.seed)
    run = prequential(from_arrays(X, codes), made, **DELAYS[delay])
    if options.kept:
        np.save(path, run.probabilities)
    return run.probabilities, codes


def our_sets(p, codes, delay, coverage=0.9):
    """Return which classes are in our sets, and whether the label is before the rule that none is empty."""
    rows = np.arange(float(len(p)))[:, None]
    stream = from_arrays(rows, codes, classes=np.arange(p.shape[1]))
    run = prequential(stream, PredictionSets(Replay(p), coverage=coverage), **DELAYS[delay])
    return run.sets[:, 0], run.sets[:, 1].astype(bool)


def judged(p, codes, sizes, held, first):
    """Return the measures of sets, all in per cent but the size, from row `first` on."""
    right = p.argmax(axis=1) == codes
    covered = held | ((sizes == 0) & right)
    blocks = [covered[i : i + BLOCK].mean() for i in range(first, len(p) - BLOCK + 1, BLOCK)]
    return {
        "raw": 100 * held[first:].mean(),
        "coverage": 100 * covered[first:].mean(),
        "worst": 100 * min(blocks),
        "size": float(np.maximum(sizes, 1)[first:].mean()),
        "single": 100 * (sizes <= 1)[first:].mean(),
    }


def methods(p, codes, delay, options):
    """Return sizes and hits of each method by its name."""
    comes = Arrivals(**({"delay": 0, "label_share": 1.0, "seed": 0} | DELAYS[delay])).of(0, len(p))
    found = {"ours": our_sets(p, codes, delay)}
    for name in RIVALS:
        found[name] = rival_sets(name, p, codes, comes)
    if options.mapie:
        found["MAPIE"] = mapie_sets(p, codes, comes)
    return found


def line(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def header(*cells):
    line(*cells)
    line(*["---"] * len(cells))


def tables(options):
    """Raw coverage · coverage · worst block of 500 · mean size · share of single answers, by method."""
    for delay in options.delays:
        for learner in options.learners:
            print(f"\n{learner}, {TITLES[delay]}\n")
            names = ["ours", *RIVALS, *["MAPIE"] * options.mapie]
            header("stream", *names)
            kept = {name: [] for name in names}
            for stream in options.streams:
                p, codes = probabilities(learner, stream, delay, options)
                first = (1000 if len(p) > MANY else 500) + DELAYS[delay].get("delay", 0)
                if first + BLOCK > len(p):
                    continue
                found = methods(p, codes, delay, options)
                scores = {name: judged(p, codes, *found[name], first) for name in names}
                line(f"{stream} ({len(p):,})", *(shown(scores[name]) for name in names))
                for name in names:
                    kept[name].append(scores[name])
            line("mean (worst: least)", *(shown(means(kept[name])) for name in names))


def means(scores):
    """Return the means of several measures; of the raw coverage the mean distance to 90 %."""
    mean = {name: float(np.mean([each[name] for each in scores])) for name in scores[0]}
    mean["raw"] = float(np.mean([abs(each["raw"] - 90) for each in scores]))
    return mean | {"worst": min(each["worst"] for each in scores)}


def shown(score):
    rates = f"{score['raw']:.2f} · {score['coverage']:.1f} · {score['worst']:.1f}"
    return f"{rates} · {score['size']:.2f} · {score['single']:.0f}"


def coverages(options):
    """Raw coverage · size at other coverages, without delay."""
    wanted = (0.5, 0.8, 0.9, 0.95, 0.99)
    for learner in options.learners:
        print(f"\n{learner}, {TITLES['0']}: raw coverage · worst block · mean size\n")
        header("stream", *(f"{100 * each:g} %" for each in wanted))
        for stream in options.streams:
            p, codes = probabilities(learner, stream, "0", options)
            cells = []
            for each in wanted:
                score = judged(p, codes, *our_sets(p, codes, "0", each), 0)
                cells.append(f"{score['raw']:.2f} · {score['worst']:.1f} · {score['size']:.2f}")
            line(stream, *cells)


def speed(options):
    """Microseconds that sets add to a row, least of several passes."""
    header("classes", "NoChange", "with sets", "NaiveBayes", "with sets", "added to both")
    for n_classes in (2, 7, 40):
        rng = np.random.default_rng(1)
        codes = rng.integers(0, n_classes, 50_000)
        X = codes[:, None] + rng.normal(0, 1 + n_classes / 8, (50_000, 2))
        learners = [NoChange(), PredictionSets(NoChange()), NaiveBayes(), PredictionSets(NaiveBayes())]
        least = [np.inf] * len(learners)
        for _ in range(options.passes):
            for i, learner in enumerate(learners):
                learner.begin(2, np.arange(n_classes))
                start = time.process_time()
                learner.test_then_train_coded(X, codes)
                least[i] = min(least[i], 1e6 * (time.process_time() - start) / len(X))
        added = f"{least[1] - least[0]:.2f}, {least[3] - least[2]:.2f}"
        line(n_classes, *(f"{each:.2f}" for each in least), added)


PARTS = {each.__name__: each for each in (tables, coverages, speed)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("parts", nargs="+", choices=list(PARTS))
    parser.add_argument("--streams", nargs="+", default=STREAMS)
    parser.add_argument("--learners", nargs="+", default=list(LEARNERS), choices=list(LEARNERS))
    parser.add_argument("--delays", nargs="+", default=list(DELAYS), choices=list(DELAYS))
    parser.add_argument("--rows", type=int, default=45_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--passes", type=int, default=7)
    parser.add_argument("--data", type=Path, default=arrays.DATA)
    parser.add_argument("--kept", help="folder of recorded probabilities")
    parser.add_argument("--mapie", action="store_true", help="MAPIE too, if it is installed")
    options = parser.parse_args()
    for name in options.parts:
        PARTS[name](options)


if __name__ == "__main__":
    main()
