"""RobustEnsemble: the twin, SciPy's optimum, fits that cannot fail, outliers, class weights, folds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from support.ensemble_rows import turning
from twins.learners.chunk_ensembles import robust_ensemble as twin

from thalweg.checks.rows import assert_proper
from thalweg.errors import ParameterError
from thalweg.learners import AccuracyWeightedEnsemble, DecisionTree, NaiveBayes, RobustEnsemble
from thalweg.learners.chunk_ensembles._native.member_weights import Weighing
from thalweg.streams import Sphere

TREE = DecisionTree(max_leaves=8, window=1)
PAPER = {"member": TREE, "n_members": 10, "chunk_size": 1000, "ridge": 1.0, "holdout": 0.5, "folds": 10}


def answers(n_members, n, n_classes, seed=0, skill=2.0):
    """Return probabilities of members that know something, labels, and weights of rows."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    z = rng.normal(size=(n_members, n, n_classes))
    z[:, np.arange(n), y] += skill * rng.random((n_members, 1))
    P = np.exp(z) / np.exp(z).sum(axis=2, keepdims=True)
    wrong = rng.random(n) < 0.1
    y[wrong] = (y[wrong] + 1) % n_classes
    return P, y, rng.choice([0.5, 1.0, 2.0], n)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize(("given", "of_twin"), [
    ({}, {}),
    ({"penalty": None}, {"penalty": None}),
    ({"penalty": 0.25, "ridge": 0.1}, {"penalty": 0.25, "ridge": 0.1}),
    ({"class_weight": {0: 3.0, 1: 0.5}}, {"class_weight": {0: 3.0, 1: 0.5}}),
    ({"class_weight": "balanced"}, {"class_weight": "balanced"}),
    ({"holdout": 0.25}, {"n_held_out": 30}),
    ({"holdout": None}, {"n_held_out": 0}),
    ({"holdout": None, "folds": 3}, {"n_held_out": 0, "folds": 3}),
    ({"holdout": None, "penalty": None}, {"n_held_out": 0, "penalty": None}),
    ({"holdout": None, "class_weight": "balanced"}, {"n_held_out": 0, "class_weight": "balanced"}),
])
def test_kernel_is_its_twin(n_classes, given, of_twin):
    X, y, w = turning(1200, n_classes)
    fast = RobustEnsemble(**PAPER | {"n_members": 4, "chunk_size": 120} | given)
    fast.begin(2, list(range(n_classes)))
    slow = twin.RobustEnsemble(n_classes, 4, 120, **{"n_held_out": 60} | of_twin)
    p = fast.test_then_train(X, y, sample_weight=w)
    np.testing.assert_allclose(p, slow.run(X, y, w), atol=1e-6)
    np.testing.assert_allclose(fast.weights_, slow.weights, atol=1e-6)
    found = fast.outliers_
    assert found["row"].tolist() == [each[0] for each in slow.outliers]
    assert found["label"].tolist() == [each[1] for each in slow.outliers]
    assert found["believed"].tolist() == [each[2] for each in slow.outliers]
    np.testing.assert_allclose(found["likelihood"], [each[3] for each in slow.outliers], atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_newton_reaches_the_optimum_that_scipy_finds(n_classes, seed):
    P, y, v = answers(7, 300, n_classes, seed)
    ours = Weighing(P, y, v, ridge=0.5, penalty=-1)
    none = np.zeros(len(y), dtype=bool)
    theirs = minimize(
        lambda w: -twin.score_of(P, y, v, none, 0.5, 0, w), np.zeros(7), method="BFGS", options={"gtol": 1e-8}
    )
    np.testing.assert_allclose(ours.weights, theirs.x, atol=1e-6)
    assert ours.score >= -theirs.fun - 1e-9


def test_two_classes_are_scikit_learns_logistic_regression():
    P, y, v = answers(8, 400, 2, seed=3)
    ours = Weighing(P, y, v, ridge=2.0, penalty=-1)
    theirs = LogisticRegression(C=0.5, fit_intercept=False, tol=1e-12, solver="newton-cholesky")
    theirs.fit(2 * P[:, :, 1].T - 1, y, v)
    np.testing.assert_allclose(ours.weights, theirs.coef_[0], atol=1e-6)


def test_no_outliers_are_found_where_they_cost_too_much():
    P, y, v = answers(5, 300, 2)
    dear, none = Weighing(P, y, v, penalty=50.0), Weighing(P, y, v, penalty=-1)
    assert not dear.outliers.any()
    np.testing.assert_array_equal(dear.weights, none.weights)


@settings(max_examples=60, deadline=None)
@given(
    n_classes=st.integers(2, 4),
    n_members=st.integers(1, 12),
    n=st.integers(1, 60),
    ridge=st.sampled_from([1e-6, 1e-3, 1.0, 1e3]),
    penalty=st.sampled_from([0.0, 0.25, 1.5, 10.0]),
    data=st.data(),
)
def test_no_chunk_fails_a_fit_and_the_score_never_falls(n_classes, n_members, n, ridge, penalty, data):
    numbers = st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0])
    P = data.draw(arrays(float, (n_members, n, n_classes), elements=numbers)) + 1e-12
    P /= P.sum(axis=2, keepdims=True)
    y = data.draw(arrays(int, n, elements=st.integers(0, n_classes - 1)))
    v = data.draw(arrays(float, n, elements=st.sampled_from([1e-6, 1.0, 1e6])))
    plain, robust = Weighing(P, y, v, ridge, -1), Weighing(P, y, v, ridge, penalty)
    assert np.isfinite(robust.weights).all() and np.isfinite(robust.likelihoods).all()
    assert 2 * robust.outliers.sum() <= n
    assert (np.diff([plain.score, *robust.scores]) > 0).all()
    last = [plain.score, *robust.scores][-1]
    assert robust.score >= last - 1e-9 - 4 * np.spacing(abs(last))  # weights of 1e6 make scores of 5e7
    exact = twin.score_of(P, y, v, robust.outliers, ridge, penalty, robust.weights)
    assert robust.score == pytest.approx(exact, rel=1e-9, abs=1e-9)


