"""`thalweg outliers` and what it uses: which labels look wrong, how many, the table, page and file."""

import csv
import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from file_rows import write_table
from typer.testing import CliRunner

from thalweg.commands.app import app
from thalweg.evaluation import suspicious
from thalweg.evaluation.label_errors.all_rows import all_rows
from thalweg.evaluation.label_errors.find import suspicious_in_stream
from thalweg.evaluation.label_errors.out_of_sample import forest_of_others, read_both_ways
from thalweg.evaluation.label_errors.words import Lines, headline
from thalweg.learners import MajorityClass, NaiveBayes
from thalweg.streams import SEA, Sphere, from_arrays, from_file

COMMAND = Path(sys.executable).with_name("thalweg")


def flipped_rows(n=3000, share=0.06, seed=0):
    """Return rows of SEA, labels of which a share is flipped, and which."""
    X, y = next(SEA(n, noise=0, seed=seed).blocks(n))
    wrong = np.random.default_rng(seed).random(n) < share
    return X, np.where(wrong, 1 - y, y), wrong


def table_of(X, y):
    names = np.array(["left", "right", "<up>"])[np.arange(len(X)) % 3]
    return {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "way": names, "ok": np.where(y == 1, "yes", "no")}


@pytest.fixture(scope="module")
def found():
    X, y, _wrong = flipped_rows()
    return suspicious(X, y)


def test_flipped_labels_come_first(found):
    _X, y, wrong = flipped_rows()
    assert wrong[found.rows[: wrong.sum()]].mean() > 0.9
    assert (np.diff(found.doubt[found.rows]) <= 1e-12).all()
    assert found.doubt.sum() == pytest.approx(wrong.sum(), rel=0.25)
    assert found.doubt.sum() == pytest.approx(found.share * len(y), rel=1e-3)
    doubtful = found.doubt > 0.5
    assert wrong[doubtful].mean() > 0.8 and doubtful[wrong].mean() > 0.6
    worst = found.rows[0]
    assert found.believed[worst] == 1 - y[worst] and found.likelihood[worst] < 0.2
    np.testing.assert_allclose(found.p.sum(axis=1), 1)


@pytest.mark.parametrize("share", [0.0, 0.06, 0.2])
def test_the_number_of_wrong_labels_is_estimated(share):
    X, y, wrong = flipped_rows(share=share, seed=4)
    found = suspicious(X, y)
    assert found.share_low <= wrong.mean() <= found.share_high
    assert found.share_low <= found.share <= found.share_high < found.share_low + 0.13
    assert found.n_wrong == pytest.approx(wrong.sum(), rel=0.3, abs=20)


def test_reading_from_both_sides_beats_reading_from_one():
    stream = Sphere(12_000, period=500, jump_every=4, noise=0, seed=2)
    X, y = next(stream.blocks(12_000))
    wrong = np.random.default_rng(3).random(len(X)) < 0.05
    y = np.where(wrong, 1 - y, y)
    answers = dict(read_both_ways(NaiveBayes(), X, y, np.array([0, 1]), np.zeros(3, dtype=int)))
    forwards, backwards = (answers[name][np.arange(len(y)), y] for name in ("forwards", "backwards"))
    k = wrong.sum()
    alone, both = np.argsort(forwards)[:k], np.argsort(forwards * backwards)[:k]
    assert wrong[both].mean() > wrong[alone].mean() + 0.02


def test_forests_have_not_seen_the_rows_they_are_asked_about():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(600, 4)), rng.integers(0, 2, 600)
    p = forest_of_others(X, y, 2, np.zeros(4, dtype=int), seed=0)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (p.argmax(axis=1) == y).mean() == pytest.approx(0.5, abs=0.07)


def test_labels_of_any_kind_gaps_and_rows_without_a_label():
    X, y, wrong = flipped_rows(1500)
    X[::7, 1] = np.nan
    y = np.where(y == 1, "good", "bad").astype(object)
    y[::10] = None
    found = suspicious_in_stream(from_arrays(X, y))
    assert np.isnan(found.likelihood[::10]).all() and np.isnan(found.doubt[::10]).all()
    assert not set(found.rows) & set(range(0, 1500, 10))
    k = wrong[[label is not None for label in y]].sum()
    assert wrong[found.rows[:k]].mean() > 0.7


