"""A mixture of rates of forgetting: its twin, its member where there is one, whom it trusts."""

import numpy as np
import pytest
from support.logistic_rows import noisy_rows
from twins.learners.logistic.adaptive_logistic import Logistic

from thalweg.learners import AdaptiveLogistic, LogisticMixture
from thalweg.streams import DriftingGaussians


@pytest.mark.parametrize("link", ["logit", "probit"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_kernel_is_its_twin(n_classes, link):
    X, y = noisy_rows(150, n_classes=n_classes)
    w = np.random.default_rng(1).uniform(0.3, 2.0, len(y))
    learner = LogisticMixture(link=link).begin(3, range(n_classes))
    settings = {"forgetting": "fixed", "converged": True, "guard": 100.0, "prior": 1.0, "link": link}
    twin = Logistic(3, n_classes, learner.decays, **settings)
    p = learner.test_then_train(X, y, sample_weight=w)
    np.testing.assert_allclose(p, twin.test_then_train(X, y, sample_weight=w), atol=1e-12)
    np.testing.assert_allclose(learner.shares_, twin.share, atol=1e-10)


def test_it_trusts_who_does_well():
    shares = {}
    for kind in ("static", "drift"):
        X, y = next(DriftingGaussians(kind=kind, seed=4).blocks(5000))
        learner = LogisticMixture().begin(5, [0, 1])
        learner.test_then_train(X, y)
        shares[kind] = learner.shares_
        assert shares[kind].sum() == pytest.approx(1.0)
    assert shares["static"].argmin() == 3
    assert shares["drift"][0] < 0.05


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_a_mixture_of_one_is_its_member(link):
    X, y = noisy_rows(500, n_classes=3)
    one = LogisticMixture(decays=[0.97], link=link).begin(3, [0, 1, 2]).test_then_train(X, y)
    member = AdaptiveLogistic("fixed", 0.97, link=link).begin(3, [0, 1, 2]).test_then_train(X, y)
    np.testing.assert_allclose(one, member, rtol=1e-15)


def test_bad_rates_are_named():
    with pytest.raises(ValueError, match="decays must be a sequence of 1 to 64 numbers above 0"):
        LogisticMixture(decays=[0.5, 1.2]).begin(3, [0, 1])
    with pytest.raises(ValueError, match="link must be one of 'logit', 'probit'"):
        LogisticMixture(link="cauchit").begin(3, [0, 1])
