"""The evaluation loop: what a learner has learned when it is asked, whatever the blocks."""

import json

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from support.numbered_rows import Numbered
from support.places import DATA

from thalweg.errors import ParameterError
from thalweg.evaluation import chunked, holdout, prequential
from thalweg.evaluation.arrivals import NEVER, Arrivals, steps_as_labels_come
from thalweg.learners import MajorityClass, NaiveBayes, NoChange
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.streams import SEA
from thalweg.waiting import WaitingRows

DELAYS = st.one_of(
    st.integers(0, 12),
    st.sampled_from([scipy.stats.poisson(3), scipy.stats.expon(scale=2), scipy.stats.norm(0, 4)]),
)


class Diary:
    """Writes down what it had learned and observed at each prediction; answers how many labels it had."""

    def begin(self, n_features, classes, *, names=None, n_categories=None):
        self.learned, self.observed, self.known = [], [], {}
        self.shape = (1, len(classes))
        return self

    def _predict_row(self, row):
        self.known[row] = (tuple(self.learned), tuple(self.observed))
        return np.full(self.shape, float(len(self.learned)))

    def predict_proba_block(self, X):
        return np.concatenate([self._predict_row(int(x)) for x in X[:, 0]])

    def test_then_train_coded(self, X, codes, *, sample_weight=None):
        p = np.empty((len(X), self.shape[1]))
        for i, x in enumerate(X[:, 0]):
            known = self.known.get(int(x))
            p[i] = self._predict_row(int(x))
            if known is not None:
                self.known[int(x)] = known
            self.learned.append((int(x), int(codes[i])))
        return p

    def observe(self, X):
        self.observed += X[:, 0].astype(int).tolist()


class DiaryLearner(StreamClassifier):
    """The same as a StreamClassifier, which is given whole blocks of rows to test and to learn."""

    def _begin(self, n_features, n_classes):
        self.learned, self.observed, self.known = [], [], {}

    def _learn(self, X, y, w, p):
        for i, row in enumerate(X[:, 0].astype(int).tolist()):
            self._predict(X[i : i + 1], p[i : i + 1])
            if w[i]:
                self.learned.append((row, int(y[i])))

    def _predict(self, X, p):
        for row in X[:, 0].astype(int).tolist():
            self.known.setdefault(row, (tuple(self.learned), tuple(self.observed)))
        p[:] = len(self.learned)

    def _observe(self, X):
        self.observed += X[:, 0].astype(int).tolist()


def by_hand(codes, arrivals):
    """The definition: before row i is predicted, the labels that came before it have been learned."""
    known, observed = {}, []
    for i in range(len(codes)):
        came = sorted((arrivals[j], j) for j in range(i) if codes[j] >= 0 and arrivals[j] < i)
        known[i] = (tuple((j, codes[j]) for _, j in came), tuple(observed))
        if codes[i] < 0 or arrivals[i] != i:
            observed.append(i)
    return known


@settings(max_examples=150, deadline=None)
@given(
    codes=st.lists(st.integers(-1, 2), max_size=30),
    delay=DELAYS,
    share=st.sampled_from([1.0, 0.6, 0.0]),
    block=st.integers(1, 31),
    seed=st.integers(0, 3),
    kind=st.sampled_from([Diary, DiaryLearner]),
)
def test_a_row_is_predicted_from_exactly_the_labels_that_came(codes, delay, share, block, seed, kind):
    diary = kind()
    run = prequential(Numbered(codes), diary, delay=delay, label_share=share, seed=seed, block=block)
    expected = by_hand(codes, Arrivals(delay, share, seed).of(0, len(codes)).tolist())
    assert diary.known == expected
    assert run.codes.tolist() == codes
    assert run.probabilities[:, 0].tolist() == [len(learned) for learned, _ in expected.values()]
    assert run.baselines["no_change"].tolist() == [
        learned[-1][1] if learned else 0 for learned, _ in expected.values()
    ]
    assert run.baselines["majority"].tolist() == [
        int(np.bincount([code for _, code in learned], minlength=3).argmax())
        for learned, _ in expected.values()
    ]


class Forgetful(StreamClassifier):
    """A learner in Python that makes nothing of rows without a label."""

    def _begin(self, n_features, n_classes):
        self._last = 0

    def _predict(self, X, p):
        p[:] = 0
        p[:, self._last] = 1

    def _learn(self, X, y, w, p):
        for i in range(len(X)):
            self._predict(X[i : i + 1], p[i : i + 1])
            self._last = y[i] if w[i] else self._last


@pytest.mark.parametrize("delay", [0, 1, 7, scipy.stats.geom(0.2)])
@pytest.mark.parametrize("share", [1.0, 0.3])
def test_blocks_change_nothing(delay, share):
    results = [
        prequential(SEA(3000), learner, delay=delay, label_share=share, block=block)
        for learner in (NaiveBayes(), Forgetful())
        for block in (1, 37, 1000, 5000)
    ]
    for run in results[1:4]:
        np.testing.assert_array_equal(run.probabilities, results[0].probabilities)
    for run in results[4:]:
        np.testing.assert_array_equal(run.predicted, results[0].baselines["no_change"])