def test_one_class_cannot_be_compared():
    with pytest.raises(ValueError, match="two different labels"):
        suspicious(np.ones((10, 2)), ["a"] * 10)


def test_a_learner_that_knows_nothing_does_no_harm():
    X, y, wrong = flipped_rows(2000)
    found = suspicious(X, y, learners=[MajorityClass()])
    assert found.weights["forest of other rows"] > 3 * abs(found.weights["MajorityClass forwards"])
    assert wrong[found.rows[: wrong.sum()]].mean() > 0.8


def test_words(found):
    assert headline(found).startswith(f"About {found.n_wrong:,} of 3,000 labels look wrong: ")
    clean = suspicious(*next(SEA(2000, noise=0, seed=1).blocks(2000)))
    assert headline(clean).startswith(("None of 2,000 labels looks wrong", "About "))
    lines = Lines(found, SEA(3000), top=7)
    assert len(lines.rows) == 7 and sum(n for *_, n in lines.confusions()) == 7


def test_command_prints_saves_and_draws(tmp_path):
    X, y, wrong = flipped_rows(2000)
    path = write_table(tmp_path / "rows.csv", table_of(X, y))
    page, saved = tmp_path / "page.html", tmp_path / "saved.csv"
    words = [COMMAND, "outliers", path, "--target", "ok", "--report", page, "--save", saved]
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "labels look wrong" in done.stdout and "most suspicious" in done.stdout
    lines = list(csv.DictReader(saved.read_text().splitlines()))
    rows = [int(line["row"]) - 1 for line in lines]
    assert wrong[rows].mean() > 0.8
    first = lines[0]
    assert float(first["a"]) == pytest.approx(X[rows[0], 0]) and first["way"] in ("left", "right", "<up>")
    assert {first["label"], first["believed"]} == {"yes", "no"}
    text = page.read_text()
    assert "<dt>command</dt><dd>thalweg outliers " in text
    ElementTree.fromstring(text.partition("\n")[2])
    assert "target    ok" in done.stdout and "<dt>target</dt>" in text
    assert "&lt;up&gt;" in text and "<up>" not in text
    assert "http" not in text.replace("http://www.w3.org", "")


def test_command_prints_json(tmp_path):
    X, y, _ = flipped_rows(1000)
    path = write_table(tmp_path / "rows.csv", table_of(X, y))
    words = [COMMAND, "outliers", path, "--top", "3", "--learner", "NaiveBayes", "--json"]
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["columns"]["category"] == ["way"] and found["columns"]["warnings"] == []
    assert found["rows"] == 1000 and len(found["suspicious"]) == 3
    assert set(found["suspicious"][0]) == {"row", "doubt", "likelihood", "label", "believed", "cells"}
    assert found["share_low"] < found["share_high"] and found["agreement"] > 0.8
    assert list(found["opinions"]) == ["NaiveBayes forwards", "NaiveBayes backwards", "forest of other rows"]


def test_ten_rows_are_judged_and_said_to_be_few():
    few = suspicious([[i] for i in range(10)], ["x"] * 5 + ["y"] * 5)
    assert few.share is None and few.n_wrong is None and few.share_low == 0
    assert headline(few).startswith("Between 0.0 % and ")
    assert " of 10 labels are wrong: with fewer than 500 labels there is too little" in headline(few)


@pytest.mark.parametrize("option", ["--report", "--save"])
def test_command_looks_for_the_folder_before_it_reads(tmp_path, option):
    words = [COMMAND, "outliers", tmp_path / "none.csv", option, tmp_path / "missing" / "out"]
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 2 and "there is no folder" in done.stderr


