"""Online non-stationary boosting: its twin, which members go, and what that is good for."""

import numpy as np
import pytest
from sklearn.base import clone
from twins._native.rng import key_of
from twins.learners.ensembles.nonstationary_online_boost import NonstationaryTwin

from thalweg.errors import ParameterError
from thalweg.learners import HoeffdingTree, NaiveBayes, NonstationaryOnlineBoost, OnlineBoost
from thalweg.streams import SEA


def rows(n, n_classes=2, seed=1, distance=1.5):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    return rng.normal(size=(n, 2)) + distance * np.column_stack([y == 0, y == 1]), y


def flipped(n, seed=1):
    X, y = rows(n, seed=seed)
    y[n // 2 :] = 1 - y[n // 2 :]
    return X, y


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("member", [NaiveBayes(), HoeffdingTree(grace_period=30)], ids=["bayes", "tree"])
def test_kernel_is_its_twin(member, n_classes):
    X, y = rows(400, n_classes)
    y[200:] = (y[200:] + 1) % n_classes
    w = np.random.default_rng(2).choice([0.5, 1.0, 3.0], 400)
    settings = {"window": 30, "period": 5, "min_rows": 20}
    learner = NonstationaryOnlineBoost(member, 4, **settings, random_state=4).begin(2, range(n_classes))

    def build(slot):
        return clone(member).begin(2, range(n_classes))

    twin = NonstationaryTwin([build(m) for m in range(4)], n_classes, key_of(4), 30, 5, 20, build)
    p = learner.test_then_train(X, y, sample_weight=w)
    for i in range(len(X)):
        np.testing.assert_allclose(p[i], twin.predict(X[i]), rtol=0, atol=1e-12, err_msg=f"row {i}")
        twin.learn(X[i], y[i], w[i])
    history = learner.history_
    found = list(zip(history["event_row"].tolist(), history["event_member"].tolist(), strict=True))
    assert found == twin.replaced
    assert learner.n_replaced_ == len(found) > 5


def test_nobody_goes_before_it_has_had_enough_rows():
    X, y = flipped(600)
    patient = NonstationaryOnlineBoost(NaiveBayes(), min_rows=601).begin(2, [0, 1])
    patient.test_then_train(X, y)
    assert patient.n_replaced_ == 0
    learner = NonstationaryOnlineBoost(NaiveBayes(), n_members=3, min_rows=50).begin(2, [0, 1])
    learner.test_then_train(X, y)
    for m in range(3):
        history = learner.history_
        replaced = history["event_row"][history["event_member"] == m]
        assert (np.diff(np.append(-1, replaced)) >= 50).all()


def test_at_most_one_member_goes_in_a_period():
    X, y = flipped(3000)
    learner = NonstationaryOnlineBoost(NaiveBayes(), period=25, min_rows=10).begin(2, [0, 1])
    learner.test_then_train(X, y)
    events = learner.history_["event_row"]
    assert len(events) > 3
    assert ((events + 1) % 25 == 0).all() and len(set(events.tolist())) == len(events)


def test_it_recovers_where_online_boosting_does_not():
    X, y = flipped(6000)
    after = {}
    for kind in (NonstationaryOnlineBoost, OnlineBoost):
        p = kind(NaiveBayes()).begin(2, [0, 1]).test_then_train(X, y)
        after[kind] = (p.argmax(axis=1) == y)[3000:].mean()
    assert after[NonstationaryOnlineBoost] > after[OnlineBoost] + 0.05


def test_a_single_member_stays():
    X, y = flipped(1000)
    learner = NonstationaryOnlineBoost(NaiveBayes(), n_members=1).begin(2, [0, 1])
    learner.test_then_train(X, y)
    assert learner.n_replaced_ == 0


def test_accuracy_on_sea_is_the_papers():
    X, y = next(SEA(20_000, period=5000, noise=0, seed=78).blocks(20_000))
    p = NonstationaryOnlineBoost(NaiveBayes(), n_members=50).begin(3, [0, 1]).test_then_train(X, y)
    assert 100 * (p.argmax(axis=1) == y).mean() == pytest.approx(96.9, abs=1)


@pytest.mark.parametrize(("settings", "message"), [
    ({"window": 1}, "window must be a whole number of at least 2"), ({"period": 0}, "period"),
    ({"min_rows": 0}, "min_rows"), ({"n_members": 0}, "n_members"),
    ({"member": 3}, "member must be a learner"),
])
def test_wrong_parameters_are_refused(settings, message):
    with pytest.raises(ParameterError, match=message):
        NonstationaryOnlineBoost(**settings).begin(2, [0, 1])
