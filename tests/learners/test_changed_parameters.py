"""Parameters set on a learner that has begun are for the next time it begins; copies keep both."""

import copy
import pickle

import numpy as np
import pytest
from support.compositions import ALONE, PARTS, around, small

from thalweg.checks.running import assert_same
from thalweg.learners import (
    AdaptiveStacking,
    HoeffdingTree,
    MajorityClass,
    NaiveBayes,
    OnlineBagging,
    ParticleFilter,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
Y = (X[:, 0] > 0).astype(int)
LATER = np.where(np.arange(120) < 90, Y, 2)  # a class that comes later makes learners extend themselves


def changed(value, name):
    """Return another value for a parameter, None if there is none that is surely allowed."""
    if name in PARTS:
        return [MajorityClass(), NaiveBayes()] if name == "members" else MajorityClass()
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1 if isinstance(value, int) else 0.9 * value
    return None


def assert_goes_on_as(learner, unchanged, parameters):
    """Assert that the learner and its copies have these parameters, and learn as if they had not been set."""
    copies = [learner, pickle.loads(pickle.dumps(learner)), copy.deepcopy(learner), learner.copy()]
    expected = unchanged.test_then_train(X[60:], LATER[60:])
    for each in copies:
        assert repr({name: each.get_params()[name] for name in parameters}) == repr(parameters)
        assert np.array_equal(each.test_then_train(X[60:], LATER[60:]), expected)
        assert_same(each.state(), learner.state())


@pytest.mark.parametrize("name", [*ALONE, "Pipeline"])
def test_a_parameter_set_after_begin_is_for_the_next_time(name):
    first = around(name, NaiveBayes()) if name == "Pipeline" else small(name)
    learner = first.begin(3)
    learner.test_then_train(X[:60], Y[:60])
    for parameter, value in learner.get_params(deep=False).items():
        new = changed(value, parameter)
        if new is not None:
            other = learner.copy().set_params(**{parameter: new})
            assert_goes_on_as(other, learner.copy(), {parameter: new})


@pytest.mark.parametrize(
    ("learner", "name"),
    [
        (OnlineBagging(HoeffdingTree(), n_members=2), "member__grace_period"),
        (OnlineBagging([NaiveBayes(), HoeffdingTree()], n_members=2), "member__1__grace_period"),
        (AdaptiveStacking([NaiveBayes(), HoeffdingTree()]), "members__1__grace_period"),
    ],
)
def test_so_is_one_of_a_member(learner, name):
    learner.begin(3).test_then_train(X[:60], Y[:60])
    other = learner.copy().set_params(**{name: 17})
    assert_goes_on_as(other, learner, {name: 17})
    assert learner.get_params()[name] != 17


def squares(X):
    return np.hstack([X, X**2])


@pytest.mark.parametrize("owner", ["OnlineBagging", "LastLabels"])
def test_a_boundary_that_is_a_function_is_copied_with_an_owner_too(owner):
    learner = around(owner, ParticleFilter(boundary=squares)).begin(3, [0, 1])
    learner.test_then_train(X[:60], Y[:60])
    other = pickle.loads(pickle.dumps(learner))
    assert np.array_equal(other.test_then_train(X[60:], Y[60:]), learner.test_then_train(X[60:], Y[60:]))


def test_so_is_one_that_was_set_since():
    learner = ParticleFilter(boundary=squares).begin(3)
    learner.test_then_train(X[:60], Y[:60])
    assert_goes_on_as(learner.copy().set_params(boundary="linear"), learner, {"boundary": "linear"})
