"""Default members see the effects of inputs with many categories, and those inputs alone."""

import numpy as np
import pytest

from thalweg.errors import StateError
from thalweg.learners import AdaptiveStacking, CategoryEffects, LinearLogistic, NaiveBayes, NeighbourMixture
from thalweg.learners.stacking.default_members import MANY, chosen_width, with_effects

MANY_VALUES = [0, 200, 3]


def rows(n=150, seed=1):
    rng = np.random.default_rng(seed)
    effect = rng.normal(size=200)
    X = np.c_[rng.normal(size=n), rng.integers(200, size=n), rng.integers(3, size=n)]
    return X, (effect[X[:, 1].astype(int)] + X[:, 0] > 0).astype(int)


def begun(n_categories=MANY_VALUES):
    return AdaptiveStacking().begin(3, [0, 1], n_categories=n_categories)


def effects_of(stack):
    return [member for member in stack.members_ if isinstance(member, CategoryEffects)]


def test_trees_and_logistic_members_see_effects():
    stack = begun()
    inside = {type(member.member_).__name__ for member in effects_of(stack)}
    assert {"StreamingRandomPatches", "LinearLogistic", "LogisticMixture"} < inside
    assert all(member.encoded_.tolist() == [1] for member in effects_of(stack))
    assert all(member.member_.n_features_in_ == 3 for member in effects_of(stack))
    assert not any("CategoryEffects" in name for name in stack.member_names_)


@pytest.mark.parametrize("n_categories", [None, [0, MANY - 1, 2]])
def test_without_many_categories_no_member_is_wrapped(n_categories):
    assert not effects_of(begun(n_categories))


def test_naive_bayes_and_neighbours_see_the_categories():
    members = [NaiveBayes(), NeighbourMixture(), LinearLogistic()]
    assert [type(each) for each in with_effects(members, is_sparse=False)] == [
        NaiveBayes,
        NeighbourMixture,
        CategoryEffects,
    ]
    assert with_effects(members, is_sparse=True) == members


def test_the_width_counts_the_effects():
    assert chosen_width(np.array([0, 300, 300, 4, 2]), 2) == (1 + 2 + 5 + 1, 2)
    assert chosen_width(np.array([0, 300, 300, 4, 2]), 4) == (1 + 6 + 5 + 1, 2)
    assert chosen_width(np.array([0, 4]), 4) == (1 + 5, 0)


def test_a_saved_stack_goes_on():
    X, y = rows()
    stack = begun()
    stack.test_then_train(X[:100], y[:100])
    again = AdaptiveStacking().restore(stack.state())
    p = stack.test_then_train(X[100:], y[100:])
    np.testing.assert_array_equal(again.test_then_train(X[100:], y[100:]), p)


def test_a_state_without_effects_is_that_of_members_without():
    state = AdaptiveStacking().begin(3, [0, 1], n_categories=[0, 3, 3]).state()
    assert state["memory"].pop("n_large") == 0
    assert not effects_of(AdaptiveStacking().restore(state))


@pytest.mark.parametrize("n_large", [-1, 0.5, "1"])
def test_a_damaged_number_of_large_inputs_is_refused(n_large):
    state = begun().state()
    state["memory"]["n_large"] = n_large
    with pytest.raises(StateError, match="n_large must be a whole number"):
        AdaptiveStacking().restore(state)


def test_the_stack_is_not_wider_with_more_categories():
    few, many = begun([0, 40, 3]), begun([0, 4000, 3])
    X, y = rows(60)
    for stack in (few, many):
        stack.test_then_train(np.c_[X[:, 0], X[:, 1] % 40, X[:, 2]], y)
    small, large = ([each.member_._kernel.bytes for each in effects_of(stack)] for stack in (few, many))
    assert small == large
