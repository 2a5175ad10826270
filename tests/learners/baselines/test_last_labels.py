"""Learners that look at the latest known labels: a chain of them, and any learner that sees them."""

from collections import deque

import numpy as np
import pytest

from thalweg.checks.rows import rows
from thalweg.learners import LabelChain, LastLabels, NaiveBayes, NoChange


def chain_twin(y, n_classes, order, decay):
    """Return the probabilities before each label."""
    counts, last, found = {}, deque(maxlen=order), []
    for label in y:
        contexts = [tuple(last)[:o] for o in range(len(last) + 1)]
        p = np.full(n_classes, 1 / n_classes)
        for context in contexts:
            n = counts.get(context, np.zeros(n_classes))
            p = (n + p) / (n.sum() + 1)
        found.append(p)
        for context in contexts:
            n = counts.setdefault(context, np.zeros(n_classes))
            n *= decay
            n[label] += 1
        last.appendleft(label)
    return np.array(found)


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_a_chain_is_as_its_twin(order):
    X, y = rows(300)
    p = LabelChain(order, decay=0.9).begin(3, [0, 1, 2]).test_then_train(X, y)
    np.testing.assert_allclose(p, chain_twin(y.tolist(), 3, order, 0.9), rtol=1e-12)


def test_a_chain_learns_a_rule_of_the_labels():
    y = np.tile([0, 1, 2, 2], 50)
    X = np.zeros((200, 1))
    begun = [LabelChain(order).begin(1, [0, 1, 2]) for order in (1, 2)]
    right = [learner.test_then_train(X, y).argmax(axis=1) == y for learner in begun]
    assert 0.6 < right[0][40:].mean() < 0.8
    assert right[1][40:].all()


@pytest.mark.parametrize("order", [1, 2])
def test_a_late_label_is_learned_in_the_context_in_which_its_row_was_observed(order):
    X = np.arange(400.0)[:, None]
    y = np.arange(400) % 4
    learner, right = LabelChain(order).begin(1, [0, 1, 2, 3]), []
    for i in range(400):
        right.append(learner.predict_one(X[i]) == y[i])
        learner.observe(X[i : i + 1])
        if i >= 2:
            learner.learn_one(X[i - 2], y[i - 2])
    assert all(right[50:])


def test_labels_may_come_out_of_order_or_never():
    X = np.arange(300.0)[:, None]
    y = np.arange(300) % 3
    rng = np.random.default_rng(1)
    order = np.argsort(np.arange(300) + rng.uniform(0, 6, 300))
    learner = LastLabels(NaiveBayes(), max_waiting=20).begin(1, [0, 1, 2])
    for i in range(300):
        learner.observe(X[i : i + 1])
        if i % 7:
            learner.learn_one(X[order[i]], y[order[i]])
    assert learner._kernel.bytes < 20_000
    np.testing.assert_allclose(learner.predict_block(X).sum(axis=1), 1)


def test_equal_rows_wait_in_the_order_in_which_they_were_observed():
    learner = LabelChain().begin(1, ["a", "b"])
    learner.learn_one([0.0], "a")
    learner.observe([[5.0]])
    learner.learn_one([1.0], "b")
    learner.observe([[5.0]])
    learner.learn_one([5.0], "a")  # after a
    learner.learn_one([5.0], "b")  # after b
    counts = learner._kernel.arrays["counts"][1:]
    np.testing.assert_allclose(counts, [[1, 0.999], [0, 1]], atol=2e-3)


def test_a_member_sees_the_labels_as_inputs():
    X, y = rows(200)
    member = NaiveBayes().begin(9, [0, 1, 2])
    wide = np.zeros((200, 9))
    wide[:, :3] = X
    for i in range(1, 200):
        wide[i, 3 + y[i - 1]] = 1
        if i > 1:
            wide[i, 6 + y[i - 2]] = 1
    expected = member.test_then_train(wide, y)
    p = LastLabels(NaiveBayes(), n=2).begin(3, [0, 1, 2]).test_then_train(X, y)
    np.testing.assert_array_equal(p, expected)


def test_two_classes_are_one_input():
    learner = LastLabels(NaiveBayes(), n=3).begin(2, ["no", "yes"])
    assert learner.member_.n_features_in_ == 2 + 3


def test_a_third_class_leaves_the_input_of_the_second_where_it_is():
    learner = LastLabels(NaiveBayes(), n=2).begin(1, ["a", "b"], more_classes=True)
    for label in "abba":
        learner.learn_one([0.0], label)
    assert learner.member_.n_features_in_ == 1 + 2
    learner.learn_one([0.0], "c")
    assert learner.member_.n_features_in_ == 1 + 2 * 3
    assert learner._kernel.arrays["label_place"].tolist() == [[3, 1, 4], [5, 2, 6]]


def test_a_state_with_two_inputs_for_two_classes_is_restored():
    # As earlier releases wrote it where a third class could follow.
    X, y = rows(300)
    old = LastLabels(NaiveBayes(), n=2).begin(3, [0, 1], more_classes=True)
    old._n_values_of_two = 2
    old._begin_again()
    old.test_then_train(X[:100], y[:100] % 2)
    new = LastLabels().restore(old.state())
    assert new.member_.n_features_in_ == 3 + 4
    for learner in (old, new):
        learner.test_then_train(X[100:], y[100:])
    new = new.copy()
    np.testing.assert_array_equal(new.predict_block(X), old.predict_block(X))
    assert new._kernel.arrays["label_place"].tolist() == [[3, 4, 7], [5, 6, 8]]


def test_a_label_that_repeats_is_found():
    y = np.repeat([0, 1] * 20, 10)
    X = np.random.default_rng(0).normal(size=(400, 2))
    right = LastLabels().begin(2, [0, 1]).test_then_train(X, y).argmax(axis=1) == y
    again = NoChange().begin(2, [0, 1]).test_then_train(X, y).argmax(axis=1) == y
    assert right[200:].mean() >= again[200:].mean() - 0.02


@pytest.mark.parametrize("order", [-1, 9, 1.5, "a", None])
def test_a_wrong_order_is_an_error(order):
    with pytest.raises(ValueError, match="order must be"):
        LabelChain(order).begin(1, [0, 1])


def test_with_many_classes_a_chain_looks_at_fewer_labels():
    y = np.tile([0, 1, 2, 2], 50)
    X = np.zeros((200, 1))
    few, many = (LabelChain(3).begin(1, range(n)) for n in (20, 200))
    assert (few.test_then_train(X, y).argmax(axis=1) == y)[40:].all()
    assert 0.6 < (many.test_then_train(X, y).argmax(axis=1) == y)[40:].mean() < 0.8
    assert many._kernel.bytes < 8_100_000


def test_a_chain_whose_classes_become_many_goes_on_with_a_lower_order():
    y, X = [0, 1, 2, 2] * 50 + list(range(3, 43)), np.zeros((240, 1))
    grown, lower = (LabelChain(order).begin(1) for order in (3, 2))
    for learner in (grown, lower):
        for label in y:
            learner.learn_one(X[0], label)
    np.testing.assert_array_equal(grown.predict_block(X[:1]), lower.predict_block(X[:1]))