def test_late_labels_are_those_of_earlier_rows():
    run = prequential(Numbered([0, 1, 2, 1, 0, 2]), NoChange(), delay=2)
    assert run.predicted.tolist() == [0, 0, 0, 0, 1, 2]


def test_the_share_of_labels_is_seeded_and_kept():
    stream = Numbered(np.zeros(20_000, dtype=int))
    learned = []
    for seed in (1, 1, 2):
        diary = Diary()
        run = prequential(stream, diary, label_share=0.25, seed=seed, rows=500)
        learned.append([row for row, _ in diary.learned])
        assert len(learned[-1]) + len(diary.observed) == 500 == run.n_rows
        assert 90 < len(learned[-1]) < 160
    assert learned[0] == learned[1] != learned[2]


def test_rows_whose_label_never_came_are_scored():
    run = prequential(Numbered([0, 1, 1, -1]), MajorityClass(), label_share=0.0)
    assert run.summary()["accuracy"] == pytest.approx(1 / 3)


def test_random_delays_are_whole_rows_and_may_be_endless():
    arrivals = Arrivals(scipy.stats.norm(0, 2), 1.0, 0).of(0, 10_000) - np.arange(10_000)
    assert arrivals.min() == 0
    # P(delay = 0) = Φ(0), P(delay <= 2) = Φ(1)
    assert np.mean(arrivals == 0) == pytest.approx(0.5, abs=0.02)
    assert np.mean(arrivals <= 2) == pytest.approx(0.841, abs=0.02)
    endless = Arrivals(scipy.stats.rv_discrete(values=([0, 2**62], [0.5, 0.5])), 1.0, 0).of(0, 1000)
    assert 400 < np.count_nonzero(endless == NEVER) < 600


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"delay": -1}, "delay must"),
        ({"delay": 1.5}, "delay must"),
        ({"label_share": 1.5}, "label_share must be"),
    ],
)
def test_senseless_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        prequential(SEA(10), NoChange(), **settings)


def test_chunks_are_predicted_whole_and_then_learned():
    codes = [0, 1, -1, 2, 1, 0, 2]
    diary = Diary()
    run = chunked(Numbered(codes), diary, size=3)
    assert diary.known[2] == ((), (0, 1))
    assert diary.known[3] == (((0, 0), (1, 1)), (0, 1, 2))
    assert diary.known[6] == (((0, 0), (1, 1), (3, 2), (4, 1), (5, 0)), (0, 1, 2, 3, 4, 5))
    assert diary.learned[-1] == (6, 2)
    assert run.baselines["no_change"].tolist() == [0, 0, 0, 1, 1, 1, 0]
    assert run.part(3).codes.tolist() == [2, 1, 0, 2]


