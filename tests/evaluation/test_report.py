"""The page about runs: well formed, complete, nothing from outside, nothing taken for markup."""

import itertools
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import scipy.stats

from thalweg.evaluation import holdout, metrics, prequential, report
from thalweg.evaluation.curves import Line
from thalweg.evaluation.pages.svg import draw, line_chart, row_ticks, share_scale
from thalweg.evaluation.summary import with_error
from thalweg.learners import (
    AdaptiveLogistic,
    DynamicWeightedMajority,
    HoeffdingTree,
    MajorityClass,
    NaiveBayes,
)
from thalweg.streams import SEA

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def run():
    result = prequential(SEA(4000, period=1000), NaiveBayes())
    result.alarms = np.array([1100, 2200])
    return result


def page_of(runs, folder, **settings):
    text = report.write(runs, folder / "page.html", **settings).read_text(encoding="utf-8")
    return text, ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))


def words(tree):
    return " ".join(" ".join(tree.itertext()).split())


def rows_of(tree, number):
    table = list(tree.iter("table"))[number]
    return [[" ".join("".join(cell.itertext()).split()) for cell in row] for row in table.iter("tr")]


def test_the_page_needs_nothing_else(run, tmp_path):
    text, tree = page_of(run, tmp_path)
    assert tree.tag == "html"
    assert len(list(tree.iter("script"))) == 1
    assert set(re.findall(r"https?://[^\"' ]+", text)) == {"http://www.w3.org/2000/svg"}
    assert "prefers-color-scheme: dark" in text and "@media print" in text
    assert len(text) < 150_000


def test_headings_have_levels_in_order(run, tmp_path):
    other = prequential(SEA(4000, period=1000), MajorityClass(), delay=5)
    for runs in (run, [run, other]):
        text, _ = page_of(runs, tmp_path)
        levels = [int(level) for level in re.findall(r"<h(\d)>", text)]
        assert levels[0] == 1 and levels.count(1) == 1
        assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_the_page_has_the_figures_of_learner_and_baselines(run, tmp_path):
    _, tree = page_of(run, tmp_path)
    head, *lines = rows_of(tree, 0)
    assert head[1:3] == ["NaiveBayes", "majority class"]
    assert head[3:] == ["repeat the last label", "Markov chain of labels"]
    cells = {line[0]: line[1:] for line in lines}
    summary = run.summary()
    share, error = summary["accuracy"], summary["accuracy_error"]
    assert cells["accuracy"][0] == f"{100 * share:.2f} % ± {100 * error:.2f}"
    for title in ("balanced accuracy", "kappa", "kappa M", "kappa temporal", "AUC"):
        name = title.lower().replace(" ", "_")
        assert cells[title][0] == f"{100 * summary[name]:.2f} %"
        assert summary[name] == getattr(metrics, name)(run)
    assert cells["log-loss"] == [f"{metrics.log_loss(run):.4f}", "–", "–", "–"]
    for place, name in enumerate(("majority", "no_change", "label_chain"), start=1):
        share, error = summary["baselines"][name], summary["baselines_errors"][name]
        assert cells["accuracy"][place] == f"{100 * share:.2f} % ± {100 * error:.2f}"
    assert cells["kappa M"][1] == cells["kappa temporal"][2] == "0.00 %"
    assert f"{with_error(run)} of 4,000 rows correctly" in words(tree)


def test_the_page_has_each_class_and_the_confusion(run, tmp_path):
    _, tree = page_of(run, tmp_path)
    matrix = run.confusion()
    for k, cells in enumerate(rows_of(tree, 1)[1:]):
        true, answered = run.codes == k, run.predicted == k
        right = (true & answered).sum()
        of = answered.sum(), true.sum(), (answered.sum() + true.sum()) / 2
        shares = [f"{100 * right / n:.2f} %" for n in of]
        assert cells == [str(k), f"{true.sum():,}", f"{answered.sum():,}", *shares]
        for j in range(2):
            assert matrix[k, j] == (true & (run.predicted == j)).sum()
            shown = f"{100 * matrix[k, j] / true.sum():.2f} %{matrix[k, j]:,}"
            assert rows_of(tree, 2)[1 + k][1 + j] == shown