def test_rows_that_can_be_told_apart_and_members_that_are_equal_are_no_problem():
    y = np.arange(40) % 2
    p = np.where(y == 1, 0.999, 0.001)
    P = np.tile(np.stack([1 - p, p], axis=1), (6, 1, 1))
    fit = Weighing(P, y, ridge=1e-6)
    assert np.isfinite(fit.weights).all() and np.ptp(fit.weights) < 1e-3 * fit.weights.max()
    assert (fit.likelihoods > np.log(0.99)).all()


def test_flipped_labels_are_found_with_what_they_were():
    stream = Sphere(20_000, noise=0.0, seed=4)
    X, clean = next(stream.blocks(20_000))
    flipped = np.random.default_rng(1).random(len(X)) < 0.1
    y = np.where(flipped, 1 - clean, clean)
    learner = RobustEnsemble().begin(3, [0, 1])
    learner.test_then_train(X, y)
    found = learner.outliers_
    assert len(found["row"]) == 1000 and (np.diff(found["row"]) < 0).all()
    assert np.array_equal(found["label"], y[found["row"]])
    assert np.array_equal(found["believed"], 1 - found["label"])
    assert flipped[found["row"]].mean() > 0.5
    assert (found["likelihood"] < 0.5).all()


def test_rows_found_are_counted_in_learned_rows_and_kept_with_the_state():
    X, y = next(Sphere(3000, seed=4).blocks(3000))
    w = np.ones(3000)
    w[:1000] = 0
    part, whole = RobustEnsemble().begin(3, [0, 1]), RobustEnsemble().begin(3, [0, 1])
    whole.test_then_train(X, y, sample_weight=w)
    part.test_then_train(X[1000:], y[1000:])
    assert np.array_equal(whole.outliers_["row"], part.outliers_["row"])
    assert np.array_equal(whole.copy().outliers_["row"], whole.outliers_["row"])


