"""Calibrated learners: calibration error, log-loss and accuracy before and after, at once and late.

    python -m benchmarks.trust_calibration streams means [--delays 0 1000] [--learners BOLE …] [--rows 45000]
    python -m benchmarks.trust_calibration rivals speed

Each part prints a Markdown table line by line. The calibration error (ECE) is the mean gap between how sure a
learner was of its answer and how often it was right, over 15 bins of sureness, by rows, in percent. The
log-loss takes no probability for less than a millionth. Streams with fewer than 4 × delay rows are left out.
"""

import argparse
import time
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator

from benchmarks import arrays
from thalweg import learners
from thalweg.evaluation import prequential
from thalweg.learners import LabelChain, MajorityClass, NoChange
from thalweg.streams import from_arrays
from thalweg.trust import Calibrated

LEARNERS = (
    "AdaptiveRandomForest", "LeveragingBagging", "BOLE", "NaiveBayes", "HoeffdingAdaptiveTree",
    "AdaptiveStacking",
)
STREAMS = (
    "usenet1", "keystroke", "luxembourg", "weather", "insects", "elec2", "gmsc", "covtype", "powersupply",
)
TRIVIAL = {"majority": MajorityClass, "last label": NoChange, "label chain": LabelChain}
METHODS = ("sigmoid", "isotonic", "temperature")
BINS = 15


class Options(argparse.Namespace):
    """What the command line asks for, by which results are cached."""

    __hash__ = object.__hash__


