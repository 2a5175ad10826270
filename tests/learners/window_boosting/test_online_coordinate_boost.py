"""Online coordinate boosting: its twin, AdaBoost's weights on all rows, the order, bad input."""

import numpy as np
import pytest
from support.cluster_rows import clusters
from twins.learners.window_boosting.online_coordinate_boost import CoordinateTwin, exact_alphas

from thalweg.errors import ParameterError, StateError
from thalweg.learners import AdaBoostWindow, NaiveBayes, OnlineCoordinateBoost
from thalweg.streams import SEA


def answers(learner, X, y):
    """Return on which rows each stump is right."""
    stumps = learner.stumps_
    left = X[:, stumps["feature"]] <= stumps["threshold"]
    return np.where(left, stumps["left"], stumps["right"]) == y[:, None]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("order", [0, 1, 4, 12])
def test_kernel_is_its_twin(order, n_classes):
    X, y = clusters(200, n_classes)
    w = np.random.default_rng(1).choice([0.5, 1.0, 4.0], len(X))
    settings = {"n_members": 10, "window": 40, "order": order}
    slow = CoordinateTwin(n_classes, **settings)
    fast = OnlineCoordinateBoost(**settings).begin(2, range(n_classes))
    expected = [slow.learn(*row) for row in zip(X, y, w, strict=True)]
    np.testing.assert_allclose(fast.test_then_train(X, y, sample_weight=w), expected, atol=1e-9)
    np.testing.assert_allclose(fast.weights_, slow.alpha, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_two_members_have_the_weights_of_adaboost_on_all_rows(n_classes):
    X, y = clusters(3000, n_classes, seed=5)
    learner = OnlineCoordinateBoost(n_members=2, window=50, order=1).begin(2, range(n_classes))
    for start, stop in ((0, 200), (200, 1000), (1000, 3000)):
        learner.test_then_train(X[start:stop], y[start:stop])
        right = answers(learner, X[:stop], y[:stop])
        np.testing.assert_allclose(learner.weights_, exact_alphas(right, np.ones(stop), n_classes), atol=1e-9)


def test_weights_follow_adaboost_more_closely_than_sums_that_are_left_as_they_were():
    gaps = {0: [], 1: [], 5: []}
    for seed in range(5):
        X, y = next(SEA(3000, thresholds=[8], noise=0.1, seed=seed).blocks(3000))
        for order, found in gaps.items():
            learner = OnlineCoordinateBoost(n_members=10, window=100, order=order).begin(3, [0, 1])
            learner.test_then_train(X, y)
            exact = exact_alphas(answers(learner, X, y), np.ones(len(X)))
            found.append(np.abs(learner.weights_ - exact).mean())
    assert np.mean(gaps[1]) < 0.8 * np.mean(gaps[0])
    assert np.mean(gaps[5]) < 0.5 * np.mean(gaps[0])


def test_it_starts_as_adaboost():
    X, y = clusters(100)
    learner = OnlineCoordinateBoost(n_members=15, window=100).begin(2, [0, 1])
    batch = AdaBoostWindow(n_members=15, window=100, retrain="always").begin(2, [0, 1])
    learner.test_then_train(X, y)
    batch.test_then_train(X, y)
    np.testing.assert_array_equal(learner.predict_proba_block(X), batch.predict_proba_block(X))
    assert len(learner.window_["y"]) == 0 and learner.loss_ == 0


def test_members_stay_and_only_their_weights_move():
    X, y = clusters(1000)
    learner = OnlineCoordinateBoost(n_members=8, window=60).begin(2, [0, 1])
    learner.test_then_train(X[:60], y[:60])
    stumps, weights = learner.stumps_, learner.weights_
    learner.test_then_train(X[60:], 1 - y[60:])
    for name, values in stumps.items():
        np.testing.assert_array_equal(learner.stumps_[name], values)
    assert weights[0] > 0 > learner.weights_[0]


def test_first_rows_of_one_class_give_a_sane_answer():
    X, y = clusters(200)
    learner = OnlineCoordinateBoost(n_members=5, window=20).begin(2, ["a", "b"])
    learner.test_then_train(X[:30], ["a"] * 30)
    assert learner.predict(X[:30]).tolist() == ["a"] * 30
    p = learner.test_then_train(X, np.array(["a", "b"])[y])
    assert np.isfinite(p).all()


def test_members_that_are_no_good_are_trained_again():
    X = np.ones((60, 2))
    y = np.arange(60) % 2
    learner = OnlineCoordinateBoost(n_members=5, window=20).begin(2, [0, 1])
    p = learner.test_then_train(X, y)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert len(learner.weights_) == 0 and len(learner.window_["y"]) == 20
    learner.test_then_train(*clusters(60))
    assert len(learner.weights_) > 0 and len(learner.window_["y"]) == 0


def test_members_may_be_learners():
    X, y = clusters(800, 3, seed=9)
    learner = OnlineCoordinateBoost(NaiveBayes(), n_members=5, window=100).begin(2, [0, 1, 2])
    p = learner.test_then_train(X, y)
    assert (p.argmax(axis=1) == y)[200:].mean() > 0.6


@pytest.mark.parametrize(("settings", "message"), [
    ({"window": 1}, "window must be a whole number of at least 2"), ({"order": -1}, "order"),
    ({"order": 101}, "order"), ({"n_members": 0}, "n_members"), ({"member": 3}, "member must be a learner"),
    ({"n_members": 10_000, "window": 1_000_000}, "n_members must be at most 400"),
])
def test_wrong_parameters_are_refused(settings, message):
    with pytest.raises(ParameterError, match=message):
        OnlineCoordinateBoost(**settings).begin(2, [0, 1])


@pytest.mark.parametrize("window", [40, 4000])
@pytest.mark.parametrize("weight", [1e9, -1e9, 1000.0, -10.0, np.nan, np.inf])
def test_weights_that_no_sums_have_are_refused(window, weight):
    X, y = clusters(200)
    learner = OnlineCoordinateBoost(n_members=5, window=window).begin(2, [0, 1])
    learner.test_then_train(X, y)
    before = learner.state()
    state = before | {"memory": before["memory"] | {"alpha": np.full(5, weight)}}
    with pytest.raises(StateError, match="'alpha'"):
        learner.restore(state)
    with pytest.raises(StateError, match="'alpha'"):
        OnlineCoordinateBoost().restore(state)
    np.testing.assert_array_equal(learner.state()["memory"]["alpha"], before["memory"]["alpha"])
