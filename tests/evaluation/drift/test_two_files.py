"""`thalweg drift last.csv this.csv` and `detect_drift(stream, reference=other)`: comparisons and words."""

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from thalweg.commands.app import app
from thalweg.drift import HellingerMonitor
from thalweg.evaluation import detect_drift
from thalweg.evaluation.drift import words as drift_words
from thalweg.evaluation.pages import drift_page
from thalweg.streams import from_arrays, from_file

COLUMNS = ("price", "sensor", "flag", "old", "ok")


def write(path, n, seed, shift=0.0, sensors=5, columns=COLUMNS, price="{:.3f}"):
    rng = np.random.default_rng(seed)
    cells = {
        "price": [price.format(value) for value in rng.normal(size=n) + shift],
        "sensor": [f"s{i}" for i in rng.integers(sensors, size=n)],
        "flag": [str(i) for i in rng.integers(2, size=n)],
        "old": [f"{value:.2f}" for value in rng.random(n)],
        "new": [f"{value:.2f}" for value in rng.random(n)],
        "ok": ["yes" if value else "no" for value in rng.integers(2, size=n)],
    }
    rows = zip(*(cells[name] for name in columns), strict=True)
    path.write_text("\n".join(",".join(row) for row in [columns, *rows]) + "\n")
    return str(path)


@pytest.fixture
def last(tmp_path):
    return write(tmp_path / "last.csv", 2000, 1)


def drift(*arguments):
    done = CliRunner().invoke(app, ["drift", *map(str, arguments)])
    assert done.exit_code == 0, done.output + str(done.exception)
    return done.output


def found(*arguments):
    return json.loads(drift(*arguments, "--json"))


def test_files_that_do_not_differ_give_no_alarm(last, tmp_path):
    answer = found(last, write(tmp_path / "this.csv", 2400, 2))
    assert answer["changed"] == [] and answer["new_categories"] == []
    assert (answer["rows"], answer["reference"], answer["reference_stream"]) == (2400, 2000, last)
    assert answer["windows"] == 20


def test_a_shift_is_found_as_a_whole_and_in_windows(last, tmp_path):
    answer = found(last, write(tmp_path / "this.csv", 2400, 2, shift=1.0))
    (price,) = answer["changed"]
    assert price["input"] == "price" and price["as_a_whole"] is True and price["windows_changed"] > 15
    assert price["words"].startswith("in all rows together and in ") and "higher (median" in price["words"]


def test_a_small_shift_is_found_as_a_whole_only(last, tmp_path):
    this = write(tmp_path / "this.csv", 3000, 2, shift=0.25)
    (price,) = found(last, this, "--window", 50, "--longest", 1)["changed"]
    assert price["as_a_whole"] is True and price["windows_changed"] == 0
    assert "in all rows together, but in no window alone" in price["words"]
    (price,) = found(last, this, "--window", 50)["changed"]
    assert price["as_a_whole"] is True and price["windows_changed"] == 0 and price["windows_together"] > 1
    assert f"in {price['windows_together']} windows together, but in no window alone" in price["words"]


def test_columns_that_only_one_file_has_are_said(last, tmp_path):
    other = write(tmp_path / "this.csv", 2000, 2, columns=("new", "sensor", "price", "flag", "ok"))
    answer = found(last, other)
    assert answer["columns_missing"] == ["old"] and answer["columns_new"] == ["new"]
    assert answer["changed"] == [] and answer["inputs"] == 4
    words = " ".join(drift(last, other).split())
    assert "that are missing: old." in words and "New columns, not compared: new." in words


def test_a_column_named_as_a_date_is_one_in_both_files(tmp_path):
    paths = [tmp_path / "last.csv", tmp_path / "this.csv"]
    for path, start in zip(paths, (1_577_923_200, 1_580_342_400), strict=True):  # four weeks each
        rows = [f"{start + 3600 * i},{i % 7},{'yes' if i % 2 else 'no'}" for i in range(28 * 24)]
        path.write_text("\n".join(["at,size,ok", *rows]) + "\n")
    assert "at" in found(*paths, "--window", 100)["columns"]["number"]
    answer = found(*paths, "--date", "at", "--window", "week")
    assert answer["not_compared"].keys() == {"at: elapsed days"} and answer["changed"] == []


def test_a_column_of_another_kind_is_left_out_and_said(last, tmp_path):
    answer = found(last, write(tmp_path / "this.csv", 2000, 2, price="about {:.0f}"))
    assert "number in" in answer["not_compared"]["price"] and "category in" in answer["not_compared"]["price"]
    assert answer["inputs"] == 4


