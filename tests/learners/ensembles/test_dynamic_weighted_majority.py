"""Dynamic weighted majority is its twin, one member where none is added, and never too many."""

import numpy as np
import pytest
from sklearn.base import clone
from support.counting import Counting
from support.ensemble_rows import bayes, begun, drifting_rows, events_of, moving_clouds
from twins.learners.ensembles.dynamic_weighted_majority import MajorityTwin

from thalweg.learners import DynamicWeightedMajority, HoeffdingTree, MajorityClass, NaiveBayes

LEARNERS = {
    "every row": DynamicWeightedMajority(period=1),
    "rarely": DynamicWeightedMajority(period=7, beta=0.7, theta=0.1, reduce="period"),
    "as in the paper of 2007": DynamicWeightedMajority(period=5, beta=0.5, reduce="period"),
    "little room": DynamicWeightedMajority(period=1, theta=1e-9, max_members=4),
    "two learners": DynamicWeightedMajority([NaiveBayes(), HoeffdingTree(grace_period=20)], period=5),
    "as in the paper on IBoost": DynamicWeightedMajority(period=5, reduce="always", window=30),
    "window, two learners": DynamicWeightedMajority([NaiveBayes(), HoeffdingTree()], period=3, window=11),
}
SETTINGS = ("period", "beta", "theta", "max_members", "reduce", "window")


@pytest.mark.parametrize(("n_features", "n_classes"), [(3, 2), (5, 4)])
@pytest.mark.parametrize("name", LEARNERS)
def test_kernel_is_its_twin(name, n_features, n_classes):
    learner = clone(LEARNERS[name]).begin(n_features, range(n_classes))
    X, y, w = moving_clouds(500, n_features, n_classes)
    members = learner.member if isinstance(learner.member, list) else [NaiveBayes()]
    builders = [lambda each=each: clone(each).begin(n_features, range(n_classes)) for each in members]
    settings = {key: getattr(learner, key) for key in SETTINGS}
    slow = MajorityTwin(builders, n_classes, **settings)
    np.testing.assert_allclose(
        learner.test_then_train(X, y, sample_weight=w), slow.run(X, y, w), rtol=0, atol=1e-12
    )
    np.testing.assert_allclose(learner.weights_, slow.weights, rtol=1e-12)
    events = events_of(learner, "event_row", "event_member", "event")
    assert events == slow.events[-len(events) :]
    assert {"came", "went"} <= set(learner.history_["event"])


def test_one_member_that_never_loses_its_vote_is_the_member():
    X, y = drifting_rows()
    alone = bayes().test_then_train(X, y).argmax(axis=1)
    lone = begun(DynamicWeightedMajority(NaiveBayes(), period=10**9)).test_then_train(X, y)
    np.testing.assert_array_equal(lone.argmax(axis=1), alone)


def test_when_there_is_no_room_the_lightest_member_goes():
    X, y = drifting_rows(600)
    y = np.random.default_rng(3).integers(0, 2, len(y))
    learner = begun(DynamicWeightedMajority(period=1, theta=1e-9, max_members=4))
    learner.test_then_train(X, y)
    assert len(learner.members_) == len(learner.weights_) <= 4
    assert learner.weights_.max() == 1.0


def test_room_for_one_member_is_refused():
    with pytest.raises(ValueError, match="max_members must be a whole number of at least 2"):
        begun(DynamicWeightedMajority(max_members=1))


def test_a_new_member_knows_the_window():
    X, y = drifting_rows(600)
    settings = {"period": 50, "theta": 1e-9, "beta": 0.9}
    learner = begun(DynamicWeightedMajority(window=40, **settings))
    learner.test_then_train(X, y)
    came = events_of(learner, "event_row", "event_member", "event")
    row, member, _ = next(event for event in came if event[2] == "came")
    alone = bayes()
    alone.test_then_train(X[row - 40 : row + 1], y[row - 40 : row + 1])
    learner = begun(DynamicWeightedMajority(window=40, **settings))
    learner.test_then_train(X[: row + 1], y[: row + 1])
    found = learner.members_[member].predict_proba_block(X)
    np.testing.assert_allclose(found, alone.predict_proba_block(X), rtol=1e-12)


def test_weights_fall_after_every_row_if_told():
    X, y = drifting_rows(100)
    members = [NaiveBayes(), MajorityClass()]
    learner = begun(DynamicWeightedMajority(members, period=10**9, reduce="always"))
    rarely = begun(DynamicWeightedMajority(members, period=10**9, reduce="period"))
    learner.test_then_train(X, y)
    rarely.test_then_train(X, y)
    assert learner.weights_.min() < 1 and rarely.weights_.tolist() == [1, 1]


class FailsOnce(Counting):
    """Fails with an error of `kind` on the first row that a fresh member learns, once."""

    kind = None

    def _learn(self, X, y, w, p):
        if FailsOnce.kind is not None and self._counts.sum() == 0:
            kind, FailsOnce.kind = FailsOnce.kind, None
            raise kind("once")
        super()._learn(X, y, w, p)


@pytest.mark.parametrize(("kind", "n_members"), [(ValueError, 1), (KeyboardInterrupt, 2)])
def test_training_on_the_window_that_fails_leaves_the_members_whole(kind, n_members):
    # An error costs the fresh member; what Ctrl-C raises in it does not, and no row is lost either way.
    X, y = np.zeros((20, 3)), np.array([0] * 19 + [1])
    learner = begun(DynamicWeightedMajority(FailsOnce(), period=20, window=10))
    learner.test_then_train(X[:19], y[:19])
    FailsOnce.kind = kind
    with pytest.raises(kind, match="once"):
        learner.test_then_train(X[19:], y[19:])
    counts = [member._counts.tolist() for member in learner.members_]
    assert counts == [[19, 1], [10, 1]][:n_members] and len(learner.weights_) == n_members
    learner.test_then_train(X, y)
