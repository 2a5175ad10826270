"""Learn++.NSE: its twin, its weights by the formulas, a concept that returns."""

import numpy as np
import pytest
from support.ensemble_rows import turning
from twins.learners.chunk_ensembles.learn_pp_nse import LearnPPNSE as Twin

from thalweg.errors import ParameterError
from thalweg.learners import DecisionTree, LearnPPNSE
from thalweg.streams import SEA, Sphere

TREE = DecisionTree(max_leaves=32, window=1)  # what the twin has


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("settings", [{"slope": 1.0, "shift": 2.0}, {"prune": "error"}])
def test_kernel_is_its_twin(settings, n_classes):
    X, y, w = turning(900, n_classes)
    fast = LearnPPNSE(TREE, 4, chunk_size=60, **settings).begin(2, list(range(n_classes)))
    slow = Twin(n_classes, 4, 60, **settings)
    np.testing.assert_allclose(fast.test_then_train(X, y, sample_weight=w), slow.run(X, y, w), atol=1e-12)
    np.testing.assert_allclose(fast.weights_, slow.weights, rtol=1e-10)
    assert fast.n_chunks_ == 15


def test_one_member_is_the_member_of_the_last_chunk():
    X, y = next(Sphere(1200, seed=2).blocks(1200))
    ensemble = LearnPPNSE(TREE, 1, chunk_size=300).fit(X, y, shuffle=False)
    alone = DecisionTree(max_leaves=32, window=300).fit(X[900:], y[900:])
    assert np.array_equal(ensemble.predict(X), alone.predict(X))


def test_weights_are_as_the_formulas_say():
    X, y, w = turning(60, 2)
    learner = LearnPPNSE(TREE, chunk_size=60).begin(2, [0, 1])
    learner.test_then_train(X, y, sample_weight=w)
    wrong = learner.members_[0].predict_proba_block(X).argmax(axis=1) != y
    error = max(w[wrong].sum() / w.sum(), 0.01)
    assert learner.weights_[0] == pytest.approx(np.log((1 - error) / error))


def test_a_concept_that_returns_is_remembered():
    stream = SEA(6000, noise=0, seed=1)
    X, y = next(stream.blocks(6000))
    y[2000:4000] = 1 - y[2000:4000]
    learner = LearnPPNSE(TREE, chunk_size=250).begin(3, [0, 1])
    learner.test_then_train(X[:4000], y[:4000])
    before = learner.weights_[:8].sum() / learner.weights_.sum()
    learner.test_then_train(X[4000:], y[4000:])
    assert learner.weights_[:8].sum() / learner.weights_.sum() > 4 * before


@pytest.mark.parametrize(("settings", "message"), [
    ({"prune": "none"}, "prune must be one of 'age', 'error'"),
    ({"slope": -1}, "slope must be a number at least 0"),
])
def test_wrong_parameters_are_named(settings, message):
    with pytest.raises(ParameterError, match=message):
        LearnPPNSE(**settings).begin(3, [0, 1])