def test_new_categories_have_their_names(last, tmp_path):
    answer = found(last, write(tmp_path / "this.csv", 2000, 2, sensors=7))
    assert {each["value"] for each in answer["new_categories"]} == {"s5", "s6"}
    assert sum(each["rows"] for each in answer["new_categories"]) > 400
    assert "new: “s" in next(each["words"] for each in answer["changed"] if each["input"] == "sensor")


def test_labels_are_compared_with_a_target(last, tmp_path):
    other = tmp_path / "this.csv"
    write(other, 2000, 2)
    other.write_text(other.read_text().replace(",yes", ",maybe"))
    answer = found(last, other, "--target", "ok")
    assert answer["new_labels"] == ["maybe"]
    assert "labels" in {each["kind"] for each in answer["changed"]}


def test_findings_are_saved_as_csv(last, tmp_path):
    other = write(tmp_path / "this.csv", 2000, 2, shift=1, sensors=6, columns=("price", "sensor", "new"))
    drift(last, other, "--save", tmp_path / "found.csv", "--report", tmp_path / "page.html")
    with open(tmp_path / "found.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    kinds = {(row["kind"], row["input"]) for row in rows}
    assert {("input", "price"), ("new category", "sensor"), ("new column", "new")} <= kinds
    assert {("missing column", name) for name in ("flag", "old", "ok")} <= kinds
    assert float(rows[0]["p_value"]) < 1e-6 and rows[0]["as_a_whole"] == "True"
    assert "New in sensor: s5" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--reference", "100"], "are the reference of"),
        (["--window", "3"], "--window 3"),
        (["--save", "nowhere/found.csv"], "no folder"),
        (["--window", "week"], "column of dates"),
    ],
)
def test_mistakes_are_said(last, arguments, words):
    done = CliRunner().invoke(app, ["drift", last, last, *arguments])
    assert done.exit_code == 1 and words in str(done.exception)


def test_categories_are_matched_by_value_whatever_their_codes():
    a = from_arrays([["x"]] * 600 + [["y"]] * 600, [0] * 1200, categorical=[0])
    b = from_arrays([["y"], ["x"], ["z"]] * 400, [0] * 1200, categorical=[0])
    report = detect_drift(b, HellingerMonitor(window=300), reference=a)
    assert [(new.name, new.first_row, new.n_rows) for new in report.new_categories] == [("z", 2, 400)]
    same = from_arrays([["y"], ["x"]] * 600, [0] * 1200, categorical=[0])
    assert detect_drift(same, HellingerMonitor(window=300), reference=a).findings == []
    assert "“other categories” 0 % → 33.3 %, new: “z”" in drift_words.what(report.findings[0], report)


def test_a_long_reference_is_counted_whole(tmp_path):
    rng = np.random.default_rng(0)
    early = np.append(rng.normal(size=70_000), rng.normal(size=70_000) + 3)[:, None]
    a, b = from_arrays(early, np.zeros(140_000)), from_arrays(rng.permutation(early), np.zeros(140_000))
    report = detect_drift(b, reference=a)
    assert report.findings == [] and report.reference_rows == 140_000
    assert report.monitor.histograms()[0].sum() == pytest.approx(105_000, abs=10)
    drift_page.write(report, tmp_path / "page.html")


def test_a_stream_tells_its_new_categories_too(tmp_path):
    path = tmp_path / "rows.csv"
    colours = ["blue" if i >= 3000 and i % 5 == 0 else "red" for i in range(4000)]
    path.write_text("colour,size\n" + "".join(f"{colour},{i % 7}\n" for i, colour in enumerate(colours)))
    report = detect_drift(from_file(path, with_labels=False), HellingerMonitor(reference=1000, window=500))
    (new,) = report.new_categories
    assert (new.input, new.name, new.first_row, new.n_rows) == ("colour", "blue", 3000, 200)
    assert "New in colour: blue (200 rows), first in row 3,000." in drift_words.notes(report)


def test_a_report_of_many_labels_names_the_one_that_changed(tmp_path):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(8000, 2)), rng.integers(0, 80, 8000)
    y[4000:] = np.where(rng.random(4000) < 0.3, 7, y[4000:])
    report = detect_drift((X, y), with_labels=True)
    (found,) = [each for each in report.findings if str(each.watched) == "labels"]
    assert "“7” 1." in drift_words.what(found, report)
    other = detect_drift((X[4000:], y[4000:]), with_labels=True, reference=from_arrays(X[:4000], y[:4000]))
    assert other.findings[0].whole and "“7” 1." in drift_words.what(other.findings[0], other)


def test_a_p_value_that_32_bits_cannot_hold_is_not_0():
    X = np.random.default_rng(1).normal(size=(3000, 1))
    X[2000:] += 0.9
    report = detect_drift((X, np.arange(3000) % 2))
    change = HellingerMonitor().update(X)[0]
    assert 0 < report.findings[0].p_value == change.p_value < 1e-60
