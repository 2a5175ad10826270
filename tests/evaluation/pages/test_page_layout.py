"""Pages laid out by a browser: nothing sticks out, text is readable, and the pointer shows values."""

import numpy as np
import pyarrow as pa
import pytest
from support.browser import ask, needs_chromium

from thalweg.drift import HellingerMonitor
from thalweg.evaluation import (
    Explanations,
    PermutationImportance,
    compare,
    detect_drift,
    metrics,
    prequential,
    report,
)
from thalweg.evaluation.pages import drift_page, label_errors_page
from thalweg.evaluation.wrong_labels.find import label_errors_in_stream
from thalweg.evaluation.wrong_labels.words import Lines
from thalweg.learners import DynamicWeightedMajority, HoeffdingTree, LogisticMixture, NaiveBayes
from thalweg.streams import LED, SEA, from_arrays, from_file

pytestmark = needs_chromium

LAYOUT = """(function () {
  var shown = Array.from(document.querySelectorAll("svg.chart, svg.ranks")).filter(function (svg) {
    return svg.getBoundingClientRect().width > 0; });
  var sizes = shown.map(function (svg) {
    return 13 * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width; });
  var outside = shown.reduce(function (names, svg) {
    var box = svg.getBoundingClientRect();
    return names.concat(Array.from(svg.querySelectorAll("text")).filter(function (text) {
      var place = text.getBoundingClientRect();
      return place.right > box.right + 1 || box.left - 1 > place.left; }).map(function (text) {
      return text.textContent; })); }, []);
  return { overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
           smallest: Math.min.apply(null, sizes), n: shown.length, outside: outside };
})()"""

HOVER = """(function () {
  var svg = Array.from(document.querySelectorAll("svg.chart[data-frame]")).filter(function (svg) {
    return svg.getBoundingClientRect().width > 0; })[0];
  var box = svg.getBoundingClientRect(), frame = svg.dataset.frame.split(" ").map(Number);
  var x = box.left + frame[1] / svg.viewBox.baseVal.width * box.width;
  svg.dispatchEvent(new window.PointerEvent("pointermove", { clientX: x, clientY: box.top + 60 }));
  var tip = svg.parentNode.querySelector(".tip"), place = tip.getBoundingClientRect();
  var seen = { hidden: tip.hidden, text: tip.innerText, inside: place.left >= 0, right: place.right };
  svg.dispatchEvent(new window.PointerEvent("pointerleave"));
  return { seen: seen, after: tip.hidden };
})()"""


@pytest.fixture(scope="module")
def one():
    return prequential(SEA(4000, period=1000), DynamicWeightedMajority())


@pytest.fixture(scope="module")
def several(one):
    learners = (NaiveBayes(), HoeffdingTree(), LogisticMixture(), LogisticMixture(prior=2.0))
    observers = [Explanations(), PermutationImportance()]
    return [one, *(prequential(SEA(4000, period=1000), learner, observers=observers) for learner in learners)]


@pytest.mark.parametrize("width", [420, 900, 1400])
@pytest.mark.parametrize("kind", ["one", "several", "many classes"])
def test_nothing_sticks_out_and_text_is_readable(kind, width, one, several, tmp_path):
    runs = {"one": one, "several": several}.get(kind) or prequential(LED(2000), NaiveBayes())
    found = ask(report.write(runs, tmp_path / "page.html"), width, LAYOUT, tmp_path)
    assert found["overflow"] == 0
    assert found["n"] >= 3
    assert found["smallest"] >= 10.5
    assert found["outside"] == []


def dated_stream(n_sensors):
    random = np.random.default_rng(n_sensors)
    when = np.datetime64("2024-01-01T00:00", "s") + np.arange(6000) * np.timedelta64(600, "s")
    sensors = np.array([f"WWW sensor {i}" for i in random.integers(n_sensors, size=6000)])
    table = pa.table({"WWW moment of the visit": pa.array(when), "sensor": sensors})
    return from_arrays(table, np.zeros(6000))