def test_command_names_what_is_wrong():
    done = subprocess.run(
        [str(COMMAND), "outliers", "sea", "--learner", "Oracle"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 2 and "there is no learner 'Oracle'" in done.stderr


def orders(n=300, seed=0, skip=()):
    """Return lines of a file that a reader turns into sines, hashed words and codes, and which are wrong."""
    X, y, wrong = flipped_rows(n, seed=seed)
    lines = []
    for i in range(n):
        price = f"{X[i, 0]:.3f}".replace(".", ",")
        note = f"customer {i} bought thing {i % 97} on the {i % 5}th floor of shop {i % 13}"
        day = f"{i % 28 + 1:02}.{i % 12 + 1:02}.2024"
        lines.append(f"B{i:05};{price};{X[i, 1]:.4f};{day};{note};{'yes' if y[i] else 'no'}")
    for i in skip:
        lines.insert(i, "not a row")
    return lines, wrong


HEADER = "id;price;weight;day;note;paid"


def outliers(path, *options, stdin=None):
    words = ["outliers", str(path), "--learner", "LogisticMixture", *options]
    done = CliRunner().invoke(app, words, input=stdin)
    assert done.exit_code == 0, done.exception
    return done.stdout


def test_command_shows_the_cells_of_the_file(tmp_path):
    lines, _ = orders(skip=(0, 50, 50, 120))
    path, saved, page = tmp_path / "orders.csv", tmp_path / "saved.csv", tmp_path / "page.html"
    path.write_text("\n".join([HEADER, *lines]) + "\n")
    words = ("--on-error", "skip", "--save", str(saved), "--report", str(page), "--top", "9", "--json")
    found = json.loads(outliers(path, *words))
    written = list(csv.DictReader(saved.read_text().splitlines()))
    assert len(found["suspicious"]) == len(written) == 9
    assert (found["rows"], found["labels"], found["skipped"]) == (300, 300, 4)
    assert "300 rows (4 that could not be read left out) in " in page.read_text()
    for entry, row in zip(found["suspicious"], written, strict=True):
        expected = dict(zip(HEADER.split(";"), lines[entry["row"] - 1].split(";"), strict=True))
        assert entry["cells"] == expected and entry["label"] == expected["paid"]
        assert {name: row[name] for name in expected} == expected and int(row["row"]) == entry["row"]
        assert row["doubt"] == f"{entry['doubt']:.4f}"
    first, text = found["suspicious"][0], page.read_text()
    assert first["cells"]["note"] in text and f"<td>{first['cells']['day']}</td>" in text
    assert "weekday" not in text.partition("<h2>Columns</h2>")[0]


def test_ids_come_first_and_standard_input_has_cells_too(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    lines, _ = orders()
    header = "price;weight;day;note;id;paid"
    moved = [";".join([*row[1:5], row[0], row[5]]) for row in (line.split(";") for line in lines)]
    text = "\n".join([header, *moved]) + "\n"
    found = outliers("-", "--top", "3", stdin=text)
    table = next(line for line in found.splitlines() if "doubt" in line)
    assert table.index("id") < table.index("price") < table.index("day")
    assert "paid" not in table and "…" in found
    kept = outliers("-", "--top", "1", "--keep", "paid,day", "--json", stdin=text)
    assert list(json.loads(kept)["suspicious"][0]["cells"])[:3] == ["paid", "day", "price"]


def test_rows_beyond_those_asked_for_are_not_read(tmp_path):
    good = [f"{i};{i % 7}.5;{'yes' if i % 3 else 'no'}" for i in range(120_000)]
    path = tmp_path / "long.csv"
    path.write_text("\n".join(["n;a;ok", *good, "not a row"]) + "\n")
    X, codes, cells = all_rows(from_file(path), 700)
    assert len(X) == len(codes) == 700 and cells.of([699]) == [["699", "6.5", "no"]]


def test_cells_of_frames_are_shown_as_they_are():
    pandas = pytest.importorskip("pandas")
    X, y, _ = flipped_rows(1200)
    when = pandas.date_range("2024-01-01", periods=len(X), freq="h")
    frame = pandas.DataFrame({"a": X[:, 0], "n": np.arange(len(X)), "when": when, "way": ["up", None] * 600})
    found = suspicious(frame, y, learners=[NaiveBayes()])
    lines = Lines(found, from_arrays(frame, y), top=2)
    i = lines.rows[0]
    assert lines.names == ["a", "n", "when", "way"]
    assert lines.texts(i) == [f"{X[i, 0]:.10g}", str(i), str(when[i]), "up" if i % 2 == 0 else ""]
    json.dumps(lines.to_plain())


def rare_rows(n=6000, seed=0, strength=1.0):
    """Return rows of which one in twenty is of a class that is hard to tell, 2 % of the labels swapped."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    right = rng.random(n) < 1 / (1 + np.exp(3.2 - strength * X.sum(axis=1) / 2))
    return X, np.where(rng.random(n) < 0.02, ~right, right).astype(int), right.astype(int)


def test_a_rare_class_is_not_listed_as_a_whole():
    X, y, _ = rare_rows()
    found = suspicious(X, y)
    listed = found.rows[: found.n_listed]
    assert 0.03 < y.mean() < 0.1 and (found.likelihood[y == 1] < 0.5).mean() > 0.9
    assert (y[found.rows] == 1).sum() <= (y == 1).sum() / 2 + 1
    assert (y[listed] == 1).sum() <= (y == 1).sum() / 2 + 1


def test_a_poor_learner_gets_a_range_and_no_estimate():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(4000, 5))
    right = rng.random(4000) < 1 / (1 + np.exp(-1.3 * X.sum(axis=1) / 5**0.5))
    wrong = rng.random(4000) < 0.02
    found = suspicious(X, np.where(wrong, ~right, right))
    assert found.estimate.agreement < 0.75
    assert found.share is None and found.n_wrong is None
    assert found.share_low <= wrong.mean() <= found.share_high
    assert f"right on {100 * found.estimate.agreement:.1f} % of the rows only" in headline(found)
    plain = Lines(found, SEA(4000), top=1).to_plain()
    assert plain["share"] is None and plain["estimated_wrong"] is None
    assert [plain["share_low"], plain["share_high"]] == [found.share_low, found.share_high]


def test_classes_whose_labels_are_wrong_more_often_are_found():
    rng = np.random.default_rng(2)
    y = rng.choice(6, 3000, p=[0.3, 0.25, 0.2, 0.1, 0.1, 0.05])
    X = rng.normal(size=(6, 4))[y] * 1.3 + rng.normal(size=(3000, 4))
    wrong = (y == 1) & (rng.random(3000) < 0.2)
    found = suspicious(X, np.where(wrong, 2, y))
    first = np.argsort(-found.doubt)[: wrong.sum()]
    plain = np.argsort(found.likelihood)[: wrong.sum()]
    assert wrong[first].mean() > wrong[plain].mean() + 0.1
    assert found.share_low <= wrong.mean() <= found.share_high


def test_a_file_without_suspicious_labels_gives_empty_lists(tmp_path):
    y = np.arange(300) % 2
    names = np.array([f"n{i}" for i in range(300)])
    path = write_table(tmp_path / "clean.csv", {"name": names, "x": y * 10.0, "y": np.where(y, "a", "b")})
    done = CliRunner().invoke(app, ["outliers", str(path), "--learner", "NaiveBayes", "--json"])
    assert done.exit_code == 0 and json.loads(done.stdout)["suspicious"] == []


def test_ids_are_shown_whole_in_80_columns(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    X, y, _ = flipped_rows(600)
    names = np.array([f"customer {i:09}" for i in range(600)])
    table = {"customer": names, "place": np.full(600, "town")} | table_of(X, y)
    path = write_table(tmp_path / "rows.csv", table)
    done = CliRunner().invoke(app, ["outliers", str(path), "--learner", "NaiveBayes", "--top", "3"])
    shown = done.stdout.splitlines()
    assert sum("customer 000000" in line for line in shown) == 3 and max(map(len, shown[:9])) <= 80
    assert any("believed" in line for line in shown)