class Known(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose rows are its probabilities."""

    def fit(self, X, y):
        """Know the classes."""
        self.classes_ = np.arange(X.shape[1])
        return self

    def predict_proba(self, X):
        """Return the rows."""
        return X

    def predict(self, X):
        """Return the likeliest classes."""
        return X.argmax(axis=1)


def line(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def header(*cells):
    line(*cells)
    line(*["---"] * len(cells))


def scores(p, codes):
    """Return calibration error, log-loss and accuracy."""
    answer = p.argmax(axis=1)
    sure, right = p.max(axis=1), answer == codes
    bins = np.minimum((sure * BINS).astype(int), BINS - 1)
    gap = 100 * np.abs(np.bincount(bins, sure - right)).sum() / len(codes)
    loss = -np.log(p[np.arange(len(codes)), codes].clip(1e-6)).mean()
    return gap, loss, 100 * right.mean()


def made(name, seed):
    """Return a learner at its defaults with this seed."""
    learner = getattr(learners, name)()
    return learner.set_params(random_state=seed) if "random_state" in learner.get_params(False) else learner


@cache
def rows_of(name, data, most):
    rows = arrays.load(name, data)
    return rows.X[:most], rows.codes[:most], rows.n_classes


def said(learner, name, delay, options):
    """Return each row's probabilities before its label was known."""
    X, codes, n_classes = rows_of(name, options.data, options.rows)
    stream = from_arrays(X, codes, classes=np.arange(n_classes))
    return prequential(stream, learner, delay=delay).probabilities


@cache
def answers(name, learner, delay, options):
    """Return what a learner says alone, calibrated with its answers kept, and calibrated with biases."""
    kinds = made(learner, options.seed), *(
        Calibrated(made(learner, options.seed), keep_answers=keep) for keep in (True, False)
    )
    return [said(kind, name, delay, options) for kind in kinds]


def found(name, learner, delay, options):
    """Return the scores of what `answers` returns."""
    codes = rows_of(name, options.data, options.rows)[1]
    return np.array([scores(p, codes) for p in answers(name, learner, delay, options)])


def in_words(table):
    """Return ECE, log-loss and accuracy, each alone · kept · with biases."""
    return [" · ".join(f"{each:.{n}f}" for each in part) for part, n in zip(table.T, (2, 3, 2), strict=True)]


def usable(delay, options):
    """Return the streams that are long enough for this delay."""
    lengths = {name: len(rows_of(name, options.data, options.rows)[1]) for name in options.streams}
    return [name for name, n in lengths.items() if n >= 4 * delay]


def streams(options):
    """ECE, log-loss and accuracy of each learner on each stream: alone · answers kept · with biases."""
    header("stream, delay", "learner", "ECE", "log-loss", "accuracy", *TRIVIAL)
    for delay in options.delays:
        for name in usable(delay, options):
            codes = rows_of(name, options.data, options.rows)[1]
            trivial = [scores(said(kind(), name, delay, options), codes)[2] for kind in TRIVIAL.values()]
            for learner in options.learners:
                cells = in_words(found(name, learner, delay, options))
                line(f"{name}, {delay}", learner, *cells, *(f"{each:.1f}" for each in trivial))


def means(options):
    """The same on average over the streams, and the worst of them: alone · answers kept · with biases."""
    rose = "most that ECE, log-loss rose, kept · biases"
    header("delay, streams", "learner", "ECE", "log-loss", "accuracy", rose)
    for delay in options.delays:
        names = usable(delay, options)
        for learner in options.learners:
            every = np.array([found(name, learner, delay, options) for name in names])
            worst = (every[:, 1:] - every[:, :1]).max(axis=0)
            rose = " · ".join(f"{each[0]:+.2f}, {each[1]:+.4f}" for each in worst)
            line(f"{delay}, {len(names)}", learner, *in_words(every.mean(axis=0)), rose)


def rivals(options):
    """ECE · log-loss beside scikit-learn's calibrations, fitted on the first 1,000 labels and then left.

    All are scored from the row on at which those labels are known; 500 rows on streams below 4,000.
    """
    names = [f"scikit-learn {method}" for method in METHODS]
    header("delay, streams", "learner", "alone", *names, "Calibrated", "with biases")
    for delay in options.delays:
        for learner in options.learners:
            table = [against(name, learner, delay, options) for name in usable(delay, options)]
            mean = np.mean(table, axis=0)
            line(f"{delay}, {len(table)}", learner, *(f"{gap:.2f} · {loss:.3f}" for gap, loss in mean))


def against(name, learner, delay, options):
    """Return ECE and log-loss of a learner on one stream: alone, by each rival, and calibrated."""
    codes = rows_of(name, options.data, options.rows)[1]
    n = 1000 if len(codes) >= 4000 else 500
    alone, *calibrated = answers(name, learner, delay, options)
    rivals = [static(alone, codes, n, method) for method in METHODS]
    return [scores(p[n + delay :], codes[n + delay :])[:2] for p in (alone, *rivals, *calibrated)]


def static(p, codes, n, method):
    """Return what scikit-learn makes of the probabilities after it was fitted on the first rows.

    Classes with fewer than five rows there, which it cannot fit, keep the probabilities that they had.
    """
    known = np.flatnonzero(np.bincount(codes[:n], minlength=p.shape[1]) >= 5)
    left = p[:, known] + 1e-12
    left /= left.sum(axis=1, keepdims=True)
    rows = np.flatnonzero(np.isin(codes[:n], known))
    y = np.searchsorted(known, codes[rows])
    fitted = CalibratedClassifierCV(FrozenEstimator(Known().fit(left, y)), method=method).fit(left[rows], y)
    answers = p.copy()
    answers[:, known] = fitted.predict_proba(left) * p[:, known].sum(axis=1, keepdims=True)
    return answers


def speed(options):
    """Microseconds of processor time a row beyond the member's, least of several passes taken in turns."""
    header("classes", "answers kept", "with biases")
    rng = np.random.default_rng(options.seed)
    for n_classes in (2, 7, 40):
        X, codes = rng.normal(size=(20_000, 3)), rng.integers(0, n_classes, 20_000)
        kinds = [MajorityClass(), *(Calibrated(MajorityClass(), keep_answers=keep) for keep in (True, False))]
        taken = np.full(3, np.inf)
        for _ in range(9):
            for i, learner in enumerate(kinds):
                learner.begin(3, range(n_classes))
                start = time.process_time()
                learner.test_then_train_coded(X, codes)
                taken[i] = min(taken[i], 1e6 * (time.process_time() - start) / len(X))
        line(n_classes, *(f"{each - taken[0]:.2f}" for each in taken[1:]))


PARTS = {each.__name__: each for each in (streams, means, rivals, speed)}


def main():
    """Print the tables the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.trust_calibration", description=__doc__.splitlines()[0]
    )
    parser.add_argument("parts", nargs="+", choices=PARTS)
    parser.add_argument("--streams", nargs="+", default=STREAMS)
    parser.add_argument("--learners", nargs="+", default=LEARNERS)
    parser.add_argument("--delays", nargs="+", type=int, default=[0, 1000])
    parser.add_argument("--rows", type=int, default=45_000, help="of each stream, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path, default=arrays.DATA, help="folder of the real files")
    options = parser.parse_args(namespace=Options())
    for part in options.parts:
        PARTS[part](options)


if __name__ == "__main__":
    main()
