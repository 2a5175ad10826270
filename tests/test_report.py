"""The page about a run: well formed, complete, nothing from outside, nothing taken for markup."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import scipy.stats

from thalweg.evaluation import holdout, metrics, prequential, report
from thalweg.evaluation.chart import Line, line_chart
from thalweg.learners import MajorityClass, NaiveBayes
from thalweg.streams import SEA


@pytest.fixture(scope="module")
def run():
    result = prequential(SEA(4000, period=1000), NaiveBayes())
    result.alarms = np.array([1100, 2200])
    return result


def page_of(runs, folder, **settings):
    text = report.write(runs, folder / "page.html", **settings).read_text(encoding="utf-8")
    return text, ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))


def words(tree):
    return " ".join(text.strip() for text in tree.itertext() if text.strip())


def rows_of(tree, number):
    table = list(tree.iter("table"))[number]
    return [[cell.text for cell in row] for row in table.iter("tr")]


def test_the_page_needs_nothing_else(run, tmp_path):
    text, tree = page_of(run, tmp_path)
    assert tree.tag == "html"
    assert not list(tree.iter("script"))
    assert set(re.findall(r"https?://[^\"' ]+", text)) == {"http://www.w3.org/2000/svg"}
    assert "prefers-color-scheme: dark" in text
    assert len(text) < 100_000


def test_the_page_has_the_figures_of_learner_and_baselines(run, tmp_path):
    _, tree = page_of(run, tmp_path)
    head, learner, majority, last, chain = rows_of(tree, 0)
    assert head[1:] == [
        "accuracy", "balanced accuracy", "kappa", "kappa M", "kappa temporal", "AUC", "log-loss", "rows/s"
    ]
    names = ("accuracy", "balanced_accuracy", "kappa", "kappa_m", "kappa_temporal", "auc")
    assert learner[:-2] == ["NaiveBayes", *(f"{100 * getattr(metrics, name)(run):.2f} %" for name in names)]
    assert learner[-2] == f"{metrics.log_loss(run):.4f}"
    summary = run.summary()
    assert {name: summary[name] for name in names} == {name: getattr(metrics, name)(run) for name in names}
    assert majority[:2] == ["majority class", f"{100 * summary['baselines']['majority']:.2f} %"]
    assert majority[4] == last[5] == "0.00 %"
    assert majority[-2:] == last[-2:] == ["–", "–"]
    assert last[:2] == ["repeat the last label", f"{100 * summary['baselines']['no_change']:.2f} %"]
    shown = f"{100 * summary['baselines']['label_chain']:.2f} %"
    assert chain[:2] == ["what followed the last label", shown]
    assert f"{100 * summary['accuracy']:.2f} % of 4,000 rows correctly" in words(tree)


def test_the_page_has_each_class(run, tmp_path):
    _, tree = page_of(run, tmp_path)
    for k, cells in enumerate(rows_of(tree, 1)[1:]):
        true, answered = run.labels == k, run.predicted == k
        right = (true & answered).sum()
        shares = [f"{100 * right / answered.sum():.2f} %", f"{100 * right / true.sum():.2f} %"]
        assert cells == [str(k), f"{true.sum():,}", f"{answered.sum():,}", *shares]


def test_drifts_known_and_found_are_marked_apart(run, tmp_path):
    text, tree = page_of(run, tmp_path)
    for row in ("1,000", "2,000", "3,000"):
        assert f"<title>known drift at row {row}</title>" in text
    for row in ("1,100", "2,200"):
        assert f"<title>drift found at row {row}</title>" in text
    assert "known drift" in words(tree)
    assert "drift the learner found" in words(tree)


def test_the_lines_are_the_sliding_accuracy(run):
    drawn = report.picture(run, window=500)
    assert "accuracy over the last 500 rows" in drawn
    tree = ElementTree.fromstring(drawn)
    ticks = [
        (float(node.text.removesuffix(" %")) / 100, float(node.get("y")) - 4)
        for node in tree.iter("{http://www.w3.org/2000/svg}text")
        if node.text.endswith(" %")
    ]
    (low, bottom), (high, top) = ticks[0], ticks[-1]
    paths = [node for node in tree.iter("{http://www.w3.org/2000/svg}path") if node.get("class") == "line"]
    last = float(paths[-1].get("d").split()[-1])
    drawn_accuracy = low + (bottom - last) / (bottom - top) * (high - low)
    assert drawn_accuracy == pytest.approx(metrics.accuracy(run, window=500)[-1], abs=1e-3)


def test_what_comes_from_data_is_never_markup(run, tmp_path):
    evil = "<script>alert('&')</script>"
    marked = prequential(SEA(500), NaiveBayes())
    marked.classes = np.array([evil, '"'])
    marked.learner, marked.stream, marked.parameters = evil, evil, {evil: evil}
    _, tree = page_of([marked, run], tmp_path, title=evil)
    assert not list(tree.iter("script"))
    assert tree.find("head/title").text == evil
    assert [row[0] for row in rows_of(tree, 1)[1:]] == [evil, '"']


def test_runs_under_the_same_settings_share_a_picture(run, tmp_path):
    other = prequential(SEA(4000, period=1000), MajorityClass())
    late = prequential(SEA(4000, period=1000), NaiveBayes(), delay=scipy.stats.poisson(mu=40))
    text, tree = page_of([run, other, late], tmp_path)
    assert text.count("<svg") == 2
    assert [row[0] for row in rows_of(tree, 0)[1:3]] == ["NaiveBayes", "MajorityClass"]
    assert "delay poisson(mu=40)" in words(tree)


def test_tests_on_samples_are_drawn_one_by_one(tmp_path):
    run = holdout(SEA(3000), NaiveBayes(), 500, 100)
    text, _ = page_of(run, tmp_path)
    assert "accuracy of each test" in text
    path = next(line for line in text.split("<path") if 'class="line"' in line and "L" in line)
    assert path.count("L") == 5


def test_skipped_rows_and_a_stopped_run_are_said(tmp_path):
    run = prequential(SEA(50), NaiveBayes())
    run.skipped, run.interrupted, run.messages = 1234, True, ["row 7: 'x<y' is no number"]
    _, tree = page_of(run, tmp_path)
    assert "1,234 unreadable rows were skipped" in words(tree)
    assert "row 7: 'x<y' is no number" in words(tree)
    assert "results so far" in words(tree)


def test_an_empty_run_has_a_page_too(tmp_path):
    _, tree = page_of(prequential(SEA(10), NaiveBayes(), rows=0), tmp_path)
    assert "No row was scored." in words(tree)
    with pytest.raises(ValueError, match="no run"):
        report.write([], tmp_path / "page.html")


def test_lines_break_where_nothing_is_known():
    y = np.array([0.5, np.nan, 0.6, 0.7])
    path = line_chart([Line("a", "line0", np.arange(4), y)], 4).split('d="')[-1].split('"')[0]
    assert (path.count("M"), path.count("L")) == (2, 1)
