"""Logistic regression that forgets: twin, direct inversion, finite differences, limit cases."""

import numpy as np
import pytest
from scipy.special import expit
from support.logistic_rows import noisy_rows
from twins.learners.logistic.adaptive_logistic import Filter, Logistic

from thalweg.learners import AdaptiveLogistic, LogisticMixture
from thalweg.streams import DriftingGaussians

PAPER = {"step": "single", "standardise": False, "guard": None, "prior": 10.0}


@pytest.mark.parametrize("link", ["logit", "probit"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("step", ["single", "converged"])
@pytest.mark.parametrize(
    ("forgetting", "decay"),
    [("none", 1.0), ("fixed", 0.97), ("tuned", 0.9), ("adaptive", 0.9), ("rprop", 0.9)],
)
def test_kernel_is_its_twin(forgetting, decay, step, n_classes, link):
    # Without the guard only as long as R is sound.
    for n_rows, standardise, guard in ((250, True, 100.0), (100, False, None)):
        X, y = noisy_rows(n_rows, n_classes=n_classes)
        w = np.random.default_rng(1).uniform(0.3, 2.0, len(y))
        learner = AdaptiveLogistic(
            forgetting,
            decay,
            bandwidth=5.0,
            rate=1e-5,
            step=step,
            link=link,
            standardise=standardise,
            guard=guard,
        )
        p = learner.begin(3, range(n_classes)).test_then_train(X, y, sample_weight=w)
        twin = Logistic(
            3,
            n_classes,
            [decay],
            standardise=standardise,
            forgetting="fixed" if forgetting == "none" else forgetting,
            bandwidth=5.0,
            rate=1e-5,
            converged=step == "converged",
            guard=guard,
            prior=1.0,
            link=link,
        )
        np.testing.assert_allclose(p, twin.test_then_train(X, y, sample_weight=w), atol=1e-12)
        np.testing.assert_allclose(learner.decay_, [f.decay for f in twin.members[0]], atol=1e-11)


def inverted(X, y, decay_a, decay_b):
    # Equations (25), (26) and (14) as they stand, with a linear system for each row.
    X = np.column_stack([X, np.ones(len(X))])
    information, theta, p = np.eye(X.shape[1]) / 10, np.zeros(X.shape[1]), []
    for x, c in zip(X, y, strict=True):
        beta = np.linalg.solve(information, theta)
        z = beta @ x
        p.append(expit(z))
        a, b = p[-1] * (1 - p[-1]), p[-1] - c - z * p[-1] * (1 - p[-1])
        information = decay_a(a) * information + a * np.outer(x, x)
        theta = decay_b(b) * theta - b * x
    return np.array(p)


@pytest.mark.parametrize("forgetting", ["none", "fixed", "tuned"])
def test_recursion_is_direct_inversion(forgetting):
    X, y = noisy_rows(5000)
    learner = AdaptiveLogistic(forgetting, 0.98, bandwidth=10.0, **PAPER).begin(3, [0, 1])

    def decay(u):
        return {"none": 1.0, "fixed": 0.98, "tuned": 0.98 + 0.02 * np.exp(-10 * abs(u))}[forgetting]

    np.testing.assert_allclose(learner.test_then_train(X, y)[:, 1], inverted(X, y, decay, decay), atol=1e-10)


def path(X, y, decay, converged, guard, link, curvatures=None):
    # The twin's coefficients at a constant decay; with its own curvatures a, or with those given.
    f = Filter(X.shape[1], "fixed", decay, converged=converged, guard=guard, prior=1.0, link=link)
    used = []
    for i, (x, c) in enumerate(zip(X, y, strict=True)):
        size, z = x @ f.R @ x, f.beta @ x
        a, e = f.derivatives(f.peak(z, size / decay, c) if converged else z, c)
        a = a if curvatures is None else curvatures[i]
        own = f.R @ x * (e / decay if converged else e / (decay + a * size))
        f.R = np.linalg.inv(decay * np.linalg.inv(f.R) + a * np.outer(x, x))
        f.beta = f.beta + own
        f.leak(decay)
        used.append(a)
    return f.beta, used


@pytest.mark.parametrize("link", ["logit", "probit"])
@pytest.mark.parametrize("guard", [None, 5.0])
@pytest.mark.parametrize("step", ["single", "converged"])
def test_adaptive_slopes_are_finite_differences_where_curvature_is_held(step, guard, link):
    X, y = noisy_rows(60)
    learner = AdaptiveLogistic(
        "adaptive", 0.5, rate=1e-300, step=step, link=link, standardise=False, guard=guard
    )
    learner.begin(3, [0, 1])
    learner._kernel.arrays["decay"][:] = 0.97
    learner.test_then_train(X, y)
    psi = learner._kernel.arrays["psi"][:, 0]
    rows = np.column_stack([X, np.ones(len(X))])
    converged = step == "converged"
    _, held = path(rows, y, 0.97, converged, guard, link)
    up, down = (path(rows, y, 0.97 + change, converged, guard, link, held)[0] for change in (1e-6, -1e-6))
    np.testing.assert_allclose(psi, (up - down) / 2e-6, rtol=1e-5, atol=1e-6)


def test_no_bandwidth_and_no_decay_are_no_forgetting():
    X, y = noisy_rows(2000)
    for settings in ({}, PAPER):
        online = AdaptiveLogistic("none", **settings).begin(3, [0, 1]).test_then_train(X, y)
        for same in (
            AdaptiveLogistic("tuned", 0.88, bandwidth=0.0, **settings),
            AdaptiveLogistic("tuned", 1.0, bandwidth=10.0, **settings),
            AdaptiveLogistic("fixed", 1.0, **settings),
            AdaptiveLogistic("adaptive", 1.0, **settings),
        ):
            np.testing.assert_allclose(same.begin(3, [0, 1]).test_then_train(X, y), online, atol=1e-12)
        tuned = AdaptiveLogistic("tuned", 0.88, bandwidth=1e-9, **settings).begin(3, [0, 1])
        near = tuned.test_then_train(X, y)
        assert 0 < np.abs(near - online).max() < 1e-4


@pytest.mark.parametrize(
    ("forgetting", "n_rows"), [("fixed", 1_000_000), ("tuned", 200_000), ("adaptive", 200_000)]
)
@pytest.mark.parametrize("step", ["single", "converged"])
def test_idle_inputs_are_harmless_with_the_guard(forgetting, n_rows, step):
    # One input is constant, one falls silent after 1000 rows.
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n_rows, 3))
    X[:, 1], X[1000:, 2] = 7.0, 0.0
    y = (X[:, 0] > rng.logistic(size=n_rows)).astype(int)
    learner = AdaptiveLogistic(forgetting, 0.88, step=step).begin(3, [0, 1])
    p = learner.test_then_train(X, y)
    assert learner.n_restarts_ == 0
    assert all(np.isfinite(array).all() for array in learner._kernel.arrays.values())
    assert learner._kernel.arrays["R"].max() < 1000
    assert (p.argmax(axis=1) == y).mean() > 0.6


