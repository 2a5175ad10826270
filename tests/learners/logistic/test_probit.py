"""AdaptiveLogistic with link="probit": the paper's (5) and (6), tails, new classes, files."""

import numpy as np
import pytest
from scipy.special import log_ndtr, ndtr
from scipy.stats import norm
from support.logistic_rows import noisy_rows
from twins.learners.logistic.adaptive_logistic import mills

from thalweg.learners import AdaptiveLogistic
from thalweg.saving import from_bytes, to_bytes
from thalweg.streams import DriftingGaussians

PAPER = {"step": "single", "standardise": False, "guard": None, "prior": 10.0, "link": "probit"}
KINDS = ["none", "fixed", "tuned", "adaptive", "rprop"]


def published(z, c):
    # (5) and (6) as they stand, for the normal distribution function.
    phi, slope, above = norm.pdf(z), -z * norm.pdf(z), norm.cdf(z) if c else norm.sf(z)
    a = (slope if c else -slope) / above - (phi / above) ** 2
    return a, (-phi if c else phi) / above + z * a


def inverted(X, y, damp):
    # (25), (26) and (14), with a linear system for each row; a and b are negative in the paper's way.
    X = np.column_stack([X, np.ones(len(X))])
    information, theta, p = -np.eye(X.shape[1]) / 10, np.zeros(X.shape[1]), []
    for x, c in zip(X, y, strict=True):
        z = np.linalg.solve(information, theta) @ x
        p.append(ndtr(z))
        a, b = published(z, c)
        information = damp(a) * information + a * np.outer(x, x)
        theta = damp(b) * theta + b * x
    return np.array(p)


@pytest.mark.parametrize("forgetting", ["none", "fixed", "tuned"])
def test_recursion_is_direct_inversion_of_the_published_sums(forgetting):
    X, y = noisy_rows(3000)
    learner = AdaptiveLogistic(forgetting, 0.98, bandwidth=10.0, **PAPER).begin(3, [0, 1])

    def damp(u):
        return {"none": 1.0, "fixed": 0.98, "tuned": 0.98 + 0.02 * np.exp(-10 * abs(u))}[forgetting]

    np.testing.assert_allclose(learner.test_then_train(X, y)[:, 1], inverted(X, y, damp), atol=1e-9)


def one_row(z, y, step="single", prior=1e-6, **settings):
    # A learner of one input whose score of the row is z, after it learned the row: its coefficient and R.
    learner = AdaptiveLogistic("none", step=step, standardise=False, link="probit", prior=prior, **settings)
    learner.begin(1, [0, 1])
    learner._kernel.arrays["beta"][0] = z
    learner._kernel.arrays["R"][1:] = 0.0
    learner.test_then_train(np.ones((1, 1)), [y])
    return learner._kernel.arrays["beta"][0, 0], learner._kernel.arrays["R"][0, 0]


