"""Fast and light boosting: its twin, chunks, weights, change, bad input."""

import numpy as np
import pytest
from sklearn.base import clone
from twins.learners.chunk_ensembles.fast_light_boost import FastLightBoostTwin

from thalweg.errors import ParameterError
from thalweg.learners import DecisionTree, FastLightBoost, NaiveBayes, NoChange
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.streams import SEA


def rows(n, seed=0):
    return next(SEA(n, thresholds=[8], noise=0, seed=seed).blocks(n))


def events(learner):
    return learner.history_["event_row"], learner.history_["event"]


def members(learner):
    return learner.history_["event_member"], learner.history_["event"]


@pytest.mark.parametrize("member", [NaiveBayes(), DecisionTree(max_leaves=3)], ids=["bayes", "tree"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_kernel_is_its_twin(member, n_classes):
    rng = np.random.default_rng(1)
    y = rng.integers(0, n_classes, 700)
    X = rng.normal(size=(700, 2)) + 1.5 * np.column_stack([y == 0, y == 1])
    y[400:] = (y[400:] + 1) % n_classes
    w = rng.choice([0.5, 1.0, 4.0], 700)
    settings = {"n_members": 6, "chunk_size": 50, "n_rounds": 2, "threshold": 2.0}
    learner = FastLightBoost(member, **settings).begin(2, range(n_classes))
    twin = FastLightBoostTwin(n_classes, **settings, build=lambda: clone(member).begin(2, range(n_classes)))
    p = learner.test_then_train(X, y, sample_weight=w)
    for i in range(len(X)):
        np.testing.assert_allclose(p[i], twin.predict(X[i]), atol=1e-10, err_msg=f"row {i}")
        twin.learn(X[i], y[i], w[i])
    assert learner.n_changes_ == twin.n_changes > 0
    assert len(learner.members_) == len(twin.members) == 6


def test_one_chunk_trains_one_member_on_equal_weights():
    X, y = rows(200)
    learner = FastLightBoost(chunk_size=200).begin(3, [0, 1])
    learner.test_then_train(X, y)
    tree = DecisionTree(max_leaves=8, window=200).fit(X, y)
    np.testing.assert_allclose(learner.predict_block(X), tree.predict_block(X), atol=1e-9)


def test_nothing_is_learned_within_a_chunk_unless_it_is_flushed():
    X, y = rows(500)
    learner = FastLightBoost(chunk_size=200).begin(3, [0, 1])
    learner.test_then_train(X[:400], y[:400])
    before = learner.predict_block(X)
    learner.test_then_train(X[400:], y[400:])
    np.testing.assert_array_equal(learner.predict_block(X), before)
    assert len(learner.members_) == 2
    learner.flush()
    assert len(learner.members_) == 3
    learner.flush()
    assert len(learner.members_) == 3


def test_the_oldest_makes_room():
    X, y = rows(2000)
    learner = FastLightBoost(n_members=3, chunk_size=100, threshold=100.0).begin(3, [0, 1])
    learner.test_then_train(X, y)
    went = [row for row, event in zip(*events(learner), strict=True) if event == "went"]
    assert went == list(range(400, 2001, 100)) and learner.n_replaced_ == 17
    went = [m for m, event in zip(*members(learner), strict=True) if event == "went"]
    assert went == [0, 1, 2] * 5 + [0, 1]


def test_all_members_go_after_a_change():
    X, y = rows(2400)
    y[2000:] = 1 - y[2000:]
    learner = FastLightBoost(chunk_size=200).begin(3, [0, 1])
    learner.test_then_train(X[:2000], y[:2000])
    assert len(learner.members_) == 10
    learner.test_then_train(X[2000:2200], y[2000:2200])
    assert len(learner.members_) == 1 and learner.n_changes_ == 1
    p = learner.test_then_train(X[2200:], y[2200:])
    assert (p.argmax(axis=1) == y[2200:]).mean() > 0.8


class Rule(StreamClassifier):
    """Answers with its input, whatever it learns: its accuracy on a chunk is binomial."""

    def _begin(self, n_features, n_classes):
        pass

    def _learn(self, X, y, w, p):
        self._predict(X, p)

    def _predict(self, X, p):
        p[:] = np.column_stack([1 - X[:, 0], X[:, 0]])


def test_false_alarms_are_as_rare_as_stated():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 40_000)
    X = (y ^ (rng.random(40_000) < 0.2)).astype(float)[:, None]
    learner = FastLightBoost(Rule(), n_members=1, chunk_size=40).begin(1, [0, 1])
    learner.test_then_train(X, y)
    assert 0.004 < learner.n_changes_ / 1000 < 0.025


def test_members_may_not_ignore_weights():
    with pytest.raises(ParameterError, match=r"member must be a learner that uses the weights.*NoChange\(\)"):
        FastLightBoost(NoChange()).begin(3, [0, 1])


@pytest.mark.parametrize(("settings", "message"), [
    ({"chunk_size": 1}, "chunk_size must be a whole number of at least 2"), ({"n_rounds": 0}, "n_rounds"),
    ({"n_members": 5, "n_rounds": 6}, "n_rounds must be .* at most 5"),
    ({"threshold": 0}, "threshold"), ({"member": 3}, "member must be a learner"),
    ({"n_members": 0}, "n_members"),
])
def test_wrong_parameters_are_refused(settings, message):
    with pytest.raises(ParameterError, match=message):
        FastLightBoost(**settings).begin(3, [0, 1])
