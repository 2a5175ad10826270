"""Ctrl-C ends an evaluation at once, and what it returns is the run so far."""

import signal
import time

import numpy as np
import pytest
import scipy.stats
from support.timed_interrupts import without_gc_callbacks

from thalweg.evaluation import chunked, holdout, prequential
from thalweg.learners import LogisticMixture, NaiveBayes
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.streams import SEA
from thalweg.streams.base import Stream


class Endless(Stream):
    """The same rows of SEA for ever; sends Ctrl-C some processor time after it began."""

    n_features, classes = 3, np.arange(2)

    def __init__(self, size, n=50_000):
        self.X, self.codes = next(SEA(n, seed=2).blocks(n))
        n_copies = -(-size // n) + 1
        self.tiled = np.tile(self.X, (n_copies, 1)), np.tile(self.codes, n_copies)
        self.seconds = 0.0

    def coded_blocks(self, size=1000):
        start = 0
        signal.setitimer(signal.ITIMER_VIRTUAL, self.seconds)
        while True:
            yield tuple(part[start : start + size] for part in self.tiled)
            start = (start + size) % len(self.X)

    def sample(self, t, n, *, seed=None):
        return self.X[:n], self.codes[:n]


@pytest.fixture(autouse=True)
def stopped():
    """Raise KeyboardInterrupt from a signal, as Ctrl-C does: compiled code has to look for it. Note when."""
    moments = []

    def stop(*_):
        moments.append(time.process_time())
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGVTALRM, stop)
    with without_gc_callbacks():
        yield moments
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


PROTOCOLS = {
    "at once": (prequential, {}),
    "late": (prequential, {"delay": 50}),
    "at random": (prequential, {"delay": scipy.stats.poisson(9), "label_share": 0.7}),
    "chunks": (chunked, {"size": 1000}),
}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_interrupted_run_is_the_beginning_of_the_whole(protocol):
    evaluate, arguments = PROTOCOLS[protocol]
    arguments = arguments if evaluate is chunked else {**arguments, "block": 50_000}
    stream = Endless(50_000)
    stream.seconds = 0.4
    run = evaluate(stream, NaiveBayes(), **arguments)
    assert run.interrupted
    assert run.n_rows == len(run.codes) > 0
    stream.seconds = 0
    whole = evaluate(stream, NaiveBayes(), rows=run.n_rows + 60, **arguments)
    pairs = [(run.codes, whole.codes), (run.probabilities, whole.probabilities)]
    pairs += [(run.baselines[name], whole.baselines[name]) for name in whole.baselines]
    for one, other in pairs:
        np.testing.assert_array_equal(one, other[: run.n_rows])


@pytest.mark.parametrize("evaluate", [prequential, holdout])
def test_the_rows_of_a_block_learned_before_ctrl_c_count(evaluate):
    n = 5_000_000
    learner, stream = LogisticMixture(), Endless(n)
    stream.seconds = 0.8
    arguments = {"block": n} if evaluate is prequential else {"every": n, "n": 100}
    run = evaluate(stream, learner, **arguments)
    assert run.interrupted
    assert 0 < run.n_rows < n
    assert len(run.codes) == (run.n_rows if evaluate is prequential else 0)
    stream.seconds, other = 0, LogisticMixture()
    prequential(stream, other, rows=run.n_rows)
    np.testing.assert_array_equal(learner.predict_proba_block(stream.X), other.predict_proba_block(stream.X))


class Sleepy(StreamClassifier):
    """A learner in Python that is interrupted in the middle of a block, as if by itself."""

    def _begin(self, n_features, n_classes):
        self._blocks = 0
        self._inner = NaiveBayes().begin(n_features, range(n_classes))

    def _predict(self, X, p):
        p[:] = 0.5

    def _learn(self, X, y, w, p):
        self._predict(X, p)
        self._blocks += 1
        if self._blocks == 3:
            stop = KeyboardInterrupt()
            stop.rows_learned = 7  # of a learner inside this one
            raise stop


@pytest.mark.parametrize("delay", [0, 3])
def test_a_block_half_learned_by_a_learner_in_python_does_not_count(delay):
    run = prequential(SEA(5000), Sleepy(), delay=delay, block=100)
    assert run.interrupted
    assert run.n_rows == 200


def test_a_run_interrupted_at_any_moment_is_whole():
    stream, rng, numbers = Endless(3000, 2000), np.random.default_rng(1), set()
    for _ in range(100):
        delay, stream.seconds = int(rng.choice([0, 3, 500])), rng.uniform(0.001, 0.03)
        try:
            run = prequential(stream, NaiveBayes(), delay=delay, block=int(rng.choice([1, 50, 3000])))
        except KeyboardInterrupt:  # before the loop began
            continue
        numbers.add(run.n_rows)
        assert run.interrupted
        assert {len(run.codes), len(run.probabilities), *map(len, run.baselines.values())} == {run.n_rows}
        np.testing.assert_array_equal(run.codes, np.resize(stream.codes, run.n_rows))
        # Before row i the labels of rows up to i - delay - 1 have come.
        known = np.resize(stream.codes, max(0, run.n_rows - delay - 1))
        last = np.concatenate([np.zeros(delay + 1), known])[: run.n_rows]
        np.testing.assert_array_equal(run.baselines["no_change"], last)
    assert len(numbers) > 10


def test_it_ends_at_once_however_many_rows_are_done(stopped):
    stream = Endless(1000)
    stream.seconds, start = 1.5, time.process_time()
    run = prequential(stream, NaiveBayes())
    assert time.process_time() - stopped[0] < 0.2 * (stopped[0] - start)
    assert run.n_rows > 200_000
