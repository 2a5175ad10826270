"""Dynamic weighted majority is its twin, one member where none is added, and never too many."""

import numpy as np
import pytest
from ensemble_rows import bayes, begun, drifting_rows
from twins.learners.ensembles import dynamic_weighted_majority as twin

from thalweg.learners import DynamicWeightedMajority, NaiveBayes


@pytest.mark.parametrize("period", [1, 7, 50])
def test_kernel_is_its_twin(period):
    X, y = drifting_rows(1500)
    y = np.where(np.random.default_rng(3).random(len(y)) < 0.2, 1 - y, y)
    learner = begun(DynamicWeightedMajority(period=period))
    p, weights = twin.run(X, y, bayes, period)
    np.testing.assert_allclose(learner.test_then_train(X, y), p, rtol=0, atol=1e-12)
    np.testing.assert_allclose(learner.weights_, weights, rtol=1e-12)
    assert {"came", "went"} <= set(learner.history_["event"])


def test_one_member_that_never_loses_its_vote_is_the_member():
    X, y = drifting_rows()
    alone = bayes().test_then_train(X, y).argmax(axis=1)
    lone = begun(DynamicWeightedMajority(NaiveBayes(), period=10**9)).test_then_train(X, y)
    np.testing.assert_array_equal(lone.argmax(axis=1), alone)


def test_when_there_is_no_room_the_lightest_member_goes():
    X, y = drifting_rows(600)
    y = np.random.default_rng(3).integers(0, 2, len(y))
    learner = begun(DynamicWeightedMajority(period=1, theta=1e-9, max_members=4))
    learner.test_then_train(X, y)
    assert len(learner.members_) == len(learner.weights_) <= 4
    assert learner.weights_.max() == 1.0


def test_room_for_one_member_is_refused():
    with pytest.raises(ValueError, match="max_members must be a whole number of at least 2"):
        begun(DynamicWeightedMajority(max_members=1))
