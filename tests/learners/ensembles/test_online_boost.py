"""Online boosting and BOLE are their twins in plain Python, whatever their members."""

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.base import clone
from twins._native.rng import key_of
from twins.learners.ensembles.online_boost import BoleTwin, OnlineBoostTwin

from thalweg.drift import DDM
from thalweg.learners import (
    BOLE,
    AdaptiveLogistic,
    DriftReset,
    HoeffdingTree,
    MajorityClass,
    NaiveBayes,
    NearestNeighbours,
    NoChange,
    OnlineBoost,
)


@dataclass
class Case:
    """A learner, its rows, and what they are to meet in the twin."""

    learner: OnlineBoost
    meets: set
    n_rows: int = 800
    n_classes: int = 2
    noise: float = 0.1
    weights: tuple = (1.0,)


WEIGHTS = (0.0, 0.25, 1.0, 4.0, 150.0)
TREE = HoeffdingTree(grace_period=50)
CASES = {
    "trees": Case(OnlineBoost(TREE), {"stopped after a vote"}, 1500),
    "random trees": Case(OnlineBoost(HoeffdingTree(50, max_features=1), 5, random_state=7), set(), 1000),
    "five classes": Case(
        OnlineBoost(NaiveBayes(), random_state=2),
        {"stopped after a vote", "nobody may vote"}, n_classes=5, noise=0.3,
    ),
    "weights": Case(OnlineBoost(AdaptiveLogistic(), 6), {"heavy row"}, n_classes=3, weights=WEIGHTS),
    "one member": Case(OnlineBoost(NearestNeighbours(3, window=50), 1), {"tied classes"}),
    "many members": Case(OnlineBoost(NoChange(), 40), {"nobody may vote"}, 400, n_classes=3),
    "BOLE": Case(BOLE(), {"new order", "tied members", "passed over"}, 1500),
    "BOLE, five classes": Case(
        BOLE(DriftReset(NaiveBayes(), DDM(1.2, 1.95, 7)), 12, random_state=3),
        {"new order", "tied members", "passed over", "nobody may vote"}, n_classes=5, noise=0.3,
    ),
    "BOLE, votes of the weak": Case(
        BOLE(TREE, error_bound=0.9, weight_shift=0.75),
        {"new order", "vote cut at 0"}, 1000, n_classes=4, noise=0.4,
    ),
    "BOLE, votes of the strong": Case(
        BOLE(TREE, error_bound=0.3, weight_shift=-0.3),
        {"new order", "passed over", "nobody may vote"}, noise=0.05,
    ),
    "BOLE, weights": Case(
        BOLE(AdaptiveLogistic(), 6), {"new order", "heavy row"}, n_classes=3, weights=WEIGHTS
    ),
    "BOLE, many members": Case(
        BOLE(MajorityClass(), 40, error_bound=0.8),
        {"new order", "tied classes", "tied members"}, 400, n_classes=3,
    ),
}


def rows(case, seed=1):
    """Return a cloud of points for each class, some labels flipped; the classes change clouds half way."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, case.n_classes, case.n_rows)
    angle = 2 * np.pi * y / case.n_classes
    X = rng.normal(size=(case.n_rows, 3)) + 1.5 * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    y[case.n_rows // 2 :] = (y[case.n_rows // 2 :] + 1) % case.n_classes
    y = np.where(rng.random(case.n_rows) < case.noise, rng.integers(0, case.n_classes, case.n_rows), y)
    return X, y, rng.choice(case.weights, case.n_rows)


def twin_of(learner, n_classes):
    """Return the twin of a learner that has begun and has learned nothing yet."""
    members = [clone(member).begin(3, range(n_classes)) for member in learner.members_]
    key = key_of(learner.random_state)
    if isinstance(learner, BOLE):
        return BoleTwin(members, n_classes, key, learner.error_bound, learner.weight_shift)
    return OnlineBoostTwin(members, n_classes, key)


@pytest.mark.parametrize("name", CASES)
def test_kernel_is_its_twin(name):
    case = CASES[name]
    X, y, w = rows(case)
    learner = clone(case.learner).begin(3, range(case.n_classes))
    twin = twin_of(learner, case.n_classes)
    votes = {}
    p = learner.test_then_train(X, y, w)
    for i in range(len(X)):
        np.testing.assert_allclose(p[i], twin.predict(X[i]), rtol=0, atol=1e-12, err_msg=f"row {i}")
        if w[i] > 0:
            twin.learn(X[i], y[i], w[i])
            votes[twin.n_rows] = [vote or 0.0 for vote in twin.votes()]
    history = learner.history_
    assert len(history["row"])
    for row, noted in zip(history["row"], history["weight"], strict=True):
        np.testing.assert_allclose(noted, votes[row], rtol=1e-12, atol=1e-12)
    assert case.meets <= {what for what, times in twin.met.items() if times}, twin.met