def test_only_some_chunks_may_get_labels():
    stream = Numbered(np.zeros(300, dtype=int))
    numbers = {}
    for share in (0.0, 0.5, 1.0):
        diary = Diary()
        chunked(stream, diary, size=3, label_share=share)
        numbers[share] = sorted({row // 3 for row, _ in diary.learned})
        assert len(diary.observed) == 300
    assert numbers[0.0] == [0]
    assert numbers[1.0] == list(range(100))
    assert numbers[0.5][0] == 0
    assert 35 < len(numbers[0.5]) < 65
    with pytest.raises(ValueError, match="label_share must be"):
        chunked(stream, Diary(), size=10, label_share="some")


def test_holdout_tests_on_fresh_samples_of_the_concept_just_learned():
    diary = Diary()
    run = holdout(Numbered([0, 1, -1, 2, 1, 0, 2]), diary, every=3, n=4)
    assert run.row_numbers.tolist() == [2] * 4 + [5] * 4
    assert run.codes.tolist() == [2, 0, 2, 0] * 2
    assert run.probabilities[:, 0].tolist() == [2] * 4 + [5] * 4
    assert run.baselines["no_change"].tolist() == [1] * 4 + [0] * 4
    assert [row for row, _ in diary.learned] == [0, 1, 3, 4, 5, 6]
    assert diary.observed == [2]
    assert run.n_rows == 7


def test_holdout_is_free_of_the_streams_noise():
    stream = SEA(4000, noise=0.3, period=4000)
    assert prequential(stream, NaiveBayes()).summary()["accuracy"] < 0.7
    assert holdout(stream, NaiveBayes(), every=1000, n=500).part(1500).summary()["accuracy"] > 0.85


class Interrupting(Numbered):
    def coded_blocks(self, size=1000):
        for number, block in enumerate(super().coded_blocks(size)):
            if number == 3:
                raise KeyboardInterrupt
            yield block


def test_an_interrupted_run_is_the_run_so_far():
    codes = np.arange(100) % 3
    run = prequential(Interrupting(codes), NoChange(), block=10)
    assert run.interrupted
    assert run.n_rows == 30
    assert run.codes.tolist() == codes[:30].tolist()
    assert run.probabilities.shape == (30, 3)
    assert not prequential(Numbered(codes), NoChange()).interrupted


def test_progress_ends_with_all_rows_and_the_accuracy():
    calls = []
    run = prequential(SEA(20_000), NaiveBayes(), rows=5000, progress=lambda *call: calls.append(call))
    assert calls[-1] == (5000, 5000, run.summary()["accuracy"])


def test_a_stream_of_unknown_length_is_recorded_whole():
    stream = Numbered(np.arange(5000) % 3)
    stream.n_rows = None
    run = prequential(stream, NoChange(), delay=3)
    assert run.n_rows == 5000
    assert run.codes.tolist() == stream.codes.tolist()
    assert run.predicted[4:].tolist() == stream.codes[:-4].tolist()


def test_a_run_describes_itself():
    run = prequential(SEA(4000, period=1000), NaiveBayes(), rows=2500)
    assert (run.learner, run.stream, run.settings["protocol"]) == ("NaiveBayes", "SEA", "prequential")
    assert run.parameters == NaiveBayes().get_params()
    assert run.drifts.tolist() == [1000, 2000]
    assert run.codes.dtype == run.predicted.dtype == np.int8
    assert 0 < run.learner_seconds < run.seconds
    assert run.rows_per_second == pytest.approx(2500 / run.seconds)
    assert 50 < run.memory < 10_000
    summary = json.loads(json.dumps(run.summary(), allow_nan=False))
    assert summary["rows"] == 2500
    assert set(summary["baselines"]) == {"no_change", "majority", "label_chain"}


def test_a_row_takes_20_bytes_with_two_classes():
    run = prequential(SEA(20_000), NaiveBayes(), label_share=0.9)
    arrays = [run.codes, run.probabilities, *run.baselines.values()]
    assert sum(array.nbytes for array in arrays) == 20 * 20_000
    assert all(array.base is None for array in arrays)
    assert run.row_numbers is None


def test_an_empty_stream_gives_an_empty_run():
    summary = prequential(Numbered(np.empty(0, dtype=int)), NaiveBayes()).summary()
    assert summary["rows"] == 0
    assert summary["accuracy"] is summary["auc"] is summary["baselines"]["majority"] is None


@pytest.mark.skipif(not DATA.is_dir(), reason="not beside the checkout (../shared/data)")
def test_elec2_gives_moas_trivial_figures():
    lines = (DATA / "elec2.arff").read_text().splitlines()
    first = next(i for i, line in enumerate(lines) if line.lower().startswith("@data")) + 1
    label = [line.rsplit(",", 1)[1].strip() for line in lines[first:] if line.strip()]
    stream = Numbered((np.array(label) == "DOWN").astype(int))
    stream.classes = np.array(["UP", "DOWN"])
    run = prequential(stream, NoChange())
    assert run.n_rows == 45_312
    summary = run.summary()
    assert summary["accuracy"] == summary["baselines"]["no_change"]
    assert summary["accuracy"] == pytest.approx(0.8533059675141243, abs=1e-14)
    assert summary["kappa"] == pytest.approx(0.699776770393029, abs=1e-14)
    assert summary["baselines"]["majority"] == pytest.approx(0.57534427966101696, abs=1e-14)
    majority = prequential(stream, MajorityClass())
    assert majority.summary()["accuracy"] == summary["baselines"]["majority"]
    assert majority.summary()["kappa"] == pytest.approx(0.00017147089555219437, abs=1e-14)


def test_only_rows_that_wait_are_kept():
    stream = Numbered(np.zeros(3000, dtype=int))
    waiting = WaitingRows(1)
    steps = steps_as_labels_come(stream.coded_blocks(100), Arrivals(40, 0.5, 0), False, None, waiting)
    kept = set()
    for _ in steps:
        kept.add(len(waiting))
    assert max(kept) <= 40


@pytest.mark.parametrize(
    ("protocol", "settings", "words"),
    [
        (prequential, {"delay": scipy.stats.poisson}, r"delay must be .* with its parameters.*poisson"),
        (prequential, {"delay": scipy.stats.norm}, r"delay must be .* with its parameters.*norm"),
        (prequential, {"seed": 1.5}, "seed must be a whole number"),
        (prequential, {"seed": -1, "label_share": 0.5}, "seed must be"),
        (chunked, {"size": 10.0}, "size must be a whole number"),
        (chunked, {"size": 10, "seed": -1}, "seed must be"),
        (holdout, {"every": 0, "n": 5}, "every must be"),
        (holdout, {"every": 5, "n": 0}, "n must be"),
        (holdout, {"every": 5, "n": 5, "seed": 0.5}, "seed must be"),
    ],
)
def test_settings_that_make_no_sense_are_named(protocol, settings, words):
    with pytest.raises(ParameterError, match=words):
        protocol(SEA(100), NaiveBayes(), **settings)


@pytest.mark.parametrize("delay", [2**62, 2**63 - 1, 2**63, 2**80])
@pytest.mark.parametrize("share", [1.0, 0.5])
def test_a_label_that_is_late_for_ever_never_comes(delay, share):
    run = prequential(SEA(300, seed=1), NaiveBayes(), delay=delay, label_share=share)
    none = prequential(SEA(300, seed=1), NaiveBayes(), label_share=0.0)
    np.testing.assert_array_equal(run.probabilities, none.probabilities)
