"""Online boosting is its twin in plain Python, whatever its members."""

import numpy as np
import pytest
from support.boosting_rows import WEIGHTS, Case, assert_is_its_twin
from support.ensemble_rows import begun, drifting_rows
from twins.learners.ensembles.online_boost import OnlineBoostTwin

from thalweg.learners import (
    BOLE,
    AdaptiveLogistic,
    DriftReset,
    HoeffdingTree,
    NaiveBayes,
    NearestNeighbours,
    NoChange,
    OnlineBoost,
)

TREE = HoeffdingTree(grace_period=50)
CASES = {
    "trees": Case(OnlineBoost(TREE), {"stopped after a vote"}, 1500),
    "random trees": Case(OnlineBoost(HoeffdingTree(50, max_features=1), 5, random_state=7), set(), 1000),
    "five classes": Case(
        OnlineBoost(NaiveBayes(), random_state=2),
        {"stopped after a vote", "nobody may vote"}, n_classes=5, noise=0.3,
    ),
    "weights": Case(OnlineBoost(AdaptiveLogistic(), 6), {"heavy row"}, n_classes=3, weights=WEIGHTS),
    "one member": Case(OnlineBoost(NearestNeighbours(3, window=50), 1), {"tied classes"}),
    "many members": Case(OnlineBoost(NoChange(), 40), {"nobody may vote"}, 400, n_classes=3),
}


@pytest.mark.parametrize("name", CASES)
def test_kernel_is_its_twin(name):
    assert_is_its_twin(CASES[name], OnlineBoostTwin)


@pytest.mark.parametrize("kind", [OnlineBoost, BOLE])
def test_boosting_keeps_its_books(kind):
    X, y = drifting_rows()
    learner = begun(kind(DriftReset(NaiveBayes()), n_members=4))
    learner.test_then_train(X, y)
    arrays = learner._kernel.arrays
    assert arrays["total"][0] == len(X)
    # Each member's rows weigh about as much as all rows: (1) and (2) keep the halves at N/2 each.
    share = (arrays["right"] + arrays["wrong"]) / len(X)
    assert share[0] == pytest.approx(1.0, abs=0.5) and (share > 0.3).all() and (share < 3).all()
    assert sorted(arrays["order"]) == [0, 1, 2, 3]
    error = arrays["wrong"] / (arrays["right"] + arrays["wrong"])
    expected = np.where(error <= 0.5, np.log((1 - error) / error), 0)
    np.testing.assert_allclose(learner._kernel.numbers(), expected)


def test_a_seed_that_is_none_is_refused():
    with pytest.raises(ValueError, match="random_state must be a whole number"):
        begun(OnlineBoost(random_state="x"))
