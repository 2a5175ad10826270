"""Learners of small windows, whose trees split early, are saved and loaded at every shape of rows."""

import pytest
from golden_models import NAMES, small

from thalweg.checks.shapes import SHAPE_CHECKS
from thalweg.learners import HoeffdingTree


def lively(name):
    """Return a learner of this name that changes its members and splits its trees within some rows."""
    learner = small(name)
    given = learner.get_params(deep=False)
    if "grace_period" in given:
        learner.set_params(grace_period=10)
    if "member" in given and given["member"] is None:
        learner.set_params(member=HoeffdingTree(grace_period=10))
    return learner


@pytest.mark.parametrize("check", SHAPE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_a_learner_is_loaded_at_every_shape(name, check):
    assert check(lively(name)) is None
