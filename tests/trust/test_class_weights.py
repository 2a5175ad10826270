"""Weights of classes: those of the twin, given by label, and what they do for rare classes."""

import numpy as np
import pytest
from twins.trust.class_weights import balanced_weights

import thalweg
from thalweg.errors import ParameterError
from thalweg.evaluation import metrics, prequential
from thalweg.learners import HoeffdingTree, LabelChain, NaiveBayes, NoChange
from thalweg.trust import Calibrated, ClassWeights


def rare(n=4000, share=0.05, seed=1):
    """Return rows of two classes, the second of which is rare."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return rng.normal(size=(n, 2)) + y[:, None], y


@pytest.mark.parametrize("decay", [1.0, 0.99])
def test_balanced_rows_have_the_weights_of_the_twin(decay):
    rng = np.random.default_rng(3)
    y, w = rng.choice(4, 500, p=[0.7, 0.2, 0.08, 0.02]), rng.uniform(0.5, 2, 500)
    X = rng.normal(size=(500, 3)) + y[:, None]
    p = ClassWeights(NaiveBayes(), decay=decay).begin(3, range(4)).test_then_train(X, y, sample_weight=w)
    expected = NaiveBayes().begin(3, range(4)).test_then_train(
        X, y, sample_weight=balanced_weights(y, w, 4, decay)
    )
    np.testing.assert_allclose(p, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("weights", [{1: 20}, [1, 20], np.array([1.0, 20.0])], ids=["dict", "list", "array"])
def test_given_weights_are_those_of_rows(weights):
    X, y = rare(1000)
    p = ClassWeights(HoeffdingTree(), weights=weights).begin(2, [0, 1]).test_then_train(X, y)
    expected = HoeffdingTree().begin(2, [0, 1]).test_then_train(X, y, sample_weight=np.where(y, 20.0, 1.0))
    np.testing.assert_array_equal(p, expected)


def test_a_class_that_comes_later_has_its_weight():
    X, y = rare(600, 0.3)
    labels = np.where(y, "late", "early")
    labels[:50] = "early"
    found = ClassWeights(weights={"late": 7}).begin(2)
    known = ClassWeights(weights={"late": 7}).begin(2, ["early", "late"])
    assert found.test_then_train(X[:50], labels[:50]).shape == (50, 1)
    known.test_then_train(X[:50], labels[:50])
    found.test_then_train(X[50:], labels[50:])
    known.test_then_train(X[50:], labels[50:])
    np.testing.assert_array_equal(found.predict_proba(X), known.predict_proba(X))
    unweighted = NaiveBayes().begin(2, ["early", "late"])
    unweighted.test_then_train(X, labels)
    assert not np.allclose(found.predict_proba(X), unweighted.predict_proba(X))


def test_rare_rows_are_found_and_probabilities_can_be_made_right_again():
    X, y = rare(8000)
    plain, weighed = (prequential((X, y), learner) for learner in (NaiveBayes(), ClassWeights(NaiveBayes())))
    assert metrics.recall(weighed) > metrics.recall(plain) + 0.3
    assert metrics.balanced_accuracy(weighed) > metrics.balanced_accuracy(plain) + 0.1
    calibrated = prequential((X, y), Calibrated(ClassWeights(NaiveBayes()), keep_answers=False))
    assert metrics.log_loss(calibrated) < metrics.log_loss(weighed) - 0.1
    assert metrics.log_loss(calibrated) == pytest.approx(metrics.log_loss(plain), abs=0.02)


def test_it_is_saved_with_its_counts():
    X, y = rare(1000)
    learner = ClassWeights().begin(2, [0, 1])
    learner.test_then_train(X[:500], y[:500])
    again = thalweg.from_bytes(thalweg.to_bytes(learner))
    np.testing.assert_array_equal(
        again.test_then_train(X[500:], y[500:]), learner.test_then_train(X[500:], y[500:])
    )


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"weights": "even"}, "balanced"),
        ({"weights": 3}, "balanced"),
        ({"weights": [1.0]}, "2 weights"),
        ({"weights": {"c": 2.0}}, "weights of"),
        ({"weights": {"a": 0.0}}, "above 0"),
        ({"weights": {"a": np.nan}}, "above 0"),
        ({"weights": {"a": 1e9}}, "at most 1000"),
        ({"decay": 0.0}, "decay"),
        ({"learner": NoChange()}, "makes use of weights"),
        ({"learner": "NaiveBayes"}, "a learner such as"),
    ],
)
def test_senseless_parameters_are_refused(given, problem):
    with pytest.raises(ParameterError, match=problem):
        ClassWeights(**given).begin(2, ["a", "b"])


def test_rows_that_wait_reach_the_learner():
    assert ClassWeights(LabelChain()).observes == LabelChain().observes
