"""Late labels change no answer and take no call a row; learners that do not observe are shown nothing."""

import numpy as np
import pytest
import scipy.stats
from sklearn.base import clone
from support import every_learner
from support.late_rows import Dropping
from support.numbered_rows import Numbered

from thalweg import learners
from thalweg.evaluation import chunked, prequential
from thalweg.evaluation.arrivals import NEVER, Arrivals
from thalweg.learners import (
    HUWRS,
    AdaptiveStacking,
    DriftReset,
    LabelChain,
    LastLabels,
    NaiveBayes,
    NoChange,
    OnlineBagging,
    StreamingRandomPatches,
    WindowLogistic,
)
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.streams import SEA, from_arrays
from thalweg.streams.base import Stream, recut
from thalweg.trust import Calibrated, PredictionSets


class Gaps(Stream):
    """SEA with a tenth of the values and of the labels missing."""

    n_features, classes = 3, np.arange(2)

    def __init__(self, n_rows):
        rng = np.random.default_rng(5)
        X, y = next(SEA(n_rows, seed=3).blocks(n_rows))
        self.X = np.where(rng.random(X.shape) < 0.1, np.nan, X)
        self.codes = np.where(rng.random(n_rows) < 0.1, -1, y)
        self.n_rows = n_rows

    def coded_blocks(self, size=1000):
        return recut([(self.X, self.codes)], size)


def row_by_row(stream, learner, arrivals):
    """Predict a row with predict_proba_block; when its label comes, learn it with test_then_train_coded."""
    learner.begin(stream.n_features, stream.classes)
    p = []
    for i in range(stream.n_rows):
        p.append(learner.predict_proba_block(stream.X[i : i + 1])[0])
        if learner.observes and (arrivals[i] != i or stream.codes[i] < 0):
            learner.observe(stream.X[i : i + 1])
        for j in np.flatnonzero((arrivals == i) & (stream.codes >= 0)):
            learner.test_then_train_coded(stream.X[j : j + 1], stream.codes[j : j + 1])
    return np.array(p)


ALL = {name: every_learner.registry.load(name) for name in every_learner.registry}


def mapped(X):
    return np.column_stack([X, X[:, :1] ** 2])


COMPOSED = {
    "a bag of learners in Python": lambda: OnlineBagging(WindowLogistic(period=50), n_members=2),
    "a forest on two threads": lambda: learners.AdaptiveRandomForest(n_jobs=2),
    "particles on a map": lambda: learners.ParticleFilter(boundary=mapped),
}


@pytest.mark.parametrize("delay", [1, 37, scipy.stats.norm(0, 4)], ids=["1", "37", "norm"])
@pytest.mark.parametrize("name", [*ALL, *COMPOSED])
def test_every_learner_answers_as_if_called_row_by_row(name, delay):
    make, stream = (ALL | COMPOSED)[name], Gaps(400)
    one, other = make(), make()
    run = prequential(stream, one, delay=delay, label_share=0.8, seed=1, block=150)
    arrivals = Arrivals(delay, 0.8, 1).of(0, 400)
    np.testing.assert_array_equal(run.probabilities, row_by_row(stream, other, arrivals))
    np.testing.assert_array_equal(one.predict_proba_block(stream.X), other.predict_proba_block(stream.X))


@pytest.mark.parametrize("delay", [20_000, scipy.stats.uniform(0, 50_000)], ids=["fixed", "random"])
def test_labels_may_wait_for_many_blocks(delay):
    codes = np.random.default_rng(1).integers(0, 3, 60_000)
    run = prequential(Numbered(codes), NoChange(), delay=delay, block=700)
    arrivals = Arrivals(delay, 1.0, 0).of(0, len(codes))
    order = np.lexsort((np.arange(len(codes)), arrivals))
    n_known = np.searchsorted(arrivals[order], np.arange(len(codes)))
    expected = np.where(n_known > 0, codes[order[n_known - 1]], 0)
    np.testing.assert_array_equal(run.predicted, expected)
    np.testing.assert_array_equal(run.baselines["no_change"], expected)
    counts = np.eye(3, dtype=int)[codes[order]].cumsum(axis=0)
    majority = np.where(n_known > 0, counts[n_known - 1].argmax(axis=1), 0)
    np.testing.assert_array_equal(run.baselines["majority"], majority)


