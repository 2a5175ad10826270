"""Rows that are kept until their class comes again: with late labels, saved, wide, and in damaged states."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from thalweg.checks.rows import reloaded, rows
from thalweg.checks.running import assert_same
from thalweg.errors import StateError
from thalweg.learners import AdaptiveStacking, LinearLogistic, NaiveBayes

X, Y = rows(400)


def kept(learner=None):
    """Return a learner that keeps the first row of class 9."""
    learner = (learner or NaiveBayes()).begin(3)
    learner.test_then_train(X[:300], Y[:300])
    learner.learn_one(X[300], 9)
    return learner


def test_a_class_before_row_100_is_learned_at_once():
    learner = NaiveBayes().begin(3)
    learner.test_then_train(X[:99], Y[:99])
    learner.learn_one(X[99], 9)
    learner.learn_one(X[100], 8)  # the 101st
    assert "first_rows" in learner.state() and [each[0] for each in learner.state()["first_rows"]] == [4]


def test_it_is_saved_and_learned_with_its_weight():
    learner = NaiveBayes().begin(3)
    learner.test_then_train(X[:300], Y[:300])
    expected = learner.copy()
    learner.test_then_train(X[300:301], [9], sample_weight=[3.0])
    loaded = reloaded(learner)
    for each in (learner, loaded):
        each.learn_one(X[301], 9)
        assert "first_rows" not in each.state()
    assert_same(loaded.state(), learner.state())
    expected.test_then_train(X[300:302], [9, 9], sample_weight=[3.0, 1.0])
    assert_same(learner.state()["memory"], expected.state()["memory"])


def test_dense_and_sparse_rows_are_kept_alike():
    dense, sparse = (LinearLogistic().begin(3) for _ in range(2))
    for each, given in ((dense, X), (sparse, csr_matrix(X))):
        each.test_then_train(given[:300], Y[:300])
        each.test_then_train(given[300:301], [9])
    assert_same(sparse.state()["first_rows"], dense.state()["first_rows"])
    for each, given in ((dense, X), (sparse, csr_matrix(X))):
        each.test_then_train(given[301:303], [9, 9])
    np.testing.assert_allclose(sparse.predict_proba_block(X), dense.predict_proba_block(X), rtol=1e-9)


def test_a_label_that_was_waited_for_frees_its_row():
    learner = AdaptiveStacking(size="small").begin(3)
    learner.test_then_train(X[:300], Y[:300])
    learner.predict_then_observe(X[300:302], ids=[1, 2])
    learner.test_then_train(X[300:301], [9], ids=[1])
    assert learner.n_waiting_ == 1
    learner.test_then_train(X[301:302], [9], ids=[2])
    assert learner.n_waiting_ == 0 and "first_rows" not in learner.state()


def test_inputs_that_come_later_are_missing_in_it():
    learner = NaiveBayes().begin()
    for x, y in zip(X[:200].tolist(), Y[:200].tolist(), strict=True):
        learner.learn_one({"a": x[0], "b": x[1]}, y)
    learner.learn_one({"a": 1.0, "b": 2.0}, 9)
    learner.learn_one({"a": 1.0, "b": 2.0, "c": 3.0}, 9)
    assert learner.n_features_in_ == 3 and np.isfinite(learner.predict_proba_block(X)).all()


@pytest.mark.parametrize(
    "row",
    [
        [9, 1.0, np.zeros(3)],
        [-1, 1.0, np.zeros(3)],
        [3, np.inf, np.zeros(3)],
        [3, 1.0, np.zeros(4)],
        [3, 1.0, np.array([1.0, -np.inf, 0.0])],
        [3, 1.0, np.zeros((1, 3))],
        [3, 1.0, np.zeros(3, dtype=int)],
        [3, 1.0, "text"],
        [3, 1.0],
        [3, 1.0, np.array([0, 1]), np.zeros(2)],
        3,
    ],
    ids=str,
)
def test_damaged_rows_are_refused(row):
    state = kept().state() | {"first_rows": [row]}
    with pytest.raises(StateError):
        NaiveBayes().restore(state)


@pytest.mark.parametrize("columns", [np.array([2, 0]), np.array([0, 9]), np.array([0.0, 1.0])], ids=str)
def test_damaged_sparse_rows_are_refused(columns):
    state = kept(LinearLogistic()).state() | {"first_rows": [[3, 1.0, columns, np.ones(2)]]}
    with pytest.raises(StateError):
        LinearLogistic().restore(state)
