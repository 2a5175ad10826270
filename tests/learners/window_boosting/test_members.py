"""Members of boosting on a window must use the weights of rows."""

import pytest

from thalweg.errors import ParameterError
from thalweg.learners import (
    AdaBoostWindow,
    DriftReset,
    IBoost,
    NoChange,
    OnlineBagging,
    OnlineCoordinateBoost,
)


@pytest.mark.parametrize("kind", [IBoost, AdaBoostWindow, OnlineCoordinateBoost])
@pytest.mark.parametrize("member", [NoChange(), DriftReset(NoChange()), OnlineBagging(NoChange())])
def test_members_that_ignore_weights_are_refused(kind, member):
    with pytest.raises(ParameterError, match="member must be a learner that uses the weights"):
        kind(member).begin(2, [0, 1])
