"""Filters side by side: any number of them learn what each would alone, however rows are cut or saved."""

import numpy as np
import pytest
from support.logistic_rows import noisy_rows
from twins.learners.logistic.adaptive_logistic import Logistic

from thalweg.learners import AdaptiveLogistic, LogisticMixture

N_LANES = [2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 18, 19, 20, 21, 33, 64]


def wide_rows(n, n_features, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features))
    z = X @ rng.normal(size=(n_features, n_classes)) + rng.gumbel(size=(n, n_classes))
    return X, z.argmax(axis=1)


@pytest.mark.parametrize("n_features", [1, 2, 7])
@pytest.mark.parametrize("n_lanes", N_LANES)
def test_each_lane_is_the_filter_alone(n_lanes, n_features):
    X, y = wide_rows(120, n_features, 2)
    X[::7, 0] = np.nan
    w = np.random.default_rng(1).uniform(0.3, 2.0, len(y))
    decays = np.linspace(0.85, 1.0, n_lanes)
    together = LogisticMixture(decays).begin(n_features, [0, 1])
    together.test_then_train(X, y, sample_weight=w)
    for m, decay in enumerate(decays):
        alone = AdaptiveLogistic("fixed", decay).begin(n_features, [0, 1])
        alone.test_then_train(X, y, sample_weight=w)
        for name in ("beta", "R"):
            mine, other = (learner._kernel.arrays[name] for learner in (together, alone))
            np.testing.assert_allclose(mine[:, m], other[:, 0], rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("n_classes", [3, 5, 7])
def test_many_lanes_are_their_twins(n_classes):
    X, y = wide_rows(80, 6, n_classes)
    learner = LogisticMixture().begin(6, range(n_classes))
    settings = {"forgetting": "fixed", "converged": True, "guard": 100.0, "prior": 1.0}
    twin = Logistic(6, n_classes, learner.decays, **settings)
    np.testing.assert_allclose(learner.test_then_train(X, y), twin.test_then_train(X, y), atol=1e-11)


@pytest.mark.parametrize("forgetting", ["tuned", "adaptive", "rprop"])
def test_tuned_and_adaptive_lanes_are_their_twins(forgetting):
    X, y = wide_rows(80, 6, 7)
    learner = AdaptiveLogistic(forgetting, 0.9).begin(6, range(7))
    settings = {"forgetting": forgetting, "bandwidth": 10.0, "converged": True, "guard": 100.0, "prior": 1.0}
    twin = Logistic(6, 7, [0.9], **settings)
    np.testing.assert_allclose(learner.test_then_train(X, y), twin.test_then_train(X, y), atol=1e-11)


@pytest.mark.parametrize("make", [LogisticMixture, AdaptiveLogistic])
def test_cuts_and_saving_change_nothing(make):
    X, y = wide_rows(300, 20, 5)
    whole = make().begin(20, range(5)).test_then_train(X, y)
    cut, parts = make().begin(20, range(5)), []
    for first, last in ((0, 1), (1, 64), (64, 65), (65, 300)):
        parts.append(cut.test_then_train(X[first:last], y[first:last]))
        restored = make()
        restored.restore(cut.state())
        cut = restored
    np.testing.assert_array_equal(np.concatenate(parts), whole)


@pytest.mark.parametrize("make", [LogisticMixture, AdaptiveLogistic])
def test_huge_values_and_weights_leave_finite_probabilities(make):
    X, y = wide_rows(300, 5, 6)
    rng = np.random.default_rng(2)
    X[rng.random(X.shape) < 0.05] = 1e300
    X[rng.random(X.shape) < 0.05] = np.nan
    w = 10.0 ** rng.uniform(-9, 9, len(y))
    p = make().begin(5, range(6)).test_then_train(X, y, sample_weight=w)
    assert np.isfinite(p).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)


def test_a_filter_that_restarts_leaves_its_neighbours_alone():
    X, y = noisy_rows(400)
    decays = (0.9995, 0.995, 0.97, 0.88)
    damaged, sound = (LogisticMixture(decays).begin(3, [0, 1]) for _ in range(2))
    for learner in (damaged, sound):
        learner.test_then_train(X[:200], y[:200])
    damaged._kernel.arrays["R"][:, 2] = np.inf
    for learner in (damaged, sound):
        learner.test_then_train(X[200:], y[200:])
    assert damaged.n_restarts_ == 1 and sound.n_restarts_ == 0
    kept = [0, 1, 3]
    for name in ("beta", "R"):
        one, two = (learner._kernel.arrays[name] for learner in (damaged, sound))
        np.testing.assert_array_equal(one[:, kept], two[:, kept])
