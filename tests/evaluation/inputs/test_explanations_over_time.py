"""Which inputs count over time: noted in runs, drawn in the page and by matplotlib, told by the command."""

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

from thalweg.commands.app import app
from thalweg.evaluation import Explanations, PermutationImportance, plots, prequential, report
from thalweg.evaluation.inputs.explanations import MOST_KEPT, MOST_READ
from thalweg.evaluation.pages import inputs as page_explanations
from thalweg.learners import (
    AdaptiveLogistic,
    AdaptiveRandomForest,
    HoeffdingTree,
    LinearLogistic,
    LogisticMixture,
    NaiveBayes,
)
from thalweg.streams import SEA, from_arrays


def changing_stream(n=8000):
    """Input 0 decides at first, then input 1."""
    X = np.random.default_rng(1).normal(size=(n, 3))
    y = np.where(np.arange(n) < n // 2, X[:, 0], X[:, 1]) > 0
    return from_arrays(X, y, names=["price", "weight", "noise"])


def test_a_run_has_what_learners_said():
    run = prequential(changing_stream(), AdaptiveLogistic(), observers=Explanations())
    found = run.explanations[0]
    assert found.title == "coefficient"
    assert found.names == ["price", "weight", "noise"]
    assert found.rows.tolist() == list(range(80, 8001, 80))
    early, late = found.values[20:50].mean(axis=0), found.values[-30:].mean(axis=0)
    assert early.argmax() == 0 and late.argmax() == 1


def test_a_note_is_what_the_learner_says_after_these_rows():
    run = prequential(changing_stream(), HoeffdingTree(), observers=Explanations())
    learner = HoeffdingTree()
    prequential(changing_stream(), learner, rows=run.explanations[0].rows[60])
    np.testing.assert_array_equal(run.explanations[0].values[60], learner.importance_)


@pytest.mark.parametrize("block", [1, 64, 8000])
def test_blocks_make_no_difference(block):
    observers = Explanations(), PermutationImportance()
    stream, learner = changing_stream(4000), HoeffdingTree()
    run = prequential(stream, learner, block=block, delay=5, observers=observers)
    expected = prequential(stream, learner, delay=5, observers=observers)
    assert len(run.explanations) == len(expected.explanations) == 2
    for one, other in zip(run.explanations, expected.explanations, strict=True):
        np.testing.assert_array_equal(one.rows, other.rows)
        np.testing.assert_array_equal(one.values, other.values)


def test_notes_of_a_stream_without_end_are_bounded():
    observer, learner = Explanations().begin(), AdaptiveLogistic().begin(2, [0, 1])
    rng = np.random.default_rng(1)
    for _ in range(1000):
        X = rng.normal(size=(100, 2))
        learner.test_then_train(X, X[:, 0] > 0)
        observer.update_coded(learner, X, np.zeros(100, dtype=np.intp))
    rows = observer.as_history().rows
    assert MOST_READ / 2 <= len(rows) <= MOST_READ
    assert len(set(np.diff(rows))) == 1 and rows[-1] > 98_000


def test_of_many_inputs_the_largest_are_kept():
    X = np.random.default_rng(1).normal(size=(1000, 1200))
    run = prequential(from_arrays(X, X[:, 7] > 0), LinearLogistic(), observers=Explanations())
    found = run.explanations[0]
    assert (~np.isnan(found.values)).sum(axis=1).max() == MOST_KEPT
    assert next(iter(found.latest())) == "x7"


def test_a_class_that_comes_later_has_numbers_from_then_on():
    observer, learner = Explanations().begin(n_rows=400), AdaptiveLogistic().begin(2)
    X = np.random.default_rng(1).normal(size=(400, 2))
    y = (X[:, 0] > 0).astype(int) + ((np.arange(400) >= 200) & (X[:, 1] > 1))
    for start in range(0, 400, 4):
        learner.test_then_train(X[start : start + 4], y[start : start + 4])
        observer.update_coded(learner, X[start : start + 4], y[start : start + 4])
    found = observer.as_history()
    assert found.rows[-1] == 400
    assert np.isnan(found.values[0]).any() and "x0" in found.names and "x1, 2" in found.names


def test_learners_without_explanations_have_none():
    assert prequential(SEA(500), NaiveBayes(), observers=Explanations()).explanations == []
    assert prequential(SEA(100), HoeffdingTree(), observers=Explanations()).explanations == []
    assert prequential(SEA(500), NaiveBayes()).explanations == []


def test_the_page_has_a_chart_for_each(tmp_path):
    observers = [Explanations(), PermutationImportance()]
    run = prequential(changing_stream(), AdaptiveRandomForest(), observers=observers)
    text = report.write(run, tmp_path / "page.html").read_text(encoding="utf-8")
    assert text.count("<h2>Which inputs count</h2>") == 1
    for title in ("importance in splits", "accuracy lost by shuffling"):
        assert f'aria-label="{title}"' in text
    plain = report.write(prequential(SEA(500), NaiveBayes()), tmp_path / "plain.html")
    assert "inputs count" not in plain.read_text(encoding="utf-8")


def test_plots_draw_the_same():
    run = prequential(changing_stream(2000), AdaptiveLogistic(), observers=Explanations())
    axes = plots.inputs(run, most=2)
    assert [line.get_label() for line in axes.lines] == ["price", "weight"]
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), run.explanations[0].values[:, 0])
    with pytest.raises(ValueError, match="observers"):
        plots.inputs(run, 1)


def test_the_command_tells_what_was_needed(tmp_path):
    page = tmp_path / "page.html"
    told = ["run", "sea", "--rows", "4000", "--learner", "HoeffdingTree(delta=0.1)", "--importance"]
    shown = CliRunner().invoke(app, [*told, "--report", str(page)])
    assert shown.exit_code == 0
    assert re.search(r"inputs +accuracy lost by shuffling: x[01] \d+", shown.output)
    assert "importance in splits" in page.read_text(encoding="utf-8")
    found = json.loads(CliRunner().invoke(app, [*told, "--json"]).output)["explanations"]
    assert list(found) == ["accuracy lost by shuffling"]
    assert abs(found["accuracy lost by shuffling"]["x2"]) < 0.05


def test_several_runs_show_the_same_inputs_in_the_same_colours(tmp_path):
    X = np.random.default_rng(4).normal(size=(1500, 12))
    y = X @ np.arange(12) > 0
    runs = [
        prequential(from_arrays(X, y), learner, observers=PermutationImportance(window=200))
        for learner in (LogisticMixture(), NaiveBayes())
    ]
    page = report.write(runs, tmp_path / "page.html").read_text()
    assert "<h1>LogisticMixture and NaiveBayes on " in page
    charts = re.findall(r'aria-label="accuracy lost by shuffling".*?</svg>', page)
    found = [re.findall(r'<path class="line (line.)" data-name="(x.*?)"', chart) for chart in charts]
    assert len(found) == 4 and len(found[0]) == 7
    assert all(each == found[0] for each in found)
    assert ("line6", "x11") in found[0]


def test_a_peak_does_not_flatten_a_chart():
    values = np.linspace(-1, 1, 200).reshape(100, 2)
    values[3, 0] = 1e5
    inside, note = page_explanations._inside(values)
    assert inside.max() < 4 and note == " Peaks are cut off: the values are -1 to 100,000."
    np.testing.assert_array_equal(np.delete(inside, 3, axis=0), np.delete(values, 3, axis=0))
    assert page_explanations._inside(inside[:3])[1] == ""
