"""Answers of a frozen stack: for many rows for which no label comes."""

import numpy as np
import pytest

import thalweg
from thalweg.checks.running import assert_same
from thalweg.learners import AdaptiveStacking, HoeffdingTree, LabelChain, LastLabels, NaiveBayes, NoChange
from thalweg.trust import Calibrated

N, LEARNED = 6000, 5000


def cyclic(seed=0):
    """Six classes one after another, which the inputs tell in part: half of the rows."""
    rng = np.random.default_rng(seed)
    y = np.arange(N) % 6
    return 0.8 * rng.normal(size=(6, 4))[y] + rng.normal(size=(N, 4)), y


def taught(learner, X, y):
    learner.begin(4, range(6)).test_then_train(X[:LEARNED], y[:LEARNED])
    return learner


def right(learner, X, y):
    return float((learner.predict(X[LEARNED:]) == y[LEARNED:]).mean())


@pytest.mark.parametrize("size", ["small", "large"])
def test_labels_in_a_cycle_do_not_spoil_the_frozen_answers(size):
    X, y = cyclic()
    learner = taught(AdaptiveStacking(size=size), X, y)
    assert right(learner, X, y) < 0.2  # each row is answered as the next one
    shuffled = right(AdaptiveStacking(size=size).fit(X[:LEARNED], y[:LEARNED]), X, y)
    assert right(learner.copy().freeze(), X, y) > shuffled - 0.03


def test_it_lasts_until_a_row_is_learned():
    X, y = cyclic()
    plain = taught(AdaptiveStacking(size="small"), X, y)
    frozen = plain.copy().freeze()
    again = thalweg.from_bytes(thalweg.to_bytes(frozen))
    p = frozen.predict_proba_block(X[LEARNED:])
    np.testing.assert_array_equal(again.predict_proba_block(X[LEARNED:]), p)
    np.testing.assert_array_equal([frozen.predict_proba_one(x) for x in X[LEARNED : LEARNED + 20]], p[:20])
    block = slice(LEARNED, LEARNED + 2)
    expected = plain.test_then_train(X[block], y[block])
    found = frozen.test_then_train(X[block], y[block])
    np.testing.assert_array_equal(found, [p[0], expected[1]])
    assert_same(frozen.state(), plain.state())


def test_rows_that_are_observed_keep_what_was_said_without_freezing():
    X, y = cyclic()
    plain = taught(AdaptiveStacking(size="small"), X, y)
    frozen = plain.copy().freeze()
    late = X[LEARNED : LEARNED + 9]
    assert not np.array_equal(*(each.predict_then_observe(late, ids=range(9)) for each in (plain, frozen)))
    for each in (plain, frozen):
        each.test_then_train(late, y[LEARNED : LEARNED + 9], ids=range(9))
    assert_same(frozen.state(), plain.state())


def test_a_stack_in_another_learner_is_frozen_too():
    X, y = cyclic()
    learner = taught(Calibrated(AdaptiveStacking(size="small")), X, y)
    assert right(learner.freeze(), X, y) > 0.4


def test_labels_without_a_rule_change_nothing():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(N, 4))
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)
    learner = taught(AdaptiveStacking(size="small"), X, y)
    expected = learner.predict_proba_block(X)
    np.testing.assert_array_equal(learner.freeze().predict_proba_block(X), expected)


@pytest.mark.parametrize("members", [[NaiveBayes(), NoChange()], [LastLabels(HoeffdingTree()), LabelChain()]])
def test_fewer_than_two_members_that_see_no_labels_answer_as_ever(members):
    X, y = cyclic()
    learner = taught(AdaptiveStacking(members), X, y)
    expected = learner.predict_proba_block(X)
    np.testing.assert_array_equal(learner.freeze().predict_proba_block(X), expected)


def test_other_learners_do_not_change():
    X, y = cyclic()
    learner = taught(NaiveBayes(), X, y)
    assert_same(learner.copy().freeze().state(), learner.state())
