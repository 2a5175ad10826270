"""Chunk ensembles: members of any kind, and failures as a chunk ends."""

import pickle
from functools import partial

import numpy as np
import pytest
from support.counting import Counting

from thalweg.checks.rows import assert_proper
from thalweg.learners import (
    AccuracyWeightedEnsemble,
    LearnPPNSE,
    NaiveBayes,
    RobustEnsemble,
    SEAEnsemble,
)
from thalweg.streams import LED, Sphere

ALL = (
    SEAEnsemble,
    AccuracyWeightedEnsemble,
    LearnPPNSE,
    RobustEnsemble,
    pytest.param(partial(RobustEnsemble, holdout=0.5), id="robust-on-halves"),
)


@pytest.mark.parametrize("kind", ALL)
def test_flush_ends_the_block_with_the_rows_there_are(kind):
    X, y = next(Sphere(1500, seed=2).blocks(1500))
    learner = kind(chunk_size=1000).begin(3, [0, 1])
    learner.test_then_train(X, y)
    assert learner.n_chunks_ == 1
    learner.flush()
    assert learner.n_chunks_ == 2
    learner.flush()
    assert learner.n_chunks_ == 2


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("member", [NaiveBayes(), Counting()], ids=["native", "Python"])
def test_members_may_be_any_learner(kind, member):
    X, y = next(LED(900, seed=1).blocks(900))
    learner = kind(member, n_members=3, chunk_size=100).begin(X.shape[1], list(range(10)))
    p = learner.test_then_train(X, y)
    assert_proper(p)
    assert type(learner.members_[0]) is type(member)
    assert np.array_equal(learner.copy().predict_proba_block(X), learner.predict_proba_block(X))


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
        if len(X) == 1 and self._counts.sum() in (50, 100):  # fitted on half of a chunk or all of it
            self._fail("predict")
        super()._predict(X, p)


class Interrupt(BaseException):
    """What Ctrl-C raises is no Exception, nor is this."""


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("where", ["fit", "predict"])
def test_an_interrupt_at_the_end_of_a_block_puts_it_off(kind, where):
    X, y = next(Sphere(1000, seed=2).blocks(1000))
    settings = {"n_members": 3, "chunk_size": 100}
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
    assert np.array_equal(other.weights_, whole.weights_) and other.n_chunks_ == whole.n_chunks_ == 10


@pytest.mark.parametrize("kind", ALL)
def test_a_failing_fit_costs_a_block_and_no_more(kind):
    X, y = next(Sphere(1000, seed=2).blocks(1000))
    learner = kind(FailsOnce(), n_members=3, chunk_size=100).begin(3, [0, 1])
    learner.test_then_train(X[:300], y[:300])
    FailsOnce.left = 1
    with pytest.raises(ValueError, match="as a test asked for") as caught:
        learner.test_then_train(X[300:], y[300:])
    assert caught.value.rows_learned == 100
    learner.test_then_train(X[400:], y[400:])
    assert learner.n_chunks_ == 9


@pytest.mark.parametrize("kind", ALL)
def test_members_weigh_the_same_whether_rows_were_tested_or_only_learned(kind):
    X, y = next(Sphere(1250, jump_every=1, period=300, noise=0.2, seed=2).blocks(1250))
    settings = {"n_members": 3, "chunk_size": 100}
    tested, learned, mixed = (kind(NaiveBayes(), **settings).begin(3, [0, 1]) for _ in range(3))
    tested.test_then_train(X, y)
    learned.partial_fit(X, y)
    for start in range(0, 1250, 50):
        part = slice(start, start + 50)
        if start % 150:
            mixed.test_then_train(X[part], y[part])
        else:
            mixed.partial_fit(X[part], y[part])
        mixed = pickle.loads(pickle.dumps(mixed)) if start == 600 else mixed
    for other in (learned, mixed):
        assert np.array_equal(other.weights_, tested.weights_)
        assert np.array_equal(other.predict_proba(X), tested.predict_proba(X))


class Asked(Counting):
    """Counts how many rows its members predict."""

    n_rows = 0

    def _predict(self, X, p):
        Asked.n_rows += len(X)
        super()._predict(X, p)


@pytest.mark.parametrize("kind", [SEAEnsemble, LearnPPNSE])
def test_members_are_not_asked_again_about_rows_they_were_tested_on(kind):
    X, y = next(Sphere(600, seed=2).blocks(600))
    learner = kind(Asked(), n_members=3, chunk_size=100).begin(3, [0, 1])
    learner.test_then_train(X[:500], y[:500])
    before, n_voters = Asked.n_rows, len(learner.members_)
    learner.test_then_train(X[500:], y[500:])
    # Voters predict each row once. So does the fresh member as it is fitted, and whoever does not vote yet.
    assert Asked.n_rows - before == 100 * (n_voters + 2)
