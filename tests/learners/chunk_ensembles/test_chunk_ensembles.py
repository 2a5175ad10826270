"""Chunk ensembles: their twins, what their papers say, members of any kind, failures as a chunk ends."""

import numpy as np
import pytest
from counting import Counting
from ensemble_rows import turning
from twins.learners.chunk_ensembles import chunk_ensembles as twins

from thalweg.checks.rows import assert_proper
from thalweg.errors import ParameterError
from thalweg.learners import (
    AccuracyWeightedEnsemble,
    DecisionTree,
    LearnPPNSE,
    NaiveBayes,
    SEAEnsemble,
)
from thalweg.streams import LED, SEA, Sphere

ALL = (SEAEnsemble, AccuracyWeightedEnsemble, LearnPPNSE)
SETTINGS = [
    (SEAEnsemble, {}),
    (SEAEnsemble, {"replacement": "oldest"}),
    (AccuracyWeightedEnsemble, {"folds": 4}),
    (AccuracyWeightedEnsemble, {"replacement": "oldest"}),
    (AccuracyWeightedEnsemble, {"holdout": 0.4}),
    (LearnPPNSE, {"slope": 1.0, "shift": 2.0}),
    (LearnPPNSE, {"prune": "error"}),
]


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize(("kind", "settings"), SETTINGS)
def test_kernel_is_its_twin(kind, settings, n_classes):
    X, y, w = turning(900, n_classes)
    fast = kind(n_members=4, block_size=60, **settings).begin(2, list(range(n_classes)))
    if "holdout" in settings:
        settings = {"n_held_out": 24}
    slow = getattr(twins, kind.__name__)(n_classes, 4, 60, **settings)
    p = fast.test_then_train(X, y, w)
    np.testing.assert_allclose(p, slow.run(X, y, w), atol=1e-12)
    np.testing.assert_allclose(fast.weights_, slow.weights, rtol=1e-10)
    assert fast.n_blocks_ == 15


@pytest.mark.parametrize(("kind", "settings"), [(SEAEnsemble, {"replacement": "oldest"}), (LearnPPNSE, {})])
def test_one_member_is_the_member_of_the_last_chunk(kind, settings):
    X, y = next(Sphere(1200, seed=2).blocks(1200))
    ensemble = kind(n_members=1, block_size=300, **settings).fit(X, y)
    alone = DecisionTree(max_leaves=32, window=300).fit(X[900:], y[900:])
    assert np.array_equal(ensemble.predict(X), alone.predict(X))


def test_sea_lets_a_member_vote_only_after_the_chunk_that_follows_its_own():
    X, y = next(SEA(2000, seed=1).blocks(2000))
    learner = SEAEnsemble(block_size=200).begin(3, [0, 1])
    counts = []
    for start in range(0, 2000, 200):
        learner.test_then_train(X[start : start + 200], y[start : start + 200])
        counts.append(len(learner.members_))
    assert counts == [1, 1, 2, 3, 4, 5, 6, 7, 8, 9]


def test_sea_replaces_members_that_do_harm():
    X, y = next(SEA(6000, noise=0, seed=1).blocks(6000))
    y[1000:2000] = 1 - y[1000:2000]
    learner = SEAEnsemble(n_members=5, block_size=200).begin(3, [0, 1])
    learner.test_then_train(X[:2000], y[:2000])
    late = learner.test_then_train(X[2000:], y[2000:])[2000:]
    assert (late.argmax(axis=1) == y[4000:]).mean() > 0.95
    assert learner.n_replaced_ > 3


def test_awe_gives_members_of_another_concept_no_weight_until_it_returns():
    X, y = next(SEA(4000, noise=0, seed=1).blocks(4000))
    y[1000:2000] = 1 - y[1000:2000]
    learner = AccuracyWeightedEnsemble(n_members=10, block_size=500).begin(3, [0, 1])
    learner.test_then_train(X[:2000], y[:2000])
    assert (learner.weights_[:2] == 0).all() and (learner.weights_[2:] > 0.1).all()
    learner.test_then_train(X[2000:2500], y[2000:2500])
    assert (learner.weights_[:2] > 0.1).all() and (learner.weights_[2:4] == 0).all()


def test_awe_weighs_a_perfect_member_as_much_as_chance_errs():
    X = np.linspace(0, 1, 400)[:, None]
    y = (X[:, 0] > 0.5).astype(int)
    member = DecisionTree(max_leaves=2, laplace=0.0, window=1)
    learner = AccuracyWeightedEnsemble(member, block_size=400, holdout=0.25).begin(1, [0, 1])
    learner.test_then_train(np.random.default_rng(1).permutation(X), np.zeros(400, dtype=int))
    assert learner.weights_.tolist() == [1.0]  # one class: chance is never wrong, and all speak equally
    order = np.random.default_rng(2).permutation(400)
    learner.test_then_train(X[order], y[order])
    assert learner.weights_[1] == pytest.approx(0.25, abs=0.02)