def test_noise_costs_it_less_than_awe():
    gains = []
    for seed in range(3):
        X, clean = next(Sphere(40_000, noise=0, seed=seed).blocks(40_000))
        y = np.where(np.random.default_rng(seed).random(len(X)) < 0.1, 1 - clean, clean)
        rival = AccuracyWeightedEnsemble(TREE, 10, chunk_size=1000, holdout=0.5, replacement="oldest")
        right = [
            (each.begin(3, [0, 1]).test_then_train(X, y).argmax(axis=1) == clean)[1000:].mean()
            for each in (RobustEnsemble(**PAPER), rival)
        ]
        gains.append(100 * (right[0] - right[1]))
    assert np.mean(gains) == pytest.approx(0.7, abs=0.2)


def test_large_trees_do_better_if_whole_chunks_grow_them():
    halves = PAPER | {"member": DecisionTree(max_leaves=32, window=1)}
    gains = []
    for seed in range(3):
        X, clean = next(Sphere(30_000, noise=0, seed=seed).blocks(30_000))
        y = np.where(np.random.default_rng(seed).random(len(X)) < 0.1, 1 - clean, clean)
        right = [
            (each.begin(3, [0, 1]).test_then_train(X, y).argmax(axis=1) == clean)[1000:].mean()
            for each in (RobustEnsemble(**halves | {"holdout": None}), RobustEnsemble(**halves))
        ]
        gains.append(100 * (right[0] - right[1]))
    assert np.mean(gains) == pytest.approx(1.2, abs=0.3)


def test_outliers_are_looked_for_in_whole_chunks_without_hold_out():
    X, y = next(Sphere(3000, noise=0.1, seed=4).blocks(3000))
    found = {}
    for holdout in (None, 0.5):
        learner = RobustEnsemble(holdout=holdout).begin(3, [0, 1])
        learner.test_then_train(X, y)
        found[holdout] = learner.outliers_["row"]
        assert (np.diff(found[holdout]) < 0).all()
    assert len(found[None]) > 1.5 * len(found[0.5])


def test_a_rare_class_is_predicted_more_often_if_classes_are_balanced():
    rng = np.random.default_rng(5)
    y = (rng.random(8000) < 0.05).astype(int)
    X = rng.normal(size=(8000, 2)) + y[:, None]
    shares = []
    for class_weight in (None, "balanced", {1: 19.0}):
        p = RobustEnsemble(**PAPER, class_weight=class_weight).begin(2, [0, 1]).test_then_train(X, y)
        shares.append((p[2000:].argmax(axis=1) == 1)[y[2000:] == 1].mean())
    assert shares[0] < 0.2 and min(shares[1:]) > 0.5


def test_weights_of_any_size_leave_probabilities_proper():
    X, y, _ = turning(600, 3)
    w = 10.0 ** np.random.default_rng(3).uniform(-300, 100, 600)
    learner = RobustEnsemble(NaiveBayes(), n_members=3, chunk_size=60).begin(2, [0, 1, 2])
    assert_proper(learner.test_then_train(X, y, sample_weight=w))
    assert np.isfinite(learner.weights_).all()


@pytest.mark.parametrize(("settings", "message"), [
    ({"penalty": -1}, "penalty must be a number at least 0"),
    ({"ridge": 0}, "ridge must be a number at least 1e-06"),
    ({"holdout": 0}, "holdout must be a number above 0 and below 1"),
    ({"holdout": None, "folds": 1}, "folds must be a whole number of at least 2"),
    ({"class_weight": "equal"}, "class_weight must be a dict"),
    ({"class_weight": {1: -2}}, "class_weight must be a dict"),
    ({"class_weight": {7: 2}}, r"class_weight must be weights of \[0, 1\], got \{7: 2\}"),
])
def test_wrong_parameters_are_named(settings, message):
    with pytest.raises(ParameterError, match=message):
        RobustEnsemble(**settings).begin(3, [0, 1])


def test_a_copy_fits_weights_as_the_original_does():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(400, 3)), rng.integers(0, 12, 400)
    whole = RobustEnsemble(TREE, 2, chunk_size=20, holdout=0.5).begin(3, range(12))
    for start in range(0, 400, 20):  # ten rows weigh the members: no multiple of eight
        block, again = slice(start, start + 20), whole.copy()
        for each in (whole, again):
            each.test_then_train(X[block], y[block])
        assert np.array_equal(whole.weights_, again.weights_)