class Counting(StreamClassifier):
    """Counts how often it is called, with how many rows it predicts and learns."""

    def _begin(self, n_features, n_classes):
        self.n_calls = self.n_learned = 0

    def _learn(self, X, y, w, p):
        self._predict(X, p)
        self.n_learned += int((w > 0).sum())

    def _predict(self, X, p):
        self.n_calls += 1
        p[:] = 1 / p.shape[1]


class Watching(Counting):
    """One that observes rows without a label."""

    def _observe(self, X):
        self.observed_ = getattr(self, "observed_", 0) + len(X)


DELAYS = {"0": 0, "1": 1, "100": 100, "5000": 5000, "random": scipy.stats.poisson(30)}


@pytest.mark.parametrize("delay", DELAYS.values(), ids=list(DELAYS))
@pytest.mark.parametrize("share", [1.0, 0.5])
def test_a_block_is_one_call_however_late_its_labels(delay, share):
    learner = Counting()
    prequential(SEA(10_000), learner, delay=delay, label_share=share, block=1000)
    assert learner.n_calls == 10
    arrivals = Arrivals(delay, share, 0).of(0, 10_000)
    assert learner.n_learned == np.count_nonzero((arrivals < 10_000) & (arrivals != NEVER))


@pytest.mark.parametrize("delay", [0, 100])
def test_rows_without_a_label_are_observed_only_by_who_observes(delay):
    learner = Watching()
    prequential(SEA(1000), learner, delay=delay, label_share=0.5)
    assert learner.observed_ == (1000 if delay else 1000 - learner.n_learned)
    assert learner.n_calls > learner.observed_ / 2


def test_learners_know_whether_they_observe():
    assert not Counting().observes
    assert Watching().observes
    for observes, member in ((False, Counting()), (True, Watching())):
        for composed in (OnlineBagging(member), StreamingRandomPatches(member), DriftReset(member)):
            assert composed.observes is observes
            assert composed.begin(3, [0, 1]).observes is observes
    assert not OnlineBagging().observes


METHODS = ("test_then_train_coded", "predict_proba_block", "predict_then_observe", "observe")


@pytest.mark.parametrize("delay", DELAYS.values(), ids=list(DELAYS))
@pytest.mark.parametrize("kind", [Calibrated, PredictionSets])
def test_a_compiled_learner_that_observes_gets_a_block_in_one_call(kind, delay, monkeypatch):
    learner, calls = kind(NaiveBayes()), []
    for name in METHODS:
        method = getattr(type(learner), name)
        counted = lambda *a, method=method, **k: calls.append(1) or method(*a, **k)  # noqa: E731
        monkeypatch.setattr(type(learner), name, counted)
    prequential(SEA(5000), learner, delay=delay, label_share=0.8, block=1000)
    assert len(calls) == 5


def test_chunks_are_one_call_for_compiled_learners_that_observe(monkeypatch):
    calls, observe = [], OnlineBagging.predict_then_observe
    counted = lambda *a, **k: calls.append(1) or observe(*a, **k)  # noqa: E731
    monkeypatch.setattr(OnlineBagging, "predict_then_observe", counted)
    learner = OnlineBagging(Watching(), n_members=1)
    chunked(SEA(2000), learner, size=1000)
    assert len(calls) == 2
    assert learner.members_[0].observed_ == 2000


def test_observing_in_one_call_is_observing_row_by_row():
    X, y = next(SEA(1500, seed=2).blocks(1500))
    X[900:, 0] += 5.0
    whole, single = (HUWRS(n_members=10, chunk_size=300).begin(3, [0, 1]) for _ in range(2))
    for learner in (whole, single):
        learner.test_then_train(X[:300], y[:300])
    expected = []
    for i in range(300, 1500):
        expected.append(single.predict_proba_block(X[i : i + 1])[0])
        single.observe(X[i : i + 1])
    assert np.array_equal(whole.predict_then_observe(X[300:]), expected)
    assert np.array_equal(whole.weights_, single.weights_)


