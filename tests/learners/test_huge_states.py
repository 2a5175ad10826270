"""States with huge or negative numbers instead of integers, and headers that are arrays, are refused."""

import numpy as np
import pytest
from golden_models import small

from thalweg.checks.mutate import with_huge_integers
from thalweg.checks.rows import rows, taught
from thalweg.checks.safety import try_damaged_state
from thalweg.errors import StateError
from thalweg.learners import AdaptiveRandomForest, DecisionTree, LastLabels, NaiveBayes, NearestNeighbours

X, Y = rows(100, with_gaps=True)


@pytest.mark.parametrize(
    "name", ["AdaBoostWindow", "HoeffdingTree", "LastLabels", "RobustEnsemble", "Pipeline"]
)
def test_a_huge_number_in_any_place_is_refused_or_harmless(name):
    learner = taught(small(name), X, Y)
    cases = list(with_huge_integers(learner.state()))
    assert len(cases) > 40
    for what, damaged in cases:
        try_damaged_state(learner, what, damaged, X[:10], Y[:10])


@pytest.mark.parametrize("learner", [DecisionTree(window=20), NearestNeighbours(window=20)])
def test_a_window_longer_than_the_states_is_refused_before_it_is_made(learner):
    state = taught(learner, X, Y).state()
    state["parameters"]["window"] = 10**9
    with pytest.raises(StateError, match=r"the state has 20 rows, the parameters say window=1000000000"):
        type(learner)().restore(state)


def test_a_member_larger_than_the_states_is_refused_before_it_is_made():
    state = taught(LastLabels(AdaptiveRandomForest(n_members=2)), X, Y).state()
    state["parameters"]["member"]["parameters"]["n_members"] = 10**9
    with pytest.raises(StateError, match="the state has room for 4 members, the parameters for 2000000000"):
        LastLabels().restore(state)


@pytest.mark.parametrize("name", ["format", "learner"])
def test_an_array_in_the_header_is_refused(name):
    state = NaiveBayes().begin(3, [0, 1]).state()
    state[name] = np.full(3, 10**9)
    with pytest.raises(StateError, match="the state is damaged"):
        NaiveBayes().restore(state)
