"""A learner gets exactly the labels that are asked for, in any blocks, and the Run says which these were."""

import json

import numpy as np
import pytest
import scipy.stats
from sklearn.naive_bayes import GaussianNB
from support.numbered_rows import Numbered

from thalweg import learners
from thalweg.errors import ParameterError
from thalweg.evaluation import compare, metrics, prequential, report, tune
from thalweg.evaluation.arrivals import Arrivals
from thalweg.evaluation.inputs.permutation import PermutationImportance
from thalweg.learners import (
    AdaptiveStacking,
    HoeffdingTree,
    LinearLogistic,
    NaiveBayes,
    NearestNeighbours,
    NoChange,
)
from thalweg.streams import SEA, from_rows
from thalweg.streams.base import Stream, recut
from thalweg.trust import LabelBudget


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


def budget():
    return LabelBudget(0.15, advance=100, window=100, random_state=4)


def row_by_row(stream, learner, arrivals):
    """The definition, by public methods and one row at a time."""
    learner.begin(stream.n_features, stream.classes)
    p, asks, asked = [], budget(), []
    for i in range(stream.n_rows):
        row = slice(i, i + 1)
        p.append(learner.predict_proba_block(stream.X[row])[0])
        asked.append(asks.ask_one(p[-1])[0])
        at_once = asked[i] and arrivals[i] == i and stream.codes[i] >= 0
        if learner.observes and not at_once:
            learner.observe(stream.X[row], ids=[i])
        for j in range(i + 1):
            if asked[j] and arrivals[j] == i and stream.codes[j] >= 0:
                here = slice(j, j + 1)
                ids = [j if arrivals[j] > j else -1 - j] if learner.observes else None
                learner.test_then_train_coded(stream.X[here], stream.codes[here], ids=ids)
    return np.array(p), np.array(asked)


ALL = {name: learners.registry.load(name) for name in learners.registry}


@pytest.mark.parametrize("delay", [0, 13, scipy.stats.norm(0, 4)], ids=["0", "13", "norm"])
@pytest.mark.parametrize("name", ALL)
def test_every_learner_answers_as_if_called_row_by_row(name, delay):
    one, other, stream = ALL[name](), ALL[name](), Gaps(300)
    run = prequential(stream, one, delay=delay, label_share=0.9, label_budget=budget(), seed=1, block=140)
    p, asked = row_by_row(stream, other, Arrivals(delay, 0.9, 1).of(0, 300))
    np.testing.assert_array_equal(run.asked, asked)
    np.testing.assert_array_equal(run.probabilities, p)
    np.testing.assert_array_equal(one.predict_proba_block(stream.X), other.predict_proba_block(stream.X))


def named_rows(n_rows=600):
    X, y = next(SEA(n_rows, seed=2).blocks(n_rows))
    names = ["low", "high", "late"]
    late = np.where((np.arange(n_rows) > 300) & (X[:, 0] > 7), 2, y)
    return [(dict(zip("abc", x.tolist(), strict=True)), names[code]) for x, code in zip(X, late, strict=True)]


STREAMS = {
    "numbers": lambda: SEA(3000),
    "named inputs and labels that come later": lambda: from_rows(named_rows()),
}


@pytest.mark.parametrize("delay", [0, 1, 20, scipy.stats.poisson(9)], ids=["0", "1", "20", "poisson"])
@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("learner", [NaiveBayes, NoChange, lambda: AdaptiveStacking(size="small")])
def test_blocks_change_nothing(learner, stream, delay):
    runs = [
        prequential(STREAMS[stream](), learner(), label_budget=budget(), delay=delay, block=block)
        for block in (1, 37, 5000)
    ]
    for run in runs[1:]:
        np.testing.assert_array_equal(run.probabilities, runs[0].probabilities)
        np.testing.assert_array_equal(run.asked, runs[0].asked)
        np.testing.assert_array_equal(run.chances, runs[0].chances)
        for name, codes in run.baselines.items():
            np.testing.assert_array_equal(codes, runs[0].baselines[name])


class Never:
    def ask_one(self, p):
        return False, 0.0


class EveryThird:
    """Your own strategy."""

    def __init__(self):
        self.n = 0

    def ask_one(self, p):
        self.n += 1
        return self.n % 3 == 0, 1 / 3