@pytest.mark.parametrize("label_share", [0.0, 0.3])
@pytest.mark.parametrize("name", list(every_learner.registry))
def test_every_learner_can_do_with_few_labels(name, label_share):
    learner = every_learner.registry.load(name)()
    run = chunked(SEA(600, seed=3), learner, size=100, label_share=label_share, seed=1)
    assert run.n_rows == len(run.codes) == 600
    np.testing.assert_allclose(run.probabilities.sum(axis=1), 1)
    alone = every_learner.registry.load(name)().begin(3, [0, 1])
    X, y = next(SEA(600, seed=3).blocks(600))
    alone.test_then_train(X[:100], y[:100])
    if label_share == 0 and not learner.observes:
        assert np.array_equal(run.probabilities[100:], alone.predict_proba_block(X[100:]))


def test_rows_that_are_not_asked_for_are_only_learned():
    X, y = next(SEA(300, seed=1).blocks(300))
    one, other = NaiveBayes().begin(3, [0, 1]), NaiveBayes().begin(3, [0, 1])
    asked, p = np.arange(300) % 3 == 0, np.full((300, 2), -1.0)
    assert one.test_then_train_coded(X, y, tested=asked, p=p) is p
    expected = other.test_then_train(X, y)
    np.testing.assert_array_equal(p[asked], expected[asked])
    assert (p[~asked] == -1).all()
    np.testing.assert_array_equal(one.predict_proba_block(X), other.predict_proba_block(X))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tested": np.ones(2, dtype=bool)}, "mask of shape"),
        ({"p": np.empty((3, 3))}, "p must be"),
        ({"p": np.empty((2, 3)).T}, "p must be"),
        ({"p": np.empty((3, 2), dtype=np.float32)}, "p must be"),
    ],
)
def test_a_mask_or_an_output_that_does_not_fit_is_refused(arguments, message):
    learner = WindowLogistic().begin(3, [0, 1])
    with pytest.raises(ValueError, match=message):
        learner.test_then_train_coded(np.ones((3, 3)), [0, 1, 1], **arguments)
    assert learner.state()["means"]["count"].sum() == 0


def marked(X):
    """Return rows with their numbers as a last input, which `Dropping` hides from its learner."""
    return np.column_stack([X, np.arange(float(len(X)))])


@pytest.mark.parametrize("label_share", [1.0, 0.6])
@pytest.mark.parametrize("delay", DELAYS.values(), ids=list(DELAYS))
@pytest.mark.parametrize("block", [1, 1000])
def test_equal_rows_are_not_taken_for_each_other(delay, label_share, block):
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 2, (500, 2)).astype(float), np.repeat(rng.integers(0, 3, 125), 4)
    for learner in (LabelChain(2), AdaptiveStacking([LastLabels(NaiveBayes()), LabelChain()])):
        settings = {"delay": delay, "label_share": label_share, "block": block}
        run = prequential((X, y), clone(learner), **settings)
        expected = prequential((marked(X), y), Dropping(clone(learner)), **settings)
        np.testing.assert_array_equal(run.probabilities, expected.probabilities)


def test_equal_rows_of_a_chunk_are_not_taken_for_each_other():
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 2, (500, 2)).astype(float), np.repeat(rng.integers(0, 3, 125), 4)
    y = np.where(rng.random(500) < 0.2, -1, y)
    run, expected = (
        chunked(from_arrays(rows, np.where(y < 0, None, y)), learner, size=40)
        for rows, learner in ((X, LabelChain(2)), (marked(X), Dropping(LabelChain(2))))
    )
    np.testing.assert_array_equal(run.probabilities, expected.probabilities)


@pytest.mark.filterwarnings("ignore::thalweg.errors.RowWarning")
def test_rows_that_waited_at_the_end_of_a_run_are_not_met_in_the_next():
    X, y = np.zeros((60, 1)), np.repeat([0, 1, 0], 20)
    for delay in (0, 5):
        first, other = LabelChain().begin(1, [0, 1]), LabelChain().begin(1, [0, 1])
        for learner in (first, other):
            prequential((X, y), learner, delay=10, rows=40)
        assert first.n_waiting_ == 10
        other._waiting = None
        runs = [prequential((X, y), learner, delay=delay, resume=True) for learner in (first, other)]
        np.testing.assert_array_equal(runs[0].probabilities, runs[1].probabilities)
