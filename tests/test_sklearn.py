"""scikit-learn's own check suite, on every learner."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from thalweg import learners

ROW_TWICE = "the row's place in the stream matters, and this check shuffles the rows"

EXCUSED = {
    "NoChange": {
        "check_sample_weight_equivalence_on_dense_data": ROW_TWICE,
        "check_sample_weights_shape": None,
    },
}


def excused(learner):
    return {check: why for check, why in EXCUSED.get(type(learner).__name__, {}).items() if why}


@parametrize_with_checks([learners.registry.load(name)() for name in learners.registry], expected_failed_checks=excused)
def test_scikit_learn_check(estimator, check):
    check(estimator)
