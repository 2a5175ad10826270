"""The ensembles, a member that fails, and rows with a drift half way, for tests of what has members."""

import numpy as np

from thalweg.learners import (
    BOLE,
    AdaptiveRandomForest,
    AdwinBagging,
    DynamicWeightedMajority,
    LeveragingBagging,
    OnlineBagging,
    OnlineBoost,
    StreamingRandomPatches,
)
from thalweg.learners.base import StreamClassifier

BAGS = [OnlineBagging, AdwinBagging, LeveragingBagging]
FORESTS = [AdaptiveRandomForest, StreamingRandomPatches]
ALL = [*BAGS, *FORESTS, OnlineBoost, BOLE, DynamicWeightedMajority]


def drifting_rows(n=3000, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 3)) + y[:, None] * np.array([1.5, 0.0, -1.0])
    y[n // 2 :] = 1 - y[n // 2 :]
    return X, y


def begun(learner):
    return learner.begin(3, [0, 1])


class Failing(StreamClassifier):
    def _begin(self, n_features, n_classes):
        pass

    def _learn(self, X, y, w, p):
        raise RuntimeError("the member failed")

    def _predict(self, X, p):
        p[:] = 0.5
