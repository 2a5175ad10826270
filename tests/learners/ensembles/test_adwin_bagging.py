"""ADWIN bagging is its twin, leveraging bagging of mean one, and online bagging where nothing alarms."""

import numpy as np
import pytest
from support.ensemble_rows import begun, drifting_rows, events_of, keys_of, moving_clouds
from twins.learners.ensembles.online_bagging import BaggingTwin

from thalweg.learners import AdwinBagging, LeveragingBagging, NaiveBayes, OnlineBagging


@pytest.mark.parametrize(("n_features", "n_classes"), [(3, 2), (5, 4)])
def test_kernel_is_its_twin(n_features, n_classes):
    X, y, w = moving_clouds(800, n_features, n_classes)
    learner = AdwinBagging(NaiveBayes(), n_members=3, delta=0.01).begin(n_features, range(n_classes))
    twin = BaggingTwin(lambda: NaiveBayes().begin(n_features, range(n_classes)), keys_of(learner), delta=0.01)
    p = learner.test_then_train(X, y, sample_weight=w)
    np.testing.assert_allclose(p, twin.run(X, y, w), rtol=0, atol=1e-12)
    assert events_of(learner, "event_row", "event_member") == twin.replaced != []
    assert len(twin.replaced) == learner.n_replaced_


def test_it_is_leveraging_bagging_at_a_rate_of_one():
    X, y = drifting_rows()
    one = begun(AdwinBagging(NaiveBayes(), 3))
    other = begun(LeveragingBagging(NaiveBayes(), 3, poisson_mean=1.0))
    np.testing.assert_array_equal(one.test_then_train(X, y), other.test_then_train(X, y))
    assert one.n_replaced_ == other.n_replaced_ > 0


def test_without_an_alarm_it_is_online_bagging():
    X, y = drifting_rows()
    never = begun(AdwinBagging(NaiveBayes(), delta=1e-300))
    plain = begun(OnlineBagging(NaiveBayes())).test_then_train(X, y)
    np.testing.assert_array_equal(never.test_then_train(X, y), plain)
    assert never.n_replaced_ == 0


def test_a_chance_of_zero_is_refused():
    with pytest.raises(ValueError, match="delta must be a number above 0"):
        begun(AdwinBagging(delta=0))
