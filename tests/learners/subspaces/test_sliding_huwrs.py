"""HUWRS row by row: its twin, what its members know, its memory."""

import numpy as np
import pytest
from support.subspace_rows import rows
from twins.learners.subspaces.sliding_huwrs import SlidingHUWRS as Twin

from thalweg.checks.learner import memory_is_bounded
from thalweg.errors import ParameterError
from thalweg.learners import NaiveBayes, SlidingHUWRS


def test_kernel_is_its_twin():
    X, y = rows(300, 5, 3, seed=15)
    X[150:, 1] += 3.0
    fast = SlidingHUWRS(NaiveBayes(), n_members=7, window=60, period=20, n_bins=10).begin(5, [0, 1, 2])

    def make_member(columns):
        alone = NaiveBayes().begin(len(columns), [0, 1, 2])
        return alone.learn_one, alone.predict_proba_one

    slow = Twin(
        3, fast.subspaces_, make_member, 60, "auto", window=30, period=20, n_bins=10,
        n_categories=np.zeros(5, dtype=int), corrected=True,
    )
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        if i % 4 == 0:
            fast.observe(x[None])
            slow.observe(x)
        p = fast.test_then_train(x[None], [label])[0]
        np.testing.assert_allclose(p, slow.learn(x, label), rtol=0, atol=1e-12)
    assert fast.n_retrained_ > 0


def test_members_know_all_rows_since_they_began():
    X, y = rows(1000, 5, seed=16)
    learner = SlidingHUWRS(NaiveBayes(), n_members=4, window=100).begin(5, [0, 1])
    learner.test_then_train(X, y)
    assert learner.n_retrained_ == 0
    for columns, member in zip(learner.subspaces_, learner.members_, strict=True):
        alone = NaiveBayes().begin(len(columns), [0, 1])
        alone.test_then_train(X[:, columns], y)
        assert np.array_equal(
            alone.predict_proba_block(X[:9, columns]), member.predict_proba_block(X[:9, columns])
        )


def test_it_needs_no_more_memory_than_its_members():
    memory_is_bounded(SlidingHUWRS(NaiveBayes(), n_members=10, window=200))


@pytest.mark.parametrize("wrong", [{"window": 1}, {"period": 0}, {"threshold": -0.1}])
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        SlidingHUWRS(**wrong).begin(3, [0, 1])
