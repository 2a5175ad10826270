"""SEA: its twin, who votes, who is replaced."""

import numpy as np
import pytest
from support.ensemble_rows import turning
from twins.learners.chunk_ensembles.sea_ensemble import SEAEnsemble as Twin

from thalweg.errors import ParameterError
from thalweg.learners import DecisionTree, SEAEnsemble
from thalweg.streams import SEA, Sphere

TREE = DecisionTree(max_leaves=32, window=1)  # what the twin has


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("settings", [{}, {"replacement": "oldest"}])
def test_kernel_is_its_twin(settings, n_classes):
    X, y, w = turning(900, n_classes)
    fast = SEAEnsemble(TREE, 4, chunk_size=60, **settings).begin(2, list(range(n_classes)))
    slow = Twin(n_classes, 4, 60, **settings)
    np.testing.assert_allclose(fast.test_then_train(X, y, sample_weight=w), slow.run(X, y, w), atol=1e-12)
    np.testing.assert_allclose(fast.weights_, slow.weights, rtol=1e-10)
    assert fast.n_chunks_ == 15


def test_one_member_is_the_member_of_the_last_chunk():
    X, y = next(Sphere(1200, seed=2).blocks(1200))
    ensemble = SEAEnsemble(TREE, 1, chunk_size=300, replacement="oldest").fit(X, y, shuffle=False)
    alone = DecisionTree(max_leaves=32, window=300).fit(X[900:], y[900:])
    assert np.array_equal(ensemble.predict(X), alone.predict(X))


def test_a_member_votes_only_after_the_chunk_that_follows_its_own():
    X, y = next(SEA(2000, seed=1).blocks(2000))
    learner = SEAEnsemble(chunk_size=200).begin(3, [0, 1])
    counts = []
    for start in range(0, 2000, 200):
        learner.test_then_train(X[start : start + 200], y[start : start + 200])
        counts.append(len(learner.members_))
    assert counts == [1, 1, 2, 3, 4, 5, 6, 7, 8, 9]


def test_members_that_do_harm_are_replaced():
    X, y = next(SEA(6000, noise=0, seed=1).blocks(6000))
    y[1000:2000] = 1 - y[1000:2000]
    learner = SEAEnsemble(TREE, 5, chunk_size=200).begin(3, [0, 1])
    learner.test_then_train(X[:2000], y[:2000])
    late = learner.test_then_train(X[2000:], y[2000:])[2000:]
    assert (late.argmax(axis=1) == y[4000:]).mean() > 0.95
    assert learner.n_replaced_ > 3


@pytest.mark.parametrize(("settings", "message"), [
    ({"replacement": "newest"}, "replacement must be one of 'quality', 'oldest'"),
    ({"chunk_size": 1}, "chunk_size must be a whole number of at least 2"),
])
def test_wrong_parameters_are_named(settings, message):
    with pytest.raises(ParameterError, match=message):
        SEAEnsemble(**settings).begin(3, [0, 1])