def test_without_the_guard_restarts_are_counted():
    X = np.zeros((20_000, 2))
    X[:, 0] = np.random.default_rng(3).normal(size=len(X))
    y = (X[:, 0] > 0).astype(int)
    learner = AdaptiveLogistic("fixed", 0.88, guard=None).begin(2, [0, 1])
    p = learner.test_then_train(X, y)
    assert learner.n_restarts_ > 0 and np.isfinite(p).all()


def test_one_wild_value_does_not_hide_its_input():
    X, y = noisy_rows(4000)
    wild = X.copy()
    wild[1000] = [1e300, -1e300, 1e12]
    calm, shaken = (AdaptiveLogistic().begin(3, [0, 1]).test_then_train(rows, y) for rows in (X, wild))
    right = [(p.argmax(axis=1) == y)[1001:].mean() for p in (calm, shaken)]
    assert right[0] > 0.7 and abs(right[0] - right[1]) < 0.01


def test_forgetting_follows_a_drift():
    X, y = next(DriftingGaussians(kind="drift", seed=5).blocks(5000))
    wrong = {}
    for forgetting in ("none", "tuned", "adaptive", "fixed"):
        p = AdaptiveLogistic(forgetting).begin(5, [0, 1]).test_then_train(X, y)
        wrong[forgetting] = (p.argmax(axis=1) != y).mean()
    mixture = (LogisticMixture().begin(5, [0, 1]).test_then_train(X, y).argmax(axis=1) != y).mean()
    assert wrong["none"] > 0.38
    assert max(wrong["tuned"], wrong["adaptive"], wrong["fixed"]) < 0.28
    assert mixture < min(wrong.values()) + 0.01


@pytest.mark.parametrize("standardise", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_coefficients_are_for_inputs_as_given(n_classes, standardise):
    X, y = noisy_rows(500, n_classes=n_classes)
    learner = AdaptiveLogistic(standardise=standardise).fit(X, y)
    z = X @ learner.coef_.T + learner.intercept_
    z = np.column_stack([np.zeros(len(z)), z]) if n_classes == 2 else z
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(learner.predict_proba(X), p, atol=1e-12)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"forgetting": "sometimes"}, "forgetting must be one of 'tuned'"),
        ({"decay": 1.5}, "decay must be a number above 0 and at most 1, got 1.5"),
        ({"bandwidth": -1.0}, "bandwidth must be"),
        ({"step": "half"}, "step must be"),
        ({"link": "cloglog"}, "link must be one of 'logit', 'probit'"),
        ({"guard": 0.0}, "guard must be a number above 0"),
        ({"prior": "1"}, "prior must be a number above 0"),
    ],
)
def test_bad_settings_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        AdaptiveLogistic(**parameters).begin(3, [0, 1])
