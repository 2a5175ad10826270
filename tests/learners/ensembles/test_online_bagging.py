"""Online bagging is its twin, and its one member where there is one."""

import numpy as np
import pytest
from support.ensemble_rows import assert_poisson, bayes, begun, drawn_weights, drifting_rows, keys_of
from twins.learners.ensembles.online_bagging import BaggingTwin

from thalweg.learners import MajorityClass, NaiveBayes, OnlineBagging


def test_kernel_is_its_twin():
    X, y = drifting_rows(600)
    w = np.random.default_rng(2).choice([0.5, 1.0, 3.0], len(X))
    learner = begun(OnlineBagging(NaiveBayes(), n_members=3))
    twin = BaggingTwin(bayes, keys_of(learner))
    p = learner.test_then_train(X, y, sample_weight=w)
    np.testing.assert_allclose(p, twin.run(X, y, w), rtol=0, atol=1e-12)


def test_one_member_is_the_member_that_learns_each_row_as_often_as_is_drawn():
    X, y = drifting_rows(1000)
    w = drawn_weights(begun(OnlineBagging(MajorityClass(), 1)), len(X))[:, 0]
    expected = bayes().test_then_train(X, y, sample_weight=w)
    np.testing.assert_array_equal(begun(OnlineBagging(NaiveBayes(), 1)).test_then_train(X, y), expected)


def test_weights_are_poisson_numbers_of_mean_one():
    assert_poisson(drawn_weights(begun(OnlineBagging(MajorityClass(), 3)), 4000), 1.0)


def test_an_ensemble_of_none_is_refused():
    with pytest.raises(ValueError, match="n_members must be a whole number of at least 1, got 0"):
        begun(OnlineBagging(n_members=0))
