"""The matplotlib figures show the numbers of the page."""

import numpy as np
import pytest

from thalweg.evaluation import curves, metrics, plots, prequential, report
from thalweg.learners import DynamicWeightedMajority, NaiveBayes
from thalweg.streams import SEA


@pytest.fixture(scope="module")
def run():
    result = prequential(SEA(4000, period=1000), DynamicWeightedMajority())
    result.alarms = np.array([1100, 2200])
    return result


def lines_of(axes):
    return {line.get_label(): line for line in axes.lines}


def test_accuracy_over_time(run):
    other = prequential(SEA(4000, period=1000), NaiveBayes())
    axes = plots.accuracy_over_time([run, other], window=500)
    lines = list(lines_of(axes).values())
    assert lines[0].get_ydata()[-1] == pytest.approx(100 * metrics.accuracy(run, window=500)[-1])
    assert sum(line.get_label().startswith(("majority", "repeat", "Markov")) for line in lines) == 3
    marks = [line.get_xdata() for line in lines if line.get_linestyle() == "None" and len(line.get_xdata())]
    assert [list(each) for each in marks] == [[1100, 2200], [1000, 2000, 3000]]
    assert lines[0].get_color() != lines[2].get_color()
    total = plots.accuracy_over_time(run, cumulative=True, baselines=False)
    assert total.lines[0].get_ydata()[-1] == pytest.approx(100 * metrics.accuracy(run))
    assert "so far" in total.get_ylabel()


def test_confusion(run):
    axes = plots.confusion(run)
    matrix = run.confusion()
    rates = 100 * matrix / matrix.sum(axis=1, keepdims=True)
    assert [text.get_text() for text in axes.texts] == [f"{rate:.1f}" for rate in rates.ravel()]


def test_reliability(run):
    axes = plots.reliability(run)
    found = curves.reliability(run)
    drawn = lines_of(axes)["DynamicWeightedMajority"]
    enough = found.rows >= 20
    points = 100 * np.column_stack([found.sure, found.right])[enough]
    np.testing.assert_allclose(drawn.get_xydata(), points)
    best = run.probabilities.max(axis=1)
    sure = (best >= 0.9) & (best < 0.95)
    place = np.argmin(abs(found.sure - best[sure].mean()))
    assert found.rows[place] == sure.sum()
    assert found.right[place] == pytest.approx((run.codes == run.predicted)[sure].mean())


def test_label_shares(run):
    axes = plots.label_shares(run)
    shares = curves.label_shares(run)
    np.testing.assert_allclose(shares.values.sum(axis=1), 1.0)
    first = run.codes[: shares.rows[0]]
    assert axes.lines[1].get_ydata()[0] == pytest.approx(100 * (first == 1).mean())
    assert shares.rows[-1] == 4000


def test_weights(run):
    axes = plots.weights(run, most=3)
    assert len(axes.lines) == 3
    with pytest.raises(ValueError, match="NaiveBayes has no weights"):
        plots.weights(prequential(SEA(100), NaiveBayes()))


def test_given_axes_are_used_and_no_run_is_an_error(run, tmp_path):
    axes = plots.confusion(run)
    assert plots.label_shares(run, axes=axes) is axes
    axes.figure.savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 1000
    with pytest.raises(ValueError, match="no run"):
        plots.reliability([])


def test_without_matplotlib_an_error_says_what_to_do(run, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"thalweg\[plot\]"):
        plots.confusion(run)


def test_the_page_and_the_figures_draw_the_same_lines(run, monkeypatch):
    line = curves.Line("only", "line0", np.array([0, 2000, 4000]), np.array([0.25, 0.5, 0.75]))
    monkeypatch.setattr(curves, "accuracy_lines", lambda *_: [line])
    assert report.picture(run).count('data-name="only"') == report.picture(run).count("data-name=") == 1
    drawn = plots.accuracy_over_time(run).lines[0]
    assert drawn.get_xydata().tolist() == [[0, 25], [2000, 50], [4000, 75]]
    assert drawn.get_label().startswith("only: ")


def test_dollars_in_labels_are_no_formula(tmp_path):
    X = np.arange(60.0)[:, None] % 7
    y = np.array(["$0-$50", "$a_{b$"])[(X[:, 0] > 3).astype(int)]
    run = prequential((X, y), NaiveBayes())
    axes = plots.confusion(run)
    axes.figure.savefig(tmp_path / "c.png")
    assert {each.get_text().replace("\\", "") for each in axes.get_xticklabels()} == {"$0-$50", "$a_{b$"}
    plots.label_shares(run).figure.savefig(tmp_path / "s.png")