def test_learn_nse_weighs_as_the_formulas_say():
    X, y, w = turning(60, 2)
    learner = LearnPPNSE(block_size=60).begin(2, [0, 1])
    learner.test_then_train(X, y, w)
    wrong = learner.members_[0].predict_block(X).argmax(axis=1) != y
    error = max(w[wrong].sum() / w.sum(), 0.01)
    assert learner.weights_[0] == pytest.approx(np.log((1 - error) / error))


def test_learn_nse_remembers_a_concept_that_returns():
    stream = SEA(6000, noise=0, seed=1)
    X, y = next(stream.blocks(6000))
    y[2000:4000] = 1 - y[2000:4000]
    learner = LearnPPNSE(block_size=250).begin(3, [0, 1])
    learner.test_then_train(X[:4000], y[:4000])
    before = learner.weights_[:8].sum() / learner.weights_.sum()
    learner.test_then_train(X[4000:], y[4000:])
    assert learner.weights_[:8].sum() / learner.weights_.sum() > 4 * before


@pytest.mark.parametrize("kind", ALL)
def test_flush_ends_the_chunk_with_the_rows_there_are(kind):
    X, y = next(Sphere(1500, seed=2).blocks(1500))
    learner = kind(block_size=1000).begin(3, [0, 1])
    learner.test_then_train(X, y)
    assert learner.n_blocks_ == 1
    learner.flush()
    assert learner.n_blocks_ == 2
    learner.flush()
    assert learner.n_blocks_ == 2


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("member", [NaiveBayes(), Counting()], ids=["native", "Python"])
def test_members_may_be_any_learner(kind, member):
    X, y = next(LED(900, seed=1).blocks(900))
    learner = kind(member, n_members=3, block_size=100).begin(X.shape[1], list(range(10)))
    p = learner.test_then_train(X, y)
    assert_proper(p)
    assert type(learner.members_[0]) is type(member)
    assert np.array_equal(learner.copy().predict_block(X), learner.predict_block(X))


class FailsOnce(Counting):
    """Fails in its fit or its predictions, as often as `left` says."""

    def __init__(self, where="fit", error=ValueError):
        self.where, self.error = where, error

    left = 0

    def _fail(self, where):
        if self.where == where and FailsOnce.left:
            FailsOnce.left -= 1
            raise self.error("as a test asked for")

    def _fit_block(self, X, y, w):
        self._fail("fit")
        super()._fit_block(X, y, w)

    def _predict(self, X, p):
        if len(X) == 1 and self._counts.sum() == 100:
            self._fail("predict")
        super()._predict(X, p)


class Interrupt(BaseException):
    """What Ctrl-C raises is no Exception, nor is this."""


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("where", ["fit", "predict"])
def test_an_interrupt_at_the_end_of_a_chunk_puts_it_off(kind, where):
    X, y = next(Sphere(1000, seed=2).blocks(1000))
    settings = {"n_members": 3, "block_size": 100}
    FailsOnce.left = 0
    whole = kind(FailsOnce(where, Interrupt), **settings).begin(3, [0, 1])
    whole.test_then_train(X, y)
    other, start = kind(FailsOnce(where, Interrupt), **settings).begin(3, [0, 1]), 0
    other.test_then_train(X[:395], y[:395])
    start, FailsOnce.left = 395, 1
    try:
        other._learn(X[395:], y[395:], np.ones(605), np.empty((605, 2)))
        pytest.fail("no interrupt")
    except Interrupt as error:
        start += error.rows_learned
    assert start == 400 or where == "predict"
    other.test_then_train(X[start:], y[start:])
    assert FailsOnce.left == 0
    assert np.array_equal(other.weights_, whole.weights_) and other.n_blocks_ == whole.n_blocks_ == 10


@pytest.mark.parametrize("kind", ALL)
def test_a_failing_fit_costs_a_chunk_and_no_more(kind):
    X, y = next(Sphere(1000, seed=2).blocks(1000))
    learner = kind(FailsOnce(), n_members=3, block_size=100).begin(3, [0, 1])
    learner.test_then_train(X[:300], y[:300])
    FailsOnce.left = 1
    with pytest.raises(ValueError, match="as a test asked for") as caught:
        learner.test_then_train(X[300:], y[300:])
    assert caught.value.rows_learned == 100
    learner.test_then_train(X[400:], y[400:])
    assert learner.n_blocks_ == 9


@pytest.mark.parametrize(("learner", "message"), [
    (SEAEnsemble(replacement="newest"), "replacement must be one of 'quality', 'oldest'"),
    (SEAEnsemble(block_size=1), "block_size must be a whole number of at least 2"),
    (AccuracyWeightedEnsemble(n_members=0), "n_members must be a whole number of at least 1"),
    (AccuracyWeightedEnsemble(folds=1), "folds must be a whole number of at least 2"),
    (AccuracyWeightedEnsemble(holdout=1.0), "holdout must be a number above 0 and below 1"),
    (LearnPPNSE(prune="none"), "prune must be one of 'age', 'error'"),
    (LearnPPNSE(slope=-1), "slope must be a number at least 0"),
])
def test_wrong_parameters_are_named(learner, message):
    with pytest.raises(ParameterError, match=message):
        learner.begin(3, [0, 1])
