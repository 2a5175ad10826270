"""Every figure of a random run, beside scikit-learn's or a few lines that compute it from the predictions."""

import math
import os
import sys
import tempfile
import types
import warnings
from pathlib import Path
from unittest import mock

import numpy as np
from sklearn import metrics as by_sklearn

from thalweg.evaluation import chunked, compare, metrics, prequential
from thalweg.learners import (
    AdaptiveStacking,
    HoeffdingTree,
    LinearLogistic,
    MajorityClass,
    NaiveBayes,
    OnlineBagging,
)
from thalweg.streams import SEA
from thalweg.trust import Calibrated, PredictionSets

LEARNERS = (
    NaiveBayes,
    LinearLogistic,
    MajorityClass,
    lambda: HoeffdingTree(grace_period=20),
    lambda: OnlineBagging(n_members=3),
    lambda: AdaptiveStacking([NaiveBayes(), LinearLogistic()]),
    lambda: PredictionSets(NaiveBayes(), window=50),
)
OF_TOTALS = (
    "accuracy", "kappa", "kappa_m", "kappa_temporal", "balanced_accuracy", "f1", "log_loss", "cost",
)  # fmt: skip
EDITED = """
from thalweg.learners import NaiveBayes

class Edited(NaiveBayes):
    def _predict(self, X, p):
        super()._predict(X, p)
        p[:] = p[:, ::-1] if {0} else p

    def _learn(self, X, y, w, p):
        super()._learn(X, y, w, p)
        p[:] = p[:, ::-1] if {0} else p
"""
LABELS = ([0, 1], ["no", "yes"], [2, 5, 9], ["a", "b", "c", "d"])


def run(seed):
    """Try the case of this seed; return "agreed", or raise AssertionError with the figure that differs."""
    rng = np.random.default_rng(seed)
    if rng.random() < 0.02:
        an_edited_learner(rng)
        return "agreed"
    stream = Rows(rng)
    make = LEARNERS[rng.integers(len(LEARNERS))]
    costs = rng.uniform(0.1, 5, (stream.k, stream.k)) * (1 - np.eye(stream.k))
    costs = costs if rng.random() < 0.3 else None
    if costs is not None and rng.random() < 0.5:
        learner, given = Calibrated(make(), costs=costs), {}
    else:
        learner, given = make(), {} if costs is None else {"costs": costs}
    is_chunked = rng.random() < 0.2 and not given
    if is_chunked:
        size = int(rng.integers(1, stream.n))
        found = chunked((stream.X, stream.y), learner, size=size)
    else:
        settings = {
            "delay": int(rng.choice([0, 0, 1, 7, stream.n])),
            "label_share": float(rng.choice([1.0, 1.0, 0.5])),
            "block": int(rng.choice([1, 7, 1000])),
            **given,
        }
        found = prequential((stream.X, stream.y), learner, **settings)
        if settings["label_share"] == 1.0:
            assert_equal(found.probabilities, simulated(stream, learner, settings["delay"]), "probabilities")
            assert_baselines(found, stream, settings["delay"])
        totals = prequential((stream.X, stream.y), learner, keep="totals", **settings)
        for name in OF_TOTALS:
            of = getattr(metrics, name)
            assert_equal(of(totals), of(found), f"{name} of totals")
    assert_figures(found, costs)
    assert_windows(found, rng)
    first, last = sorted(rng.integers(0, len(found.codes) + 1, 2).tolist())
    if last > first:
        assert_figures(found.part(first, last), costs)
    summary = found.summary()
    for name in ("accuracy", "kappa", "log_loss"):
        value = getattr(metrics, name)(found)
        assert_equal(np.nan if summary[name] is None else summary[name], value, f"{name} of the summary")
    return "agreed"


def an_edited_learner(rng):
    """Compare learners of a module whose code changes: no answer is of code that no longer exists."""
    rows, seed = int(rng.choice([200, 1500])), int(rng.integers(1000))
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"THALWEG_CACHE": folder}):
        path = Path(folder) / "edited.py"
        for is_turned in (0, 1, 0):
            path.write_text(EDITED.format(is_turned))
            module = types.ModuleType("edited")
            exec(compile(path.read_text(), path, "exec"), vars(module))
            with mock.patch.dict(sys.modules, {"edited": module}):
                made = module.Edited
                found = compare({"edited": made()}, {"sea": SEA(rows, seed=seed)}, n_jobs=1).table()[0][0]
                expected = metrics.accuracy(prequential(SEA(rows, seed=seed), made()))
            assert_equal(found, expected, f"accuracy of an edited learner on {rows} rows of SEA, seed {seed}")


class Rows:
    """Rows whose labels depend on them, some of them missing."""

    def __init__(self, rng):
        self.n = int(rng.choice([5, 60, 250]))
        self.labels = LABELS[rng.integers(len(LABELS))]
        self.k = len(self.labels)
        self.X = rng.normal(size=(self.n, int(rng.integers(1, 4))))
        self.codes = np.clip(np.round(self.X[:, 0] + rng.normal(0, 0.5, self.n)), 0, self.k - 1).astype(int)
        self.codes[rng.random(self.n) < rng.choice([0.0, 0.2])] = -1
        places = rng.permutation(self.n)[: self.k]  # all classes are there, or no labels at all
        self.codes[places] = np.arange(self.k)[: len(places)]
        self.y = np.array([None if code < 0 else self.labels[code] for code in self.codes], dtype=object)


