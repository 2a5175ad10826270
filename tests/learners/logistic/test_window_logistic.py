"""Logistic regression on a window, against scikit-learn's."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from thalweg.learners import WindowLogistic


def rows(n, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)) * [1, 10, 0.1, 1] + [0, 5, 0, -3]
    z = X @ rng.normal(size=(4, n_classes)) + rng.gumbel(size=(n, n_classes))
    return X, np.unique(z.argmax(axis=1), return_inverse=True)[1]


def test_the_fit_is_scikit_learns():
    X, y = rows(600, 3)
    w = np.random.default_rng(1).uniform(0.5, 2, len(y))
    learner = WindowLogistic(window=200, period=100).begin(4, [0, 1, 2])
    learner.test_then_train(X, y, sample_weight=w)
    scaler = StandardScaler().fit(X[400:])
    peer = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000)
    peer.fit(scaler.transform(X[400:]), y[400:], w[400:])
    expected = peer.predict_proba(scaler.transform(X))
    np.testing.assert_allclose(learner.predict_block(X), expected, atol=2e-3)


def test_the_window_forgets():
    X, y = rows(2000, 2)
    y[1000:] = 1 - y[1000:]
    p = WindowLogistic(window=200, period=50).begin(4, [0, 1]).test_then_train(X, y)
    right = p.argmax(axis=1) == y
    assert right[200:1000].mean() > 0.8 and right[1200:].mean() > 0.8 and right[1000:1050].mean() < 0.2


@pytest.mark.parametrize("name", ["window", "period", "prior"])
def test_bad_settings_are_named(name):
    with pytest.raises(ValueError, match=f"{name} must be"):
        WindowLogistic(**{name: 0}).begin(4, [0, 1])
