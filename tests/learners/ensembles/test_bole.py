"""BOLE is its twin in plain Python, and online boosting where there is one member."""

import numpy as np
import pytest
from support.boosting_rows import WEIGHTS, Case, assert_is_its_twin
from support.ensemble_rows import begun, drifting_rows
from twins.learners.ensembles.bole import BoleTwin

from thalweg.drift import DDM
from thalweg.learners import (
    BOLE,
    AdaptiveLogistic,
    DriftReset,
    HoeffdingTree,
    MajorityClass,
    NaiveBayes,
    OnlineBoost,
)

TREE = HoeffdingTree(grace_period=50)
CASES = {
    "defaults": Case(BOLE(), {"new order", "tied members", "passed over"}, 1500),
    "five classes": Case(
        BOLE(DriftReset(NaiveBayes(), DDM(1.2, 1.95, min_values=7)), 12, random_state=3),
        {"new order", "tied members", "passed over", "nobody may vote"}, n_classes=5, noise=0.3,
    ),
    "votes of the weak": Case(
        BOLE(TREE, error_bound=0.9, weight_shift=0.75),
        {"new order", "vote cut at 0"}, 1000, n_classes=4, noise=0.4,
    ),
    "votes of the strong": Case(
        BOLE(TREE, error_bound=0.3, weight_shift=-0.3),
        {"new order", "passed over", "nobody may vote"}, noise=0.05,
    ),
    "weights": Case(
        BOLE(AdaptiveLogistic(), 6), {"new order", "heavy row"}, n_classes=3, weights=WEIGHTS
    ),
    "many members": Case(
        BOLE(MajorityClass(), 40, error_bound=0.8),
        {"new order", "tied classes", "tied members"}, 400, n_classes=3,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_kernel_is_its_twin(name):
    learner = CASES[name].learner
    assert_is_its_twin(CASES[name], BoleTwin, learner.error_bound, learner.weight_shift)


def test_one_member_is_online_boosting():
    X, y = drifting_rows()
    expected = begun(OnlineBoost(NaiveBayes(), n_members=1)).test_then_train(X, y)
    np.testing.assert_array_equal(begun(BOLE(NaiveBayes(), n_members=1)).test_then_train(X, y), expected)


def test_a_bound_above_one_is_refused():
    with pytest.raises(ValueError, match="error_bound must be a number above 0 and at most 1"):
        begun(BOLE(error_bound=1.5))