@pytest.mark.parametrize("learner", [NaiveBayes, GaussianNB], ids=["ours", "scikit-learn"])
def test_only_labels_asked_for_are_learned(learner):
    rows = SEA(900, seed=1)
    run = prequential(rows, learner(), label_budget=EveryThird())
    assert np.flatnonzero(run.asked).tolist() == list(range(2, 900, 3))
    known = Gaps(900)
    known.X, codes = next(rows.coded_blocks(900))
    known.codes = np.where(run.asked, codes, -1)
    expected = prequential(known, learner())
    np.testing.assert_array_equal(run.probabilities, expected.probabilities)
    assert run.n_scored == 900
    assert run.asked_labels.asked == 300
    assert run.asked_labels.allowed is None
    nothing = prequential(rows, NoChange(), label_budget=Never())
    assert not nothing.predicted.any()
    assert nothing.summary()["label_budget"]["accuracy"] is None


def test_a_run_says_what_was_asked_for():
    run = prequential(SEA(5000), NaiveBayes(), label_budget=0.1, delay=10)
    found = run.asked_labels
    assert found.asked == run.asked.sum()
    assert found.rows == 5000
    assert 0.97 * found.allowed <= found.asked <= found.allowed == pytest.approx(600)
    assert found.closed == (run.chances == 0).sum()
    right = run.predicted == run.codes
    has_come = run.asked & (np.arange(5000) < 4990)
    expected = LabelBudget.estimate(right[has_come], run.chances[has_come])
    np.testing.assert_allclose((found.accuracy, found.error), expected)
    assert abs(found.accuracy - metrics.accuracy(run)) < 4 * found.error
    plain = json.loads(json.dumps(run.summary()))
    assert plain["label_budget"]["asked"] == found.asked
    assert plain["settings"]["label_budget"] == "LabelBudget(share=0.1)"
    assert run.to_frame()["asked"].sum() == found.asked
    assert len(run.part(100, 300).chances) == 200


def test_totals_are_those_of_rows():
    runs = [prequential(SEA(3000), NaiveBayes(), label_budget=0.1, keep=keep) for keep in ("rows", "totals")]
    assert runs[0].asked_labels == runs[1].asked_labels
    assert runs[1].asked is None
    assert metrics.accuracy(runs[0]) == metrics.accuracy(runs[1])


def test_a_budget_is_reset_unless_the_run_goes_on():
    stream, learner, asks = SEA(1000), NaiveBayes(), budget()
    first = prequential(stream, learner, label_budget=asks)
    again = prequential(stream, learner, label_budget=asks)
    np.testing.assert_array_equal(first.chances, again.chances)
    prequential(stream, learner, label_budget=asks, resume=True)
    assert asks.n_rows_ == 2000


def test_the_budget_and_the_learner_go_on_after_they_were_saved():
    X, codes = next(SEA(2000, seed=4).coded_blocks(2000))
    whole = prequential((X, codes), HoeffdingTree(), label_budget=budget())
    learner, asks = HoeffdingTree(), budget()
    first = prequential((X[:900], codes[:900]), learner, label_budget=asks)
    learner, asks = learner.copy(), LabelBudget().restore(asks.state())
    rest = prequential((X[900:], codes[900:]), learner, label_budget=asks, resume=True)
    np.testing.assert_array_equal(np.concatenate([first.asked, rest.asked]), whole.asked)
    np.testing.assert_array_equal(
        np.concatenate([first.probabilities, rest.probabilities]), whole.probabilities
    )


@pytest.mark.parametrize("wrong", [0, 1.5, "half", LabelBudget, True])
def test_what_is_no_budget_is_refused(wrong):
    with pytest.raises(ParameterError, match=r"label_budget|share"):
        prequential(SEA(100), NaiveBayes(), label_budget=wrong)


def test_an_estimate_needs_to_know_which_labels_come():
    with pytest.raises(ParameterError, match="estimate excludes label_budget"):
        prequential(SEA(100), NaiveBayes(), label_budget=0.1, estimate=True)


def test_observers_see_the_labels_that_were_asked_for():
    run = prequential(
        SEA(4000), LinearLogistic(), label_budget=0.3, observers=PermutationImportance(100, 100), block=300
    )
    assert run.explanations
    assert run.asked_labels.asked > 1000


class Stopping(NaiveBayes):
    """Is interrupted at its 60th label."""

    def test_then_train_coded(self, *arguments, **keywords):
        self.n_calls = getattr(self, "n_calls", 0) + 1
        if self.n_calls == 60:
            raise KeyboardInterrupt
        return super().test_then_train_coded(*arguments, **keywords)