def test_drifts_known_and_found_are_marked_apart_with_their_number(run, tmp_path):
    text, tree = page_of(run, tmp_path)
    for row in ("1,000", "2,000", "3,000"):
        assert f"<title>known drift at row {row}</title>" in text
    for row in ("1,100", "2,200"):
        assert f"<title>drift found at row {row}</title>" in text
    assert "3 known drifts" in words(tree)
    assert "2 drifts found" in words(tree)


def test_many_alarms_are_shown_as_density():
    line = Line("a", "line0", np.arange(1000), np.full(1000, 0.5))
    text = line_chart([line], 1000, alarms=np.arange(0, 500))
    assert "500 drifts found" in text
    assert text.count("<rect") == 2 * 40
    assert "drift found: 13 from row 0 to 12" in text


def test_the_lines_are_the_sliding_accuracy(run):
    drawn = report.picture(run, window=500)
    assert "accuracy over the last 500 rows" in drawn
    tree = ElementTree.fromstring(drawn)
    left, right, top, bottom, n_rows, low, high = map(float, tree.get("data-frame").split())
    path = next(each for each in tree.iter(f"{SVG}path") if each.get("data-name") == "NaiveBayes")
    x, y = map(float, path.get("d").rpartition("L")[2].split())
    drawn_accuracy = low + (bottom - y) / (bottom - top) * (high - low)
    assert drawn_accuracy == pytest.approx(metrics.accuracy(run, window=500)[-1], abs=1e-3)
    assert (x - left) / (right - left) * n_rows == pytest.approx(3999, abs=1)
    total = report.picture(run, cumulative=True)
    y = float(re.search(r'data-name="NaiveBayes" d="[^"]* ([\d.]+)"', total)[1])
    _, _, top, bottom, _, low, high = map(float, re.search('data-frame="([^"]+)"', total)[1].split())
    drawn_accuracy = low + (bottom - y) / (bottom - top) * (high - low)
    assert drawn_accuracy == pytest.approx(metrics.accuracy(run), abs=1e-3)


@pytest.mark.parametrize("n_rows", [1, 7, 100, 4000, 45312, 1_000_000])
def test_the_axis_goes_to_the_end(n_rows):
    ticks = row_ticks(n_rows, 6)
    assert ticks[0] == 0 and ticks[-1] == n_rows
    assert ticks == sorted(set(ticks)) and len(ticks) <= 9


def test_labels_of_lines_do_not_overlap():
    lines = [Line(f"a{i}", f"line{i}", np.arange(10), np.full(10, 0.9 + i / 1000)) for i in range(8)]
    tree = ElementTree.fromstring(draw(lines, 10, [], "", share_scale([line.y for line in lines])))
    names = [node for node in tree.iter(f"{SVG}text") if (node.text or "").startswith("a")]
    places = sorted(float(node.get("y")) for node in names)
    assert len(places) == 8 and min(np.diff(places)) >= 15.9


def test_what_comes_from_data_is_never_markup(run, tmp_path):
    evil = "<script>alert('&')</script>"
    marked = prequential(SEA(500), NaiveBayes())
    marked.classes = np.array([evil, '"'])
    marked.learner, marked.stream, marked.parameters = evil, evil, {evil: evil}
    marked.command = marked.date = evil
    _, tree = page_of([marked, run], tmp_path, title=evil)
    assert len(list(tree.iter("script"))) == 1
    assert tree.find("head/title").text == evil
    assert [row[0] for row in rows_of(tree, 1)[1:]] == [evil, '"']