def simulated(stream, learner, delay):
    """Return the probabilities of a plain loop: predict a row, then learn those whose labels come."""
    classes = sorted({label for label in stream.y if label is not None})
    learner, rows, p = type(learner)(**learner.get_params(deep=False)), stream.X[:, None], []
    learner.begin(stream.X.shape[1], classes)
    for i, x in enumerate(rows):
        p.append(learner.predict_proba_block(x)[0])
        if delay or stream.codes[i] < 0:
            learner.observe(x, [i])
        if (j := i - delay) >= 0 and stream.codes[j] >= 0:
            learner.test_then_train(rows[j], [stream.y[j]], ids=[j] if delay else None)
    return np.array(p)


def assert_baselines(found, stream, delay):
    """Compare the answers of two baselines with those of a plain loop."""
    codes = found.codes
    answers = {name: [] for name in ("no_change", "majority")}
    learned = []
    for i in range(len(codes)):
        last = learned[-1] if learned else 0
        counts = np.bincount(learned, minlength=len(found.classes))
        answers["no_change"].append(last)
        answers["majority"].append(counts.argmax())
        if (j := i - delay) >= 0 and codes[j] >= 0:
            learned.append(codes[j])
    for name, expected in answers.items():
        assert_equal(found.baselines[name], expected, name)


def assert_figures(found, costs):
    """Compare the figures over all rows with those of scikit-learn."""
    scored = found.codes >= 0
    true, p, said = found.codes[scored], found.probabilities[scored], found.predicted[scored]
    expected = p.argmax(axis=1) if costs is None else None
    if expected is not None:
        best = p[np.arange(len(p)), said]
        assert (best == p.max(axis=1)).all(), "an answer is not the most probable class"
    elif len(p):
        paid = p @ costs
        assert_equal(paid[np.arange(len(p)), said], paid.min(axis=1), "expected cost of the answers", 1e-9)
    for name, value in references(true, p, said, costs, found.classes.tolist()).items():
        assert_equal(getattr(metrics, name)(found), value, name)


def positive(true, classes):
    """Return the class of two whose F1 is meant: the one called yes or the like, else the rarer."""
    words = "yes", "true", "1", "1.0", "y", "t", "positive", "pos"
    said = [str(label).lower() in words for label in classes]
    return said.index(True) if sum(said) == 1 else int((true == 1).sum() <= (true == 0).sum())


def references(true, p, said, costs, classes):
    """Return what each metric should be."""
    k = len(classes)
    if not len(true):
        return dict.fromkeys(("accuracy", "kappa", "log_loss", "brier", "cost"), math.nan)
    every = np.arange(k)
    hot = true[:, None] == every
    matrix = 1 - np.eye(k) if costs is None else costs
    some = np.union1d(true, said)
    recalls = np.array([(said[true == c] == c).mean() for c in np.unique(true)])
    meant = positive(true, classes) if k == 2 else None
    chosen = {"labels": [meant], "average": None} if k == 2 else {"labels": some, "average": "macro"}
    mixed = [c for c in every if hot[:, c].any() and not hot[:, c].all()]
    areas = [by_sklearn.roc_auc_score(hot[:, c], p[:, c]) for c in ([1] if k == 2 else mixed) if c in mixed]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {
            "accuracy": by_sklearn.accuracy_score(true, said),
            "kappa": by_sklearn.cohen_kappa_score(true, said),
            "balanced_accuracy": recalls.mean(),
            "g_mean": recalls.prod() ** (1 / len(recalls)),
            "log_loss": -np.log(np.clip(p[np.arange(len(true)), true], np.finfo(float).eps, 1)).mean(),
            "brier": ((p - hot) ** 2)[:, 1].mean() if k == 2 else ((p - hot) ** 2).sum(axis=1).mean(),
            "cost": matrix[true, said].mean(),
            "auc": np.mean(areas) if areas else math.nan,
        }
        if k > 2 or meant in some:
            found["f1"] = np.mean(by_sklearn.f1_score(true, said, zero_division=0, **chosen))
    return found


def assert_windows(found, rng):
    """Compare sliding and faded figures with those of the rows in the window."""
    n, window = len(found.codes), int(rng.integers(1, 80))
    names = ("accuracy", "kappa_m", "log_loss")
    sliding = {name: getattr(metrics, name)(found, window=window) for name in names}
    fade = float(rng.choice([0.5, 0.9, 0.99]))
    faded = metrics.accuracy(found, fade=fade)
    scored = found.codes >= 0
    right = found.codes == found.predicted
    for i in rng.integers(0, n, 5).tolist() if n else []:
        part = found.part(max(0, i + 1 - window), i + 1)
        for name, values in sliding.items():
            what = f"{name} of the last {window} rows at row {i}"
            assert_equal(values[i], getattr(metrics, name)(part), what, 1e-7)
        weights = fade ** np.arange(i, -1, -1.0) * scored[: i + 1]
        expected = (weights * right[: i + 1]).sum() / weights.sum() if weights.sum() else math.nan
        assert_equal(faded[i], expected, f"accuracy faded by {fade} at row {i}", 1e-7)


def assert_equal(found, expected, what, within=1e-12):
    """Raise AssertionError unless numbers are equal up to rounding; NaN is NaN."""
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape, f"{what}: the shape is {found.shape}, not {expected.shape}"
    are_equal = np.allclose(found, expected, rtol=within, atol=within, equal_nan=True)
    assert are_equal, f"{what}: {found} is not {expected}"
