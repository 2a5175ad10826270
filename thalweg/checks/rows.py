"""The rows that checks use, learners taught with them, and what a proper answer is."""

import numpy as np
from sklearn.base import clone


def rows(n, with_gaps=False):
    """Return n rows of three clusters in three dimensions; one value in ten missing if asked."""
    rng = np.random.default_rng(7)
    y = rng.integers(0, 3, n)
    X = rng.normal(size=(n, 3)) * 0.5 + np.array([[0.0, 0.0, 2.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]])[y]
    if with_gaps:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def begun(learner):
    """Return a clone that has begun for these rows."""
    return clone(learner).begin(3, [0, 1, 2])


def taught(learner, X, y):
    """Return a clone that has learned these rows."""
    learner = begun(learner)
    learner.test_then_train(X, y)
    return learner


def assert_proper(p):
    """Assert that probabilities are finite, not negative, and sum to 1."""
    assert np.isfinite(p).all(), f"a probability is not finite: {p[~np.isfinite(p).all(axis=1)][:1]}"
    assert (p >= 0).all() and np.allclose(p.sum(axis=1), 1.0), "probabilities do not sum to 1"
