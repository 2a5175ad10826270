"""The baselines of an evaluation are the learners of that name."""

import subprocess
import sys

import numpy as np
import pytest

from thalweg.evaluation import prequential
from thalweg.evaluation.baselines import BASELINES, Baselines
from thalweg.learners import NaiveBayes
from thalweg.streams import from_arrays, from_rows

RANDOM = np.random.default_rng(0)


def labels_in_runs(n_classes, n=3000):
    """Return labels of unequal classes that come in runs."""
    return np.repeat(np.minimum(RANDOM.geometric(0.3, n) - 1, n_classes - 1), RANDOM.integers(1, 5, n))[:n]


@pytest.mark.parametrize("n_classes", [1, 2, 7, 300])
@pytest.mark.parametrize("keep", ["rows", "totals"])
def test_they_predict_what_the_learners_do(n_classes, keep, monkeypatch):
    monkeypatch.setattr("thalweg.evaluation.baselines._ROWS_AT_A_TIME", 500)
    monkeypatch.setattr("thalweg.evaluation.baselines._MOST_NUMBERS", 10_000)
    y = labels_in_runs(n_classes)
    stream = from_arrays(np.zeros((len(y), 1)), y, classes=np.arange(n_classes))
    run = prequential(stream, NaiveBayes(), keep=keep)
    for name, baseline in BASELINES.items():
        alone = prequential(stream, baseline.learner())
        if keep == "rows":
            assert run.baselines[name].tolist() == alone.predicted.tolist()
        np.testing.assert_array_equal(run.tally.confusions[name], alone.confusion())


def test_classes_may_come_later():
    y = [int(label) for label in np.arange(4000) // 300 * (labels_in_runs(5, 4000) > 0)]
    rows = [([0.0], label) for label in y]
    run = prequential(from_rows(iter(rows)), NaiveBayes())
    assert len(run.classes) == len(set(y)) > len(set(y[:1000]))
    for name, baseline in BASELINES.items():
        alone = prequential(from_rows(iter(rows)), baseline.learner())
        assert run.baselines[name].tolist() == alone.predicted.tolist()


def test_an_interrupt_loses_and_repeats_no_label(monkeypatch):
    y = labels_in_runs(4)
    right, stopped = Baselines(4), Baselines(4)
    for baselines in (right, stopped):
        baselines.add(y, np.arange(len(y)))
    real, calls = Baselines._after_each, []

    def interrupted(self, learner, labels):
        found = real(self, learner, labels)
        calls.append(learner)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return found

    monkeypatch.setattr(Baselines, "_after_each", interrupted)
    with pytest.raises(KeyboardInterrupt):
        stopped.codes(len(y))
    found, wanted = stopped.codes(len(y)), right.codes(len(y))
    assert len(calls) == 8
    for name in BASELINES:
        assert found[name].tolist() == wanted[name].tolist()


ANOTHER = """
import sys
from thalweg.evaluation.baselines import BASELINES, Baseline, Style
style = Style("1 1", "#123456", "#654321")
BASELINES["bayes"] = Baseline("NaiveBayes", "naive Bayes", "answering blindly", style)
from thalweg.evaluation import plots, prequential, report
from thalweg.learners import HoeffdingTree
run = prequential("sea", HoeffdingTree(), rows=500)
assert 0.4 < run.summary()["baselines"]["bayes"] < 0.8
assert "naive Bayes" in plots.accuracy_over_time(run).get_legend_handles_labels()[1]
page = report.write([run, run], sys.argv[1]).read_text(encoding="utf-8")
assert page.count("naive Bayes") > 2 and "--bayes: #123456" in page and "--bayes: #654321" in page
"""


def test_another_baseline_takes_one_declaration(tmp_path):
    pytest.importorskip("matplotlib")
    code = [sys.executable, "-c", ANOTHER, str(tmp_path / "page.html")]
    done = subprocess.run(code, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