@pytest.mark.parametrize("width", [420, 900, 1400])
def test_pages_of_drift_and_comparisons_are_readable_too(width, tmp_path, monkeypatch):
    monkeypatch.setenv("THALWEG_CACHE", str(tmp_path / "cache"))
    random = np.random.default_rng(3)
    X = random.normal(size=(6000, 3)) + (np.arange(6000) > 3000)[:, None] * [3.0, 0.0, 1.0]
    names = ["price of the day before in the other area", "x", "y"]
    stream = from_arrays(X, random.random(6000) < 0.5, names=names)
    drift = detect_drift(stream, HellingerMonitor(window=500, reference=1000))
    pages = [drift_page.write(drift, tmp_path / "a.html")]
    dated = [dated_stream(n_sensors) for n_sensors in (20, 30)]
    weekly = detect_drift(dated[1], windows="week", reference=dated[0])
    assert weekly.findings and weekly.new_categories
    pages.append(drift_page.write(weekly, tmp_path / "c.html"))
    learners = {"NaiveBayes": NaiveBayes(), "one with a long name": HoeffdingTree(), "c": LogisticMixture()}
    found = compare(learners, ["sea", "led", "sphere"], rows=500, n_jobs=1)
    pages.append(found.write(tmp_path / "b.html"))
    for page in pages:
        seen = ask(page, width, LAYOUT, tmp_path)
        assert seen["overflow"] == 0
        assert seen["n"] >= 2
        assert seen["smallest"] >= 10.5
        assert seen["outside"] == []


def test_nothing_is_cut_off_in_print(several, tmp_path):
    page = report.write(several, tmp_path / "page.html")
    text = page.read_text(encoding="utf-8").replace("@media screen", "@media tty")
    page.write_text(text.replace("@media print", "@media screen"), encoding="utf-8")
    cut = """Array.from(document.querySelectorAll(".scroll table")).map(function (table) {
      return table.getBoundingClientRect().right - window.innerWidth; })"""
    assert max(ask(page, 720, cut, tmp_path)) <= 0


@pytest.mark.parametrize("width", [420, 1400])
def test_the_pointer_shows_values(width, one, tmp_path):
    found = ask(report.write(one, tmp_path / "page.html", window=500), width, HOVER, tmp_path)
    seen = found["seen"]
    assert not seen["hidden"] and seen["inside"] and seen["right"] <= width and found["after"]
    head, *lines = [line for line in seen["text"].splitlines() if line.strip()]
    assert head in ("row 3,999", "row 4,000", "row 3,998")
    accuracy = 100 * metrics.accuracy(one, window=500)[-1]
    value, _, name = lines[0].partition(" % ")
    assert float(value) == pytest.approx(accuracy, abs=0.11)
    assert name == "DynamicWeightedMajority"
    assert len(lines) == 4


def test_long_names_of_inputs_stay_inside(tmp_path):
    X = np.random.default_rng(1).normal(size=(2000, 3))
    names = [f"average of the daily prices of the week before, area {j}" for j in range(3)]
    run = prequential(from_arrays(X, X[:, 0] > 0, names=names), LogisticMixture(), observers=Explanations())
    for width in (420, 1400):
        found = ask(report.write(run, tmp_path / "page.html"), width, LAYOUT, tmp_path)
        assert found["overflow"] == 0 and found["outside"] == []


def test_a_table_that_scrolls_shows_it(several, tmp_path):
    page = report.write(several, tmp_path / "page.html")
    shaded = """Array.from(document.querySelectorAll(".scroll")).filter(function (box) {
      return box.scrollWidth > box.clientWidth; }).map(function (box) {
      return window.getComputedStyle(box).backgroundImage; })"""
    found = ask(page, 420, shaded, tmp_path)
    assert found and all("gradient" in each for each in found)


@pytest.mark.parametrize("width", [420, 900])
def test_the_page_of_label_errors_is_readable_too(width, tmp_path):
    lines = ["id;price;when;note;ok"]
    for i in range(200):
        note = "a long remark about the customer and the goods, and a_word_that_does_not_end_" + "x" * 60
        lines.append(f"A{i:05};{i * 7 % 31};{i % 28 + 1:02}.03.2024;{note};{'yes' if i % 31 > 15 else 'no'}")
    path = tmp_path / "orders.csv"
    path.write_text("\n".join(lines) + "\n")
    stream = from_file(path, ignore=["note"])
    found = label_errors_in_stream(stream, [NaiveBayes()])
    page = label_errors_page.write(Lines(found, stream, 5), "orders.csv", tmp_path / "page.html")
    seen = ask(page, width, LAYOUT, tmp_path)
    assert seen["overflow"] == 0 and seen["outside"] == []
    cells = ask(page, width, "Math.max.apply(null, Array.from(document.querySelectorAll('div.long')).map("
                "function (cell) { return cell.getBoundingClientRect().width; }))", tmp_path)
    assert 200 < cells < 700