def test_an_interrupted_run_has_what_was_asked_for_so_far():
    run = prequential(SEA(5000), Stopping(), label_budget=0.05)
    assert run.interrupted
    assert len(run.codes) == len(run.asked) == len(run.chances) == run.asked_labels.rows
    assert run.asked.sum() == 60


def test_the_page_says_what_was_asked_for(tmp_path):
    run = prequential(Numbered(np.arange(300) % 2), NoChange(), label_budget=0.2)
    page = report.write(run, tmp_path / "page.html").read_text()
    assert f"Labels asked for: {run.asked_labels.asked}" in page


def test_comparisons_and_searches_ask_as_single_runs_do(tmp_path, monkeypatch):
    monkeypatch.setenv("THALWEG_CACHE", str(tmp_path))
    found = compare([NaiveBayes()], [SEA(1500, seed=1)], label_budget=0.1, seeds=2, n_jobs=1)
    expected = [
        metrics.accuracy(prequential(SEA(1500, seed=1), NaiveBayes(), label_budget=0.1, seed=seed))
        for seed in range(2)
    ]
    assert [result["accuracy"] for result in found.results.values()] == expected
    grid = {"n_neighbours": [1, 5]}
    tuned = tune(NearestNeighbours(), SEA(1500, seed=1), grid=grid, label_budget=0.1, n_jobs=1)
    run = prequential(SEA(1500, seed=1), tuned.learner, label_budget=0.1, seed=0)
    assert tuned.accuracy == metrics.accuracy(run.part(450))


@pytest.mark.parametrize("wrong", [0, 1.5, "half", LabelBudget(0.1)])
@pytest.mark.parametrize("call", [lambda **k: compare([NaiveBayes()], ["sea"], **k),
                                  lambda **k: tune(NearestNeighbours(), "sea", rows=100, **k)])  # fmt: skip
def test_comparisons_take_a_share(call, wrong):
    with pytest.raises(ParameterError, match="label_budget must be"):
        call(label_budget=wrong)


def test_a_saved_model_goes_on_with_a_budget(thalweg, tmp_path):
    X, y = next(SEA(3000, seed=1).blocks(3000))
    for name, part in (("first", slice(1500)), ("second", slice(1500, None))):
        lines = [",".join(map(str, [*row, label])) for row, label in zip(X[part], y[part], strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["a,b,c,label", *lines]))
    saved = ("--learner", "NaiveBayes", "--save", tmp_path / "model.tw")
    thalweg("run", tmp_path / "first.csv", "--label-budget", "0.2", *saved)
    budget = ("--label-budget", "0.1", "--json")
    code, said, _ = thalweg("continue", tmp_path / "model.tw", tmp_path / "second.csv", *budget)
    assert code == 0
    asked = json.loads(said)["label_budget"]
    assert asked["rows"] == 1500
    assert 0.9 * asked["allowed"] < asked["asked"] <= asked["allowed"]


def test_the_estimate_is_of_the_answers_that_cost_least():
    run = prequential(SEA(8000, seed=1), NaiveBayes(), label_budget=0.2, costs={1: 20})
    assert metrics.accuracy(run) < 0.45  # of the likeliest classes it is 0.87
    assert abs(run.asked_labels.accuracy - metrics.accuracy(run)) < 4 * run.asked_labels.error


@pytest.mark.parametrize("settings", [{"label_share": 0.0}, {"delay": 10**6}])
def test_labels_that_never_come_tell_nothing(settings):
    asked = prequential(SEA(3000, seed=1), NaiveBayes(), label_budget=0.1, **settings).asked_labels
    assert asked.asked > 200
    assert np.isnan(asked.accuracy) and np.isnan(asked.error)
    assert "they alone" not in asked.in_words()


def test_the_estimate_uses_exactly_the_labels_that_have_come():
    class Everything:
        """Asks for each row with chance 1."""

        def ask_one(self, p):
            return True, 1.0

    run = prequential(SEA(3000, seed=1), NaiveBayes(), label_budget=Everything(), delay=1000)
    right = (run.predicted == run.codes)[:2000]  # the labels of the others come after the end
    assert run.asked_labels.accuracy == pytest.approx(right.mean())


def test_a_part_counts_what_was_asked_for_in_it():
    run = prequential(SEA(3000, seed=1), NaiveBayes(), label_budget=0.1)
    asked = run.part(1000, 2000).asked_labels
    assert (asked.rows, asked.asked) == (1000, np.count_nonzero(run.asked[1000:2000]))
