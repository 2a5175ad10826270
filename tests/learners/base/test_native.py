"""Rows learned as one batch, rows held back, and rows without labels, through the handle."""

from functools import partial

import numpy as np
import pytest
from support import every_learner

from thalweg import learners
from thalweg.checks.faults import SECONDS, Interrupt, can_interrupt, interrupted
from thalweg.checks.rows import rows
from thalweg.learners.base.stream_classifier import StreamClassifier

GROWN_ONCE = {"DecisionTree", "DecisionStump"}  # as one tree on all rows, not as the rows came


def weighted_rows(n=250):
    X, y = rows(n)
    w = np.random.default_rng(1).choice([0.0, 0.5, 1.0, 2.0], n)
    return X, y, w


@pytest.mark.parametrize("name", sorted(set(every_learner.registry) - GROWN_ONCE))
def test_a_batch_is_its_rows_one_by_one_and_a_flush(name):
    X, y, w = weighted_rows()
    make = every_learner.registry.load(name)
    one, other = make().begin(3, [0, 1, 2]), make().begin(3, [0, 1, 2])
    one._fit_block(X, y, w)
    other.test_then_train(X, y, sample_weight=w)
    other.flush()
    np.testing.assert_array_equal(one.predict_proba_block(X), other.predict_proba_block(X))


def test_a_batch_for_a_boundary_given_as_a_function():
    X, y, w = weighted_rows()
    one, other = (learners.ParticleFilter(boundary=lambda X: X**2).begin(3, [0, 1, 2]) for _ in range(2))
    one._fit_block(X, y, w)
    other.test_then_train(X, y, sample_weight=w)
    other.flush()
    np.testing.assert_array_equal(one.predict_proba_block(X), other.predict_proba_block(X))


@pytest.mark.parametrize("make", [learners.DecisionTree, learners.DecisionStump])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_a_tree_is_grown_on_all_rows_of_a_batch(make, criterion):
    X, y, w = weighted_rows()
    small = make(criterion, window=100) if make is learners.DecisionStump else make(20, criterion, window=100)
    large = make(**small.get_params() | {"window": 250}).fit(X, y, w)
    small.begin(3, [0, 1, 2])._fit_block(X, y, w)
    for name, array in large.nodes_.items():
        np.testing.assert_array_equal(small.nodes_[name], array, err_msg=name)


def test_a_tree_learns_on_after_a_batch_as_after_the_same_rows():
    X, y, w = weighted_rows(600)
    one, other = (learners.DecisionTree(window=100).begin(3, [0, 1, 2]) for _ in range(2))
    one._fit_block(X[:300], y[:300], w[:300])
    other.test_then_train(X[:300], y[:300], sample_weight=w[:300])
    for learner in (one, other):
        learner.test_then_train(X[300:], y[300:], sample_weight=w[300:])
    np.testing.assert_array_equal(one.predict_proba_block(X), other.predict_proba_block(X))


def test_flush_twice_is_flush_once_and_a_fresh_learner_has_nothing_to_flush():
    X, y, _ = weighted_rows()
    for name in every_learner.registry:
        learner = every_learner.registry.load(name)().begin(3, [0, 1, 2])
        learner.flush()
        learner.test_then_train(X, y)
        learner.flush()
        p = learner.predict_proba_block(X)
        learner.flush()
        np.testing.assert_array_equal(learner.predict_proba_block(X), p, err_msg=name)


def test_flush_learns_what_waits():
    X, y, _ = weighted_rows()
    for learner in (learners.DecisionTree(period=1000), learners.ParticleFilter(batch_size=1000)):
        learner.begin(3, [0, 1, 2]).test_then_train(X, y)
        before = learner.predict_proba_block(X)
        learner.flush()
        assert not np.array_equal(learner.predict_proba_block(X), before)


class Recorder(StreamClassifier):
    """Writes down what it is asked to do."""

    def _begin(self, n_features, n_classes):
        self.calls = []

    def _learn(self, X, y, w, p):
        self.calls.append(("learn", len(X)))
        self._predict(X, p)

    def _predict(self, X, p):
        p[:] = 1.0 / p.shape[1]

    def _fit_block(self, X, y, w):
        self.calls.append(("fit_block", X.tolist(), y.tolist(), w.tolist()))

    def _flush(self):
        self.calls.append(("flush",))

    def _observe(self, X):
        self.calls.append(("observe", X.tolist()))


def test_a_python_learner_is_given_the_batch_at_once():
    recorder = Recorder().begin(2, [0, 1])
    X = np.array([[1.0, 2.0], [3.0, 4.0]])
    recorder._handle().fit_block(X, np.array([0, 1]), np.array([1.0, 0.5]))
    assert recorder.calls == [("fit_block", X.tolist(), [0, 1], [1.0, 0.5])]


def test_rows_without_labels_and_flushes_reach_a_member():
    learner = learners.DriftReset(Recorder()).begin(2, [0, 1])
    learner.observe([[1.0, 2.0]])
    learner.flush()
    assert learner._kernel.members[0].calls == [("observe", [[1.0, 2.0]]), ("flush",)]


def test_ctrl_c_ends_a_large_batch():
    if not can_interrupt():
        pytest.skip("needs signals in the main thread")
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200_000, 20)), rng.integers(0, 2, 200_000)
    tree = learners.DecisionTree().begin(20, [0, 1])
    error, delay = interrupted(partial(tree._fit_block, X, y, np.ones(len(y))), 0.1)
    assert isinstance(error, Interrupt) and delay < SECONDS
