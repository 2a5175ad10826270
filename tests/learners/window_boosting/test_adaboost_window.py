"""AdaBoost on a window: its twin, scikit-learn's, the weights of members that are learners."""

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from support.cluster_rows import clusters, training, weighted_clouds
from twins.learners.window_boosting import adaboost_window as twin

from thalweg.learners import AdaBoostWindow, DecisionTree, NaiveBayes
from thalweg.streams import SEA


@pytest.mark.parametrize(("n_features", "n_classes"), [(3, 2), (5, 4)])
@pytest.mark.parametrize("member", [None, NaiveBayes()], ids=["stumps", "NaiveBayes"])
@pytest.mark.parametrize(("period", "retrain"), [(1, "errors"), (5, "errors"), (3, "always")])
def test_kernel_is_its_twin(period, retrain, member, n_features, n_classes):
    X, y, w = weighted_clouds(100, n_features, n_classes)
    settings = {"n_members": 6, "window": 30, "period": period, "retrain": retrain}
    slow = twin.AdaBoostWindow(n_classes, **settings, train=training(member, n_features, n_classes))
    fast = AdaBoostWindow(member, **settings).begin(n_features, range(n_classes))
    expected = [slow.learn(*row) for row in zip(X, y, w, strict=True)]
    np.testing.assert_allclose(fast.test_then_train(X, y, sample_weight=w), expected, rtol=0, atol=1e-12)
    here = [m is not None for m in slow.members]
    np.testing.assert_allclose(fast.weights_, slow.alpha[here], rtol=1e-12)
    assert len(fast.weights_) > 1


def test_it_is_scikit_learns():
    X, y = clusters(60, seed=2)
    ours = AdaBoostWindow(n_members=10, window=60, retrain="always").begin(2, [0, 1])
    ours.test_then_train(X, y)
    theirs = AdaBoostClassifier(n_estimators=10, random_state=0).fit(X, y)
    weights = theirs.estimator_weights_ / 2
    assert ours.weights_[0] == pytest.approx(weights[0], rel=1e-6)
    agree = (ours.predict_proba_block(X).argmax(axis=1) == theirs.predict(X)).mean()
    assert agree >= 0.9


def test_accuracy_on_sea_is_the_specified_one():
    X, y = next(SEA(25_000, period=6250, noise=0, seed=77).blocks(25_000))
    p = AdaBoostWindow().begin(3, [0, 1]).test_then_train(X, y)
    assert 100 * (p.argmax(axis=1) == y).mean() == pytest.approx(95.0, abs=1.2)


def test_trees_are_grown_on_the_whole_window_at_once():
    X, y = clusters(150, seed=6)
    learner = AdaBoostWindow(DecisionTree(4), n_members=2, window=100, retrain="always").begin(2, [0, 1])
    learner.test_then_train(X, y)
    first, second = learner.members_
    trees = [DecisionTree(4).fit(X[50:], y[50:])]
    wrong = trees[0].predict(X[50:]) != y[50:]
    odds = (1 - wrong.mean()) / wrong.mean()
    w = np.where(wrong, odds, 1.0)
    trees.append(DecisionTree(4).fit(X[50:], y[50:], w * 100 / w.sum()))
    for member, tree in zip((first, second), trees, strict=True):
        for name in ("feature", "threshold", "weights"):
            np.testing.assert_allclose(member.nodes_[name], tree.nodes_[name], rtol=1e-9, err_msg=name)


def test_forgetting_all_rows_leaves_it_as_it_is():
    X, y = clusters(100)
    learner = AdaBoostWindow(n_members=10, window=30).begin(2, [0, 1])
    learner.test_then_train(X, y)
    p = learner.predict_proba_block(X)
    learner.forget(range(30))
    np.testing.assert_array_equal(learner.predict_proba_block(X), p)
    learner.test_then_train(X, y)
    assert len(learner.window_["y"]) == 30


def test_one_class_gives_a_sane_answer():
    X, y = clusters(100)
    learner = AdaBoostWindow().begin(2, ["a", "b"])
    learner.test_then_train(X[:50], ["a"] * 50)
    assert learner.predict(X).tolist() == ["a"] * 100
    p = learner.test_then_train(X, np.array(["a", "b"])[y])
    assert np.isfinite(p).all() and set(learner.predict(X)) == {"a", "b"}
