"""A chain of labels: its twin, the order, labels that come late, many classes."""

import numpy as np
import pytest
from twins.learners.baselines import label_chain as twin

from thalweg.checks.rows import rows
from thalweg.learners import LabelChain


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_kernel_is_its_twin(order):
    X, y = rows(300)
    p = LabelChain(order, decay=0.9).begin(3, [0, 1, 2]).test_then_train(X, y)
    np.testing.assert_allclose(p, twin.run(y.tolist(), 3, order, 0.9), rtol=1e-12)


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
    np.testing.assert_array_equal(grown.predict_proba_block(X[:1]), lower.predict_proba_block(X[:1]))