def test_several_runs_share_tables_sorted_by_accuracy(run, tmp_path):
    others = [prequential(SEA(4000, period=1000), learner) for learner in (MajorityClass(), HoeffdingTree())]
    runs = [run, *others]
    _, tree = page_of(runs, tmp_path)
    names = [row[0] for row in rows_of(tree, 0)[1:]]
    accuracies = {each.learner: metrics.accuracy(each) for each in runs}
    order = sorted(accuracies, key=accuracies.get, reverse=True)
    assert [name for name in names if name in accuracies] == order
    table = next(tree.iter("table"))
    best = [cell for cell in table.iter("td") if cell.get("class") == "best"]
    assert "".join(best[0].itertext()) == with_error(max(runs, key=metrics.accuracy))
    chart = next(tree.iter(f"{SVG}svg"))
    for line in table.iter("tr"):
        swatch, name = line.find("td/svg/path"), "".join(line[0].itertext())
        if name:
            drawn = [path for path in chart.iter(f"{SVG}path") if path.get("data-name") == name]
            assert [path.get("class") for path in drawn] == [swatch.get("class")]
    assert len({path.get("class") for path in chart.iter(f"{SVG}path") if path.get("data-name")}) == 6


def test_only_settings_that_differ_are_compared(tmp_path):
    runs = [prequential(SEA(500), HoeffdingTree(grace_period=n)) for n in (100, 200)]
    _, tree = page_of(runs, tmp_path)
    different, same = tree.iter("dl")
    names, values = (["".join(each.itertext()) for each in different.iter(tag)] for tag in ("dt", "dd"))
    assert names == ["HoeffdingTree 1", "HoeffdingTree 2"]
    assert values[0].startswith("grace_period 100") and values[1].startswith("grace_period 200")
    assert "max_features" not in values[0] and "max_features" in words(same)


def test_runs_under_the_same_settings_share_a_picture(run, tmp_path):
    other = prequential(SEA(4000, period=1000), MajorityClass())
    late = prequential(SEA(4000, period=1000), NaiveBayes(), delay=scipy.stats.poisson(mu=40))
    text, tree = page_of([run, other, late], tmp_path)
    assert len(re.findall("<h2>", text)) == text.count("<h3>Accuracy over time</h3>") == 2
    assert "delay poisson(mu=40)" in words(tree)


def test_weights_and_forgetting_are_drawn_over_time(tmp_path):
    for learner, title in ((DynamicWeightedMajority(), "weight"), (AdaptiveLogistic(), "forgetting")):
        run = prequential(SEA(8000, period=2000), learner, block=100)
        assert len(run.history.rows) <= 128 and run.history.rows[-1] >= 7000
        text, _ = page_of(run, tmp_path)
        assert f'aria-label="{title}"' in text
    assert 'The learner over time' not in page_of(prequential(SEA(500), NaiveBayes()), tmp_path)[0]


def test_of_many_classes_the_most_frequent_are_shown(tmp_path):
    run = prequential(SEA(3000), NaiveBayes())
    run.classes = np.arange(60)
    run.probabilities = np.pad(run.probabilities, ((0, 0), (0, 58)))
    run.codes = (np.arange(3000) % 60).astype(np.int8)
    _, tree = page_of(run, tmp_path)
    assert len(rows_of(tree, 1)) == 51
    assert rows_of(tree, 2)[0][-1] == "51 others"
    assert sum(int(cell.split("%")[-1].replace(",", "").strip("–")) for row in rows_of(tree, 2)[1:]
               for cell in row[1:]) == 3000


def test_settings_say_what_none_became(tmp_path):
    run = prequential(SEA(500), DynamicWeightedMajority(member=None, random_state=None))
    run.command = "thalweg run sea"
    _, tree = page_of(run, tmp_path)
    said = words(tree)
    assert "None → " in said
    assert "inputs (number) x0, x1, x2" in said
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", said)
    assert "thalweg run sea" in said and f"thalweg {run.version}" in said


def test_tests_on_samples_are_drawn_one_by_one(tmp_path):
    run = holdout(SEA(3000), NaiveBayes(), every=500, n=100)
    text, _ = page_of(run, tmp_path)
    assert "accuracy of each test" in text
    path = re.search(r'data-name="NaiveBayes" d="([^"]+)"', text)[1]
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
    path = re.search(r'data-name="a" d="([^"]+)"', line_chart([Line("a", "line0", np.arange(4), y)], 4))[1]
    assert (path.count("M"), path.count("L")) == (2, 1)