@pytest.mark.parametrize("y", [0, 1])
@pytest.mark.parametrize("z", [-30.0, -4.001, -3.999, -1.0, 0.0, 0.7, 3.0, 3.999, 4.001, 12.0])
def test_steps_are_finite_differences_of_the_log_likelihood(z, y):
    def likelihood(t):
        return log_ndtr(t if y else -t)

    h, prior = 1e-3, 1e-3
    slopes = (likelihood(z + h) - likelihood(z - h)) / (2 * h)
    bend = -(likelihood(z + h) - 2 * likelihood(z) + likelihood(z - h)) / h**2
    beta, R = one_row(z, y, prior=prior)
    found = 1 / R - 1 / prior
    assert found == pytest.approx(bend, rel=1e-4, abs=1e-5)
    assert (beta - z) / R == pytest.approx(slopes, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("step", ["single", "converged"])
@pytest.mark.parametrize("z", [10.0**k for k in range(9)])
def test_rows_far_on_the_wrong_side_pull_as_a_normal_tail_does(z, step):
    # There log Phi is nearly a parabola, so that both steps go half of the way when the prior is worth a row.
    for y, start in ((0, z), (1, -z)):
        beta, R = one_row(start, y, step=step, prior=1.0)
        assert abs(beta) == pytest.approx(z / 2, abs=1.1)
        assert 0.5 - 1e-12 < R < (0.65 if z > 1 else 1.0)
        beta, R = one_row(start, 1 - y, step=step, prior=1.0)
        assert abs(beta) >= z and R <= 1.0


@pytest.mark.parametrize("size", [1e-6, 0.1, 1.0, 50.0, 1e6, 1e12])
@pytest.mark.parametrize("z", [-1e3, -20.0, -2.0, 0.0, 3.0, 9.0])
def test_the_converged_step_ends_at_the_maximum(z, size):
    t, _ = one_row(z, 1, step="converged", prior=size)
    assert t - z == pytest.approx(size * mills(t), rel=1e-9, abs=1e-12 * max(1, size) + 1e-12 * abs(z))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("step", ["single", "converged"])
@pytest.mark.parametrize("forgetting", KINDS)
@pytest.mark.parametrize("standardise", [True, False])
def test_wild_rows_leave_numbers_sound(forgetting, step, n_classes, standardise):
    X, y = noisy_rows(400, n_classes=n_classes)
    X[50:60] *= 1e8
    X[200] = [1e300, -1e300, 1e12]
    learner = AdaptiveLogistic(forgetting, step=step, standardise=standardise, link="probit")
    p = learner.begin(3, range(n_classes)).test_then_train(X, y)
    assert np.isfinite(p).all() and (p >= 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-12)
    assert np.isfinite(learner.coef_).all()


@pytest.mark.parametrize("margin", [0.0, 5.0, 40.0, 1e4, 1e8, 1e200])
@pytest.mark.parametrize("n_classes", [2, 3, 70])
def test_probabilities_at_any_margin(n_classes, margin):
    learner = AdaptiveLogistic(standardise=False, link="probit").begin(1, range(n_classes))
    beta = learner._kernel.arrays["beta"]
    beta[0] = np.linspace(1.0, 2.0, beta.shape[1])
    for sign in (-1.0, 1.0):
        z = np.clip(sign * margin * beta[0], -1e8, 1e8)
        p = learner.predict_proba_block(np.array([[sign * margin]]))[0]
        wanted = np.exp(log_ndtr(z) - log_ndtr(z).max())
        wanted = wanted / wanted.sum() if n_classes > 2 else [ndtr(-z[0]), ndtr(z[0])]
        np.testing.assert_allclose(p, wanted, rtol=1e-9 if margin < 1e3 else 1e-6, atol=1e-15)


def test_a_third_class_leaves_what_was_known_of_two():
    X, y = noisy_rows(500)
    learner = AdaptiveLogistic("none", standardise=False, link="probit").partial_fit(X, y)
    coef, before = learner.coef_[0], learner.predict_proba(X)
    learner.partial_fit(X[:1], [2], sample_weight=[1e-12])
    np.testing.assert_allclose(learner.coef_, [-coef, coef, np.zeros(3)], atol=1e-9)
    one_of_all = 1 / (len(X) + 2)
    wanted = np.column_stack([before, np.full(len(X), one_of_all)]) / (1 + one_of_all)
    np.testing.assert_allclose(learner.predict_proba(X), wanted, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_are_those_of_the_coefficients(n_classes):
    X, y = noisy_rows(500, n_classes=n_classes)
    learner = AdaptiveLogistic(link="probit").fit(X, y)
    z = X @ learner.coef_.T + learner.intercept_
    p = ndtr(np.column_stack([-z, z]) if n_classes == 2 else z)
    np.testing.assert_allclose(learner.predict_proba(X), p / p.sum(axis=1, keepdims=True), atol=1e-12)


def test_coefficients_of_probit_rows_are_found():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(50_000, 3))
    y = (X @ [1.0, -0.5, 0.0] + 0.3 + rng.normal(size=len(X)) > 0).astype(int)
    learner = AdaptiveLogistic("none", standardise=False, link="probit").fit(X, y)
    np.testing.assert_allclose(learner.coef_[0], [1.0, -0.5, 0.0], atol=0.03)
    np.testing.assert_allclose(learner.intercept_, 0.3, atol=0.03)


@pytest.mark.parametrize("forgetting", KINDS)
def test_a_saved_learner_goes_on_bit_for_bit(forgetting):
    X, y = noisy_rows(600)
    learner = AdaptiveLogistic(forgetting, link="probit").begin(3, [0, 1])
    learner.test_then_train(X[:300], y[:300])
    again = from_bytes(to_bytes(learner))
    assert again.link == "probit"
    np.testing.assert_array_equal(
        again.test_then_train(X[300:], y[300:]), learner.test_then_train(X[300:], y[300:])
    )


def test_forgetting_follows_a_drift():
    X, y = next(DriftingGaussians(kind="drift", seed=5).blocks(5000))
    wrong = {}
    for forgetting in ("none", "tuned", "adaptive", "fixed"):
        p = AdaptiveLogistic(forgetting, link="probit").begin(5, [0, 1]).test_then_train(X, y)
        wrong[forgetting] = (p.argmax(axis=1) != y).mean()
    assert wrong["none"] > 0.38
    assert max(wrong["tuned"], wrong["adaptive"], wrong["fixed"]) < 0.3
