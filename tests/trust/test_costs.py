"""Costs of answers: what can be given, and which answer costs least."""

import numpy as np
import pytest

from thalweg.errors import ParameterError
from thalweg.trust.costs import cost_matrix, least_cost

ABC = ["a", "b", "c"]


@pytest.mark.parametrize(
    ("costs", "matrix"),
    [
        ([1, 2, 3], [[0, 1, 1], [2, 0, 2], [3, 3, 0]]),
        ({"b": 5}, [[0, 1, 1], [5, 0, 5], [1, 1, 0]]),
        ({"a": {"c": 7}, "c": {"c": -2}}, [[0, 1, 7], [1, 0, 1], [1, 1, -2]]),
        (np.arange(9).reshape(3, 3), np.arange(9).reshape(3, 3)),
    ],
)
def test_costs_of_each_form_are_a_matrix(costs, matrix):
    np.testing.assert_array_equal(cost_matrix("me", costs, ABC), matrix)


@pytest.mark.parametrize(
    ("costs", "why"),
    [
        ("abc", "a cost of missing each class"),
        ([1, 2], "for 2 classes, and there are 3"),
        ([1, 2, 3, 4], "for 4 classes, and there are 3"),
        ([[1, 2, 3]], "a cost"),
        ([1, 2, float("nan")], "finite"),
        ([1, -2, 3], "not negative"),
        ({"d": 1}, "'d' is not one of them"),
        ({"a": {"d": 1}}, "'d' is not one of them"),
        ({"a": 1, "b": {"a": 1}}, "dicts for all"),
        ({"a": "much"}, "a cost"),
        ({}, "a cost"),
        pytest.param(10**400, "a cost", id="huge"),
    ],
)
def test_wrong_costs_are_refused(costs, why):
    with pytest.raises(ParameterError, match=f"^me: costs must be .*{why}"):
        cost_matrix("me", costs, ABC)


def test_classes_may_come_later():
    found = cost_matrix("me", [3, 4, 5], ["x", "y"], more_classes=True)
    np.testing.assert_array_equal(found, [[0, 3], [4, 0]])
    assert cost_matrix("me", {"late": 9}, [], more_classes=True).shape == (0, 0)
    np.testing.assert_array_equal(cost_matrix("me", {"late": 9}, ["x", "late"]), [[0, 1], [9, 0]])


def test_the_answer_costs_least():
    rng = np.random.default_rng(1)
    p, costs = rng.dirichlet(np.ones(4), 300), rng.uniform(-1, 5, (4, 4))
    found = least_cost(p, costs)
    np.testing.assert_array_equal(found, (p @ costs).argmin(axis=1))
    np.testing.assert_array_equal([least_cost(row[None], costs)[0] for row in p], found)


def test_equal_costs_of_all_mistakes_give_the_likeliest_class():
    p = np.random.default_rng(1).dirichlet(np.ones(3), 2000).round(1)
    p[::2, 0] += np.spacing(p[::2, 0])
    np.testing.assert_array_equal(least_cost(p, cost_matrix("me", [2, 2, 2], ABC)), p.argmax(axis=1))
