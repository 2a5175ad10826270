"""The accuracy-weighted ensemble: its twin, and weights that the paper tells."""

import numpy as np
import pytest
from support.ensemble_rows import turning
from twins.learners.chunk_ensembles.accuracy_weighted_ensemble import AccuracyWeightedEnsemble as Twin

from thalweg.errors import ParameterError
from thalweg.learners import AccuracyWeightedEnsemble, DecisionTree
from thalweg.streams import SEA

TREE = DecisionTree(max_leaves=32, window=1)  # what the twin has


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("settings", [{"folds": 4}, {"replacement": "oldest"}, {"holdout": 0.4}])
def test_kernel_is_its_twin(settings, n_classes):
    X, y, w = turning(900, n_classes)
    settings = {"folds": 10} | settings
    fast = AccuracyWeightedEnsemble(TREE, 4, chunk_size=60, **settings).begin(2, list(range(n_classes)))
    if "holdout" in settings:
        settings = {"n_held_out": 24}
    slow = Twin(n_classes, 4, 60, **settings)
    np.testing.assert_allclose(fast.test_then_train(X, y, sample_weight=w), slow.run(X, y, w), atol=1e-12)
    np.testing.assert_allclose(fast.weights_, slow.weights, rtol=1e-10)
    assert fast.n_chunks_ == 15


def test_members_of_another_concept_have_no_weight_until_it_returns():
    X, y = next(SEA(4000, noise=0, seed=1).blocks(4000))
    y[1000:2000] = 1 - y[1000:2000]
    learner = AccuracyWeightedEnsemble(TREE, 10, chunk_size=500, folds=10).begin(3, [0, 1])
    learner.test_then_train(X[:2000], y[:2000])
    assert (learner.weights_[:2] == 0).all() and (learner.weights_[2:] > 0.1).all()
    learner.test_then_train(X[2000:2500], y[2000:2500])
    assert (learner.weights_[:2] > 0.1).all() and (learner.weights_[2:4] == 0).all()


def test_a_perfect_member_weighs_as_much_as_chance_errs():
    X = np.linspace(0, 1, 400)[:, None]
    y = (X[:, 0] > 0.5).astype(int)
    member = DecisionTree(max_leaves=2, laplace=0.0, window=1)
    learner = AccuracyWeightedEnsemble(member, chunk_size=400, holdout=0.25).begin(1, [0, 1])
    learner.test_then_train(np.random.default_rng(1).permutation(X), np.zeros(400, dtype=int))
    assert learner.weights_.tolist() == [1.0]  # one class: chance is never wrong, and all speak equally
    order = np.random.default_rng(2).permutation(400)
    learner.test_then_train(X[order], y[order])
    assert learner.weights_[1] == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize(("settings", "message"), [
    ({"n_members": 0}, "n_members must be a whole number of at least 1"),
    ({"folds": 1}, "folds must be a whole number of at least 2"),
    ({"holdout": 1.0}, "holdout must be a number above 0 and below 1"),
])
def test_wrong_parameters_are_named(settings, message):
    with pytest.raises(ParameterError, match=message):
        AccuracyWeightedEnsemble(**settings).begin(3, [0, 1])
