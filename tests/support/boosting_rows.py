"""Rows on which boosting does all it can, and the check that a booster is its twin on them."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from twins._native.rng import key_of

from thalweg.learners import OnlineBoost

WEIGHTS = (0.0, 0.25, 1.0, 4.0, 150.0)


@dataclass
class Case:
    """A learner, its rows, and what they are to meet in the twin."""

    learner: OnlineBoost
    meets: set
    n_rows: int = 800
    n_classes: int = 2
    noise: float = 0.1
    weights: tuple = (1.0,)


def rows(case, seed=1):
    """Return a cloud of points for each class, some labels flipped; the classes change clouds half way."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, case.n_classes, case.n_rows)
    angle = 2 * np.pi * y / case.n_classes
    X = rng.normal(size=(case.n_rows, 3)) + 1.5 * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    y[case.n_rows // 2 :] = (y[case.n_rows // 2 :] + 1) % case.n_classes
    y = np.where(rng.random(case.n_rows) < case.noise, rng.integers(0, case.n_classes, case.n_rows), y)
    return X, y, rng.choice(case.weights, case.n_rows)


def assert_is_its_twin(case, kind, *settings):
    """Assert that the learner of a case is its twin, and that the twin met what the case names."""
    X, y, w = rows(case)
    learner = clone(case.learner).begin(3, range(case.n_classes))
    members = [clone(member).begin(3, range(case.n_classes)) for member in learner.members_]
    twin = kind(members, case.n_classes, key_of(learner.random_state), *settings)
    votes = {}
    p = learner.test_then_train(X, y, sample_weight=w)
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
