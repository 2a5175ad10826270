"""The trivial learners are counting and remembering, whatever the rows."""

import numpy as np
import pytest

from thalweg.learners import MajorityClass, NoChange

Y = np.random.default_rng(1).choice([0, 1, 2], 400, p=[0.2, 0.3, 0.5])
X = np.random.default_rng(2).normal(size=(400, 2))
W = np.random.default_rng(3).choice([0.0, 0.5, 2.0], 400)


def shares_before(y, w):
    """Return the weight of each class before each row."""
    return np.cumsum(np.vstack([np.zeros(3), np.eye(3)[y] * w[:, None]]), axis=0)[:-1]


@pytest.mark.parametrize("size", [1, 7, 400])
def test_the_majority_class_is_the_heaviest_so_far(size):
    learner = MajorityClass().begin(2, np.arange(3))
    parts = [slice(i, i + size) for i in range(0, 400, size)]
    p = np.concatenate([learner.test_then_train(X[part], Y[part], W[part]) for part in parts])
    weights = shares_before(Y, W)
    some = weights.sum(axis=1) > 0
    np.testing.assert_array_equal(p[some].argmax(axis=1), weights[some].argmax(axis=1))


@pytest.mark.parametrize("size", [1, 7, 400])
def test_no_change_repeats_the_last_label(size):
    learner = NoChange().begin(2, np.arange(3))
    parts = [slice(i, i + size) for i in range(0, 400, size)]
    p = np.concatenate([learner.test_then_train(X[part], Y[part]) for part in parts])
    np.testing.assert_array_equal(p[1:].argmax(axis=1), Y[:-1])
