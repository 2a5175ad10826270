"""Leveraging bagging is its twin; its weights are Poisson numbers."""

import numpy as np
import pytest
from support.ensemble_rows import (
    assert_poisson,
    begun,
    drawn_weights,
    events_of,
    keys_of,
    moving_clouds,
)
from twins.learners.ensembles.online_bagging import BaggingTwin

from thalweg.learners import LeveragingBagging, MajorityClass, NaiveBayes


@pytest.mark.parametrize(("n_features", "n_classes"), [(3, 2), (5, 4)])
def test_kernel_is_its_twin(n_features, n_classes):
    X, y, w = moving_clouds(800, n_features, n_classes)
    learner = LeveragingBagging(NaiveBayes(), n_members=3).begin(n_features, range(n_classes))
    twin = BaggingTwin(
        lambda: NaiveBayes().begin(n_features, range(n_classes)),
        keys_of(learner),
        poisson_mean=6.0,
        delta=0.002,
    )
    p = learner.test_then_train(X, y, sample_weight=w)
    np.testing.assert_allclose(p, twin.run(X, y, w), rtol=0, atol=1e-12)
    assert events_of(learner, "event_row", "event_member") == twin.replaced != []
    assert len(twin.replaced) == learner.n_replaced_


@pytest.mark.parametrize("poisson_mean", [1.0, 6.0])
def test_weights_are_poisson_numbers_and_members_draw_their_own(poisson_mean):
    ensemble = begun(LeveragingBagging(MajorityClass(), 3, poisson_mean=poisson_mean, delta=1e-300))
    assert_poisson(drawn_weights(ensemble, 4000), poisson_mean)


def test_a_large_rate_is_refused():
    with pytest.raises(ValueError, match="poisson_mean must be a number above 0 and at most 50, got 60"):
        begun(LeveragingBagging(poisson_mean=60))
