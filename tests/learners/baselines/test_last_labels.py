"""Any learner that sees the latest known labels is that learner on rows widened by them."""

import numpy as np
import pytest
from twins.learners.baselines.last_labels import widened

from thalweg.checks.rows import rows
from thalweg.learners import LastLabels, NaiveBayes, NoChange


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
    np.testing.assert_allclose(learner.predict_proba_block(X).sum(axis=1), 1)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_it_is_its_member_on_rows_widened_by_the_labels(n):
    X, y = rows(200)
    member = NaiveBayes().begin(3 + 3 * n, [0, 1, 2])
    expected = member.test_then_train(widened(X, y, n, 3), y)
    p = LastLabels(NaiveBayes(), n=n).begin(3, [0, 1, 2]).test_then_train(X, y)
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
    np.testing.assert_array_equal(new.predict_proba_block(X), old.predict_proba_block(X))
    assert new._kernel.arrays["label_place"].tolist() == [[3, 4, 7], [5, 6, 8]]


def test_a_label_that_repeats_is_found():
    y = np.repeat([0, 1] * 20, 10)
    X = np.random.default_rng(0).normal(size=(400, 2))
    right = LastLabels().begin(2, [0, 1]).test_then_train(X, y).argmax(axis=1) == y
    again = NoChange().begin(2, [0, 1]).test_then_train(X, y).argmax(axis=1) == y
    assert right[200:].mean() >= again[200:].mean() - 0.02
