"""The fast and light classifier: its twin, and what it does at a change."""

import numpy as np
import pytest
from sklearn.base import clone
from twins._native.rng import key_of
from twins.learners.ensembles.fast_light_classifier import FastLightTwin

from thalweg.drift import ADWIN
from thalweg.errors import ParameterError
from thalweg.learners import FastLightClassifier, HoeffdingTree, NaiveBayes, OnlineBoost

MEMBERS = [NaiveBayes(), HoeffdingTree(grace_period=50)]


def rows(n, n_classes=2, seed=1, distance=2.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    return rng.normal(size=(n, 2)) + distance * np.column_stack([y == 0, y == 1]), y


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: type(member).__name__)
def test_kernel_is_its_twin(member, n_classes):
    X, y = rows(900, n_classes)
    y[500:] = (y[500:] + 1) % n_classes
    w = np.random.default_rng(2).choice([0.5, 1.0, 3.0], 900)
    learner = FastLightClassifier(member, 5, delta=0.05, random_state=4).begin(2, range(n_classes))
    members = [clone(each).begin(2, range(n_classes)) for each in learner.members_]
    twin = FastLightTwin(members, n_classes, key_of(4), ADWIN(delta=0.05, period=1))
    p = learner.test_then_train(X, y, sample_weight=w)
    for i in range(len(X)):
        np.testing.assert_allclose(p[i], twin.predict(X[i]), rtol=0, atol=1e-12, err_msg=f"row {i}")
        twin.learn(X[i], y[i], w[i])
    assert learner.n_changes_ == len(twin.changes) > 2
    np.testing.assert_array_equal(learner.history_["event_row"], twin.changes)
    assert set(learner.history_["event"]) == {"changed"}


def test_a_row_at_a_change_is_learned_many_times():
    X, y = rows(2000)
    y[1000:] = 1 - y[1000:]
    learner = FastLightClassifier(NaiveBayes(), 3).begin(2, [0, 1])
    learner.test_then_train(X, y)
    first = learner.history_["event_row"][0]
    assert 1000 < first < 1100
    before = FastLightClassifier(NaiveBayes(), 3).begin(2, [0, 1])
    before.test_then_train(X[:first], y[:first])
    right, wrong = (before._kernel.arrays[name].copy() for name in ("right", "wrong"))
    before.test_then_train(X[first : first + 1], y[first : first + 1])
    added = before._kernel.arrays["right"] + before._kernel.arrays["wrong"] - right - wrong
    np.testing.assert_allclose(added, right / wrong)
    assert added[0] > 5


def test_without_a_change_it_learns_as_online_boosting_does():
    X, y = rows(3000, distance=3.0)
    quiet = FastLightClassifier(NaiveBayes(), delta=1e-12).begin(2, [0, 1])
    plain = OnlineBoost(NaiveBayes()).begin(2, [0, 1])
    p, q = quiet.test_then_train(X, y), plain.test_then_train(X, y)
    assert quiet.n_changes_ == 0
    assert abs((p.argmax(axis=1) == y).mean() - (q.argmax(axis=1) == y).mean()) < 0.005


@pytest.mark.parametrize(("settings", "message"), [
    ({"n_members": 0}, "n_members"), ({"delta": 0}, "delta"), ({"member": 3}, "member must be a learner"),
])
def test_wrong_parameters_are_refused(settings, message):
    with pytest.raises(ParameterError, match=message):
        FastLightClassifier(**settings).begin(2, [0, 1])
