"""`thalweg outliers` and what it uses: which labels look wrong, how many, the table, page and file."""

import csv
import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from test_drift_command import write

from thalweg.evaluation import suspicious
from thalweg.evaluation.opinions import forest_of_others, read_both_ways
from thalweg.evaluation.suspicions import suspicious_in_stream
from thalweg.evaluation.suspicious_rows import Lines, headline, reliability
from thalweg.learners import MajorityClass, NaiveBayes
from thalweg.streams import SEA, Sphere, from_arrays

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
    assert (np.diff(found.likelihood[found.rows]) >= 0).all()
    assert (np.diff(found.doubt[found.rows]) <= 1e-12).all()
    assert found.doubt.sum() == pytest.approx(wrong.sum(), rel=0.25)
    assert found.doubt.sum() == pytest.approx(found.estimate[0] * len(y), rel=1e-3)
    doubtful = found.doubt > 0.5
    assert wrong[doubtful].mean() > 0.8 and doubtful[wrong].mean() > 0.6
    worst = found.rows[0]
    assert found.believed[worst] == 1 - y[worst] and found.likelihood[worst] < 0.2
    np.testing.assert_allclose(found.p.sum(axis=1), 1)


@pytest.mark.parametrize("share", [0.0, 0.06, 0.2])
def test_the_number_of_wrong_labels_is_estimated(share):
    X, y, wrong = flipped_rows(share=share, seed=4)
    found = suspicious(X, y)
    rate, low, high = found.estimate
    assert low - 0.01 <= wrong.mean() <= high + 0.01
    assert low <= rate <= high < low + 0.08
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
    path = write(tmp_path / "rows.csv", table_of(X, y))
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
    path = write(tmp_path / "rows.csv", table_of(X, y))
    words = [COMMAND, "outliers", path, "--top", "3", "--learner", "NaiveBayes", "--json"]
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["columns"]["category"] == ["way"] and found["columns"]["warnings"] == []
    assert found["rows"] == 1000 and len(found["suspicious"]) == 3
    assert set(found["suspicious"][0]) == {"row", "doubt", "likelihood", "label", "believed", "inputs"}
    assert list(found["opinions"]) == ["NaiveBayes forwards", "NaiveBayes backwards", "forest of other rows"]


def test_ten_rows_are_judged_and_said_to_be_few():
    few = suspicious([[i] for i in range(10)], ["x"] * 5 + ["y"] * 5)
    assert "With fewer than 500 labels" in reliability(few)
    assert few.n_wrong == 1 and headline(few).startswith("About 1 of 10 labels looks wrong: 10.0 %")


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
