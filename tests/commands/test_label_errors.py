"""`thalweg label-errors`: the table, page and file of labels that look wrong."""

import csv
import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from support.file_rows import write_table
from support.flipped_rows import flipped_rows
from typer.testing import CliRunner

from thalweg.commands.app import app

COMMAND = Path(sys.executable).with_name("thalweg")


def table_of(X, y):
    names = np.array(["left", "right", "<up>"])[np.arange(len(X)) % 3]
    return {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "way": names, "ok": np.where(y == 1, "yes", "no")}


def test_command_prints_saves_and_draws(tmp_path):
    X, y, wrong = flipped_rows(2000)
    path = write_table(tmp_path / "rows.csv", table_of(X, y))
    page, saved = tmp_path / "page.html", tmp_path / "saved.csv"
    words = [COMMAND, "label-errors", path, "--target", "ok", "--report", page, "--save", saved]
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "labels look wrong" in done.stdout and "likeliest label errors" in done.stdout
    lines = list(csv.DictReader(saved.read_text().splitlines()))
    rows = [int(line["row"]) - 1 for line in lines]
    assert wrong[rows].mean() > 0.8
    first = lines[0]
    assert float(first["a"]) == pytest.approx(X[rows[0], 0]) and first["way"] in ("left", "right", "<up>")
    assert {first["label"], first["believed"]} == {"yes", "no"}
    text = page.read_text()
    assert "<dt>command</dt><dd>thalweg label-errors " in text
    ElementTree.fromstring(text.partition("\n")[2])
    assert "target    ok" in done.stdout and "<dt>target</dt>" in text
    assert "&lt;up&gt;" in text and "<up>" not in text
    assert "http" not in text.replace("http://www.w3.org", "")


def test_command_prints_json(tmp_path):
    X, y, _ = flipped_rows(1000)
    path = write_table(tmp_path / "rows.csv", table_of(X, y))
    words = [COMMAND, "label-errors", path, "--top", "3", "--learner", "NaiveBayes", "--json"]
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["columns"]["category"] == ["way"] and found["columns"]["warnings"] == []
    assert found["rows"] == 1000 and len(found["label_errors"]) == 3
    assert set(found["label_errors"][0]) == {"row", "doubt", "likelihood", "label", "believed", "cells"}
    assert found["share_low"] < found["share_high"] and found["agreement"] > 0.8
    assert list(found["models"]) == ["NaiveBayes forwards", "NaiveBayes backwards", "forest of other rows"]


@pytest.mark.parametrize("option", ["--report", "--save"])
def test_command_looks_for_the_folder_before_it_reads(tmp_path, option):
    words = [COMMAND, "label-errors", tmp_path / "none.csv", option, tmp_path / "missing" / "out"]
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 2 and "there is no folder" in done.stderr


def test_command_names_what_is_wrong():
    done = subprocess.run(
        [str(COMMAND), "label-errors", "sea", "--learner", "Oracle"],
        capture_output=True,
        text=True,
        timeout=300,
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


def label_errors(path, *options, stdin=None):
    words = ["label-errors", str(path), "--learner", "LogisticMixture", *options]
    done = CliRunner().invoke(app, words, input=stdin)
    assert done.exit_code == 0, done.exception
    return done.stdout


def test_command_shows_the_cells_of_the_file(tmp_path):
    lines, _ = orders(skip=(0, 50, 50, 120))
    path, saved, page = tmp_path / "orders.csv", tmp_path / "saved.csv", tmp_path / "page.html"
    path.write_text("\n".join([HEADER, *lines]) + "\n")
    words = ("--on-error", "skip", "--save", str(saved), "--report", str(page), "--top", "9", "--json")
    found = json.loads(label_errors(path, *words))
    written = list(csv.DictReader(saved.read_text().splitlines()))
    assert len(found["label_errors"]) == len(written) == 9
    assert (found["rows"], found["labels"], found["skipped"]) == (300, 300, 4)
    assert "300 rows (4 that could not be read left out) in " in page.read_text()
    for entry, row in zip(found["label_errors"], written, strict=True):
        expected = dict(zip(HEADER.split(";"), lines[entry["row"] - 1].split(";"), strict=True))
        assert entry["cells"] == expected and entry["label"] == expected["paid"]
        assert {name: row[name] for name in expected} == expected and int(row["row"]) == entry["row"]
        assert row["doubt"] == f"{entry['doubt']:.4f}"
    first, text = found["label_errors"][0], page.read_text()
    assert first["cells"]["note"] in text and f"<td>{first['cells']['day']}</td>" in text
    assert "weekday" not in text.partition("<h2>Columns</h2>")[0]


def test_ids_come_first_and_standard_input_has_cells_too(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    lines, _ = orders()
    header = "price;weight;day;note;id;paid"
    moved = [";".join([*row[1:5], row[0], row[5]]) for row in (line.split(";") for line in lines)]
    text = "\n".join([header, *moved]) + "\n"
    found = label_errors("-", "--top", "3", stdin=text)
    table = next(line for line in found.splitlines() if "doubt" in line)
    assert table.index("id") < table.index("price") < table.index("day")
    assert "paid" not in table and "…" in found
    kept = label_errors("-", "--top", "1", "--keep", "paid,day", "--json", stdin=text)
    assert list(json.loads(kept)["label_errors"][0]["cells"])[:3] == ["paid", "day", "price"]


def test_a_file_without_label_errors_gives_empty_lists(tmp_path):
    y = np.arange(300) % 2
    names = np.array([f"n{i}" for i in range(300)])
    path = write_table(tmp_path / "clean.csv", {"name": names, "x": y * 10.0, "y": np.where(y, "a", "b")})
    done = CliRunner().invoke(app, ["label-errors", str(path), "--learner", "NaiveBayes", "--json"])
    assert done.exit_code == 0 and json.loads(done.stdout)["label_errors"] == []


def test_ids_are_shown_whole_in_80_columns(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    X, y, _ = flipped_rows(600)
    names = np.array([f"customer {i:09}" for i in range(600)])
    table = {"customer": names, "place": np.full(600, "town")} | table_of(X, y)
    path = write_table(tmp_path / "rows.csv", table)
    done = CliRunner().invoke(app, ["label-errors", str(path), "--learner", "NaiveBayes", "--top", "3"])
    shown = done.stdout.splitlines()
    assert sum("customer 000000" in line for line in shown) == 3 and max(map(len, shown[:9])) <= 80
    assert any("believed" in line for line in shown)
