"""The coefficients of logistic learners mean the same in all of them: scores of the classes."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from thalweg.learners import (
    AdaptiveLogistic,
    LikelihoodParticleFilter,
    LinearLogistic,
    LogisticMixture,
    ParticleFilter,
    RefittingParticleFilter,
    RegularisedParticleFilter,
    WindowLogistic,
)

PARTICLES = [ParticleFilter, RegularisedParticleFilter, LikelihoodParticleFilter, RefittingParticleFilter]
KINDS = [AdaptiveLogistic, LogisticMixture, LinearLogistic, WindowLogistic, *PARTICLES]


def rows(n_classes, n=3000):
    """Input 1 is noise; input 2 counts twice as much as input 0, in other units."""
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(n, 3))
    score = X[:, 0] + 2 * X[:, 2] + 0.1 * rng.normal(size=n)
    y = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    return X * [1.0, 1.0, 100.0] + [0.0, 5.0, 0.0], y


def scores(learner, X):
    z = X @ learner.coef_.T + learner.intercept_
    return np.column_stack([np.zeros(len(z)), z]) if z.shape[1] == 1 else z


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_the_likeliest_class_has_the_highest_score(kind, n_classes):
    X, y = rows(n_classes)
    learner = kind().begin(3, range(n_classes), names=["a", "b", "c"])
    learner.test_then_train(X, y)
    n_rows = 1 if n_classes == 2 else n_classes
    assert learner.coef_.shape == (n_rows, 3) and learner.intercept_.shape == (n_rows,)
    assert learner.input_names_ == ["a", "b", "c"]
    agreement = (scores(learner, X).argmax(axis=1) == learner.predict_proba_block(X).argmax(axis=1)).mean()
    assert agreement > (0.97 if kind in (LogisticMixture, LinearLogistic) else 0.999)


@pytest.mark.parametrize("kind", KINDS)
def test_the_sign_is_that_of_the_second_class(kind):
    X, y = rows(2)
    learner = kind().begin(3, ["no", "yes"])
    learner.test_then_train(X, np.array(["no", "yes"])[y])
    a, b, c = learner.coef_[0] * [1.0, 1.0, 100.0]
    assert 0 < a < c
    assert abs(b) < a / 2


@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_of_a_window_are_those_of_its_coefficients(n_classes):
    X, y = rows(n_classes)
    learner = WindowLogistic().begin(3, range(n_classes))
    learner.test_then_train(X, y)
    p = np.exp(scores(learner, X))
    np.testing.assert_allclose(learner.predict_proba_block(X), p / p.sum(axis=1, keepdims=True), atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_mixture_averages_its_members_by_their_shares(n_classes):
    X, y = rows(n_classes)
    decays = [0.999, 0.998]
    mixture = LogisticMixture(decays, discount=0.9).begin(3, range(n_classes))
    mixture.test_then_train(X, y)
    members = [AdaptiveLogistic("fixed", decay).begin(3, range(n_classes)) for decay in decays]
    for member in members:
        member.test_then_train(X, y)
    for name in ("coef_", "intercept_"):
        parts = [share * getattr(each, name) for share, each in zip(mixture.shares_, members, strict=True)]
        np.testing.assert_allclose(getattr(mixture, name), sum(parts), rtol=1e-9)
    assert 0.001 < mixture.shares_[0] < 0.9999


def test_a_circle_has_no_coefficients_of_inputs():
    learner = ParticleFilter(boundary="circle").begin(2, [0, 1])
    with pytest.raises(AttributeError, match="circle"):
        _ = learner.coef_
    with pytest.raises(NotFittedError):
        _ = ParticleFilter().intercept_


def test_features_of_a_function_have_names():
    learner = ParticleFilter(boundary=lambda X: np.hstack([X, X**2])).begin(2, [0, 1], names=["a", "b"])
    assert learner.input_names_ == ["feature 0", "feature 1", "feature 2", "feature 3"]
    assert learner.coef_.shape == (1, 4)
