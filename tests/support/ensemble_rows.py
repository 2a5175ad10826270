"""The ensembles, a member that fails, and rows with a drift half way, for tests of what has members."""

import numpy as np
from sklearn.base import clone

from thalweg.drift import ADWIN
from thalweg.learners import (
    BOLE,
    AdaptiveRandomForest,
    AdwinBagging,
    DriftReset,
    DynamicWeightedMajority,
    FastLightClassifier,
    HoeffdingTree,
    LeveragingBagging,
    NaiveBayes,
    NonstationaryOnlineBoost,
    OnlineBagging,
    OnlineBoost,
    StreamingRandomPatches,
)
from thalweg.learners.base.stream_classifier import StreamClassifier

BAGS = [OnlineBagging, AdwinBagging, LeveragingBagging]
FORESTS = [AdaptiveRandomForest, StreamingRandomPatches]
BOOSTS = [OnlineBoost, BOLE, NonstationaryOnlineBoost, FastLightClassifier]
ALL = [*BAGS, *FORESTS, *BOOSTS, DynamicWeightedMajority]


# Members come and go every few hundred rows.
TREE = HoeffdingTree(grace_period=20, max_features=2)
RESTLESS = [
    LeveragingBagging(NaiveBayes(), 4, delta=0.5),
    LeveragingBagging(TREE, 4, delta=0.5),
    AdwinBagging(NaiveBayes(), 4, delta=0.9),
    AdaptiveRandomForest(NaiveBayes(), 4, warning_delta=0.7, drift_delta=0.5),
    AdaptiveRandomForest(TREE, 4, warning_delta=0.7, drift_delta=0.5),
    StreamingRandomPatches(NaiveBayes(), 4, max_features=2, warning_delta=0.7, drift_delta=0.5),
    DynamicWeightedMajority(NaiveBayes(), period=10, max_members=5),
    DynamicWeightedMajority(NaiveBayes(), period=10, max_members=5, reduce="always", window=20),
    DriftReset(NaiveBayes(), ADWIN(delta=0.5)),
    OnlineBagging(DriftReset(NaiveBayes(), ADWIN(delta=0.5)), 3),
    OnlineBoost(DriftReset(NaiveBayes()), 3),
    NonstationaryOnlineBoost(NaiveBayes(), 4, window=50, min_rows=20),
]


def drifting_rows(n=3000, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 3)) + y[:, None] * np.array([1.5, 0.0, -1.0])
    y[n // 2 :] = 1 - y[n // 2 :]
    return X, y


def restless_rows(n):
    X, y = drifting_rows(n)
    y[(np.arange(n) // 300) % 2 == 0] ^= 1
    return X, y


def name_of(learner):
    return f"{type(learner).__name__}-{type(learner.member).__name__}"


def on_threads(learner, n_jobs):
    return clone(learner).set_params(**({"n_jobs": n_jobs} if hasattr(learner, "n_jobs") else {}))


def begun(learner):
    return learner.begin(3, [0, 1])


def bayes():
    return begun(NaiveBayes())


def keys_of(learner):
    """Return the keys of the members' random streams."""
    return learner._kernel.arrays["keys"].tolist()


def drawn_weights(ensemble, n):
    """Return what the members of a bag of MajorityClass, which keep their weight, are given for each row."""
    w = np.zeros((n + 1, len(ensemble.members_)))
    for i in range(1, n + 1):
        ensemble.test_then_train(np.zeros((1, 3)), [0])
        w[i] = [member._kernel.arrays["counts"].sum() for member in ensemble.members_]
    return np.diff(w, axis=0)


def assert_poisson(w, mean):
    """Assert that members draw Poisson numbers, each its own."""
    assert abs(w.mean() - mean) < 4 * np.sqrt(mean / w.size)
    assert abs(w.var() - mean) < 0.08 * mean + 4 * mean / np.sqrt(w.size)
    assert np.abs(np.corrcoef(w.T) - np.eye(w.shape[1])).max() < 0.06
    assert (w == np.round(w)).all()


def events_of(learner, *names):
    """Return what the history says of each event."""
    return list(zip(*(learner.history_[name].tolist() for name in names), strict=True))


class Failing(StreamClassifier):
    def _begin(self, n_features, n_classes):
        pass

    def _learn(self, X, y, w, p):
        raise RuntimeError("the member failed")

    def _predict(self, X, p):
        p[:] = 0.5


def turning(n, n_classes, seed=3):
    """Rows in a plane cut into sectors that turn by one half way, a tenth of the labels wrong; weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = ((np.arctan2(X[:, 1], X[:, 0]) / (2 * np.pi) + 0.5) * n_classes).astype(int) % n_classes
    y[n // 2 :] = (y[n // 2 :] + 1) % n_classes
    wrong = rng.random(n) < 0.1
    y[wrong] = (y[wrong] + 1) % n_classes
    return X, y, rng.choice([0.5, 1.0, 3.0], n)


def moving_clouds(n, n_features, n_classes, seed=4):
    """Rows around a centre for each class, which change centres half way, a tenth of the labels random."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    centres = rng.normal(scale=1.5, size=(n_classes, n_features))
    X = rng.normal(size=(n, n_features)) + centres[y]
    y[n // 2 :] = (y[n // 2 :] + 1) % n_classes
    y = np.where(rng.random(n) < 0.1, rng.integers(0, n_classes, n), y)
    return X, y, rng.choice([0.5, 1.0, 3.0], n)
