"""Checks of the weights of rows."""

from collections.abc import Callable
from typing import Any

import numpy as np

from thalweg.checks.rows import begun, rows, taught
from thalweg.checks.running import assert_refused
from thalweg.learners.base.stream_classifier import StreamClassifier


def weight_two_is_the_row_twice(learner: StreamClassifier) -> None:
    """A row of weight 2 has the effect of learning the row twice."""
    X, y = rows(100)
    weighted, repeated = begun(learner), begun(learner)
    weighted.test_then_train(X, y, sample_weight=np.full(len(X), 2.0))
    repeated.test_then_train(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    np.testing.assert_allclose(
        weighted.predict_proba_block(X), repeated.predict_proba_block(X), rtol=1e-6, atol=1e-9
    )


def weight_zero_is_no_row(learner: StreamClassifier) -> None:
    """A row of weight 0 is predicted but not learned; a negative weight is rejected."""
    X, y = rows(100, with_gaps=True)
    w = np.ones(len(X))
    w[::3] = 0.0
    weighted = begun(learner)
    weighted.test_then_train(X, y, sample_weight=w)
    without = taught(learner, X[w > 0], y[w > 0])
    assert np.array_equal(weighted.predict_proba_block(X), without.predict_proba_block(X))
    assert_refused(
        weighted, lambda: weighted.test_then_train(X[:1], y[:1], sample_weight=[-1.0]), "a negative weight"
    )


def weights_count_as_said(learner: StreamClassifier) -> None:
    """Whether weights above 0 make a difference is what `uses_weights` says."""
    X, y = rows(200)
    y = np.random.default_rng(3).integers(0, 3, len(X))
    is_weighed = (y == 0) | (np.arange(len(X)) % 3 == 0)
    answers = []
    for weight in (4.0, 0.25):
        other = begun(learner)
        other.test_then_train(X, y, sample_weight=np.where(is_weighed, weight, 1.0))
        other.flush()
        answers.append(other.predict_proba_block(X))
    differ = not np.array_equal(answers[0], answers[1])
    assert differ == learner.uses_weights, f"uses_weights is {learner.uses_weights}; it should be {differ}"


WEIGHT_CHECKS: list[Callable[[Any], object]] = [
    weight_two_is_the_row_twice,
    weight_zero_is_no_row,
    weights_count_as_said,
]
