"""A comparison as a page, CSV, Markdown or LaTeX."""

import csv

import pytest

from thalweg.errors import ParameterError
from thalweg.evaluation import compare
from thalweg.evaluation.comparison.result import METRICS
from thalweg.learners import MajorityClass, NaiveBayes


@pytest.fixture
def found(tmp_path, monkeypatch):
    monkeypatch.setenv("THALWEG_CACHE", str(tmp_path / "cache"))
    learners = {"naive_bayes, 100%": NaiveBayes(), "a|b": MajorityClass()}
    return compare(learners, ["sea", "led"], rows=300, seeds=2, n_jobs=1)


def test_csv_has_a_line_for_each_run(found, tmp_path):
    path = found.write(tmp_path / "runs.csv")
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 8 and list(rows[0]) == ["learner", "stream", "seed", *METRICS, "positive", "error"]
    for row in rows:
        run = found.results[row["learner"], row["stream"], int(row["seed"])]
        assert float(row["accuracy"]) == run["accuracy"] and row["recovery"] == ""
        assert row["positive"] == (run["positive"] or "")


def test_markdown_has_the_accuracies_and_the_best_in_bold(found, tmp_path):
    written = found.write(tmp_path / "table.md").read_text(encoding="utf-8")
    lines = [line for line in written.splitlines() if line.startswith("|")]
    assert lines[0] == "|  | mean rank | sea | led |" and lines[1] == "| --- | ---: | ---: | ---: |"
    assert lines[2].startswith("| naive_bayes, 100% | 1.00 | **") and lines[3].startswith("| a\\|b | 2.00 |")
    assert f"{100 * found.table()[0, 0]:.2f}" in lines[2] and "naive_bayes" in written.splitlines()[-1]


def test_latex_escapes_names_and_has_as_many_cells_in_each_row(found, tmp_path):
    written = found.write(tmp_path / "table.tex").read_text(encoding="utf-8")
    rows = [line for line in written.splitlines() if line.endswith(r"\\")]
    assert {row.count(" & ") for row in rows} == {3} and len(rows) == 6
    assert r"naive\_bayes, 100\%" in written and r"$\pm$" in written and r"\textbf{" in written


def test_the_page_is_written_by_its_ending(found, tmp_path):
    assert found.write(tmp_path / "page.HTML").read_text().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("name", ["table.xlsx", "table"])
def test_other_endings_are_refused_and_nothing_is_written(found, tmp_path, name):
    with pytest.raises(ParameterError, match=r"must be one of \.html, \.htm, \.csv, \.md, \.tex"):
        found.write(tmp_path / name)
    assert not (tmp_path / name).exists()


def test_names_are_text_in_every_format(tmp_path, monkeypatch):
    monkeypatch.setenv("THALWEG_CACHE", str(tmp_path / "cache"))
    name = "<img src=x>\n\\input{a}\u202e[b](c)"
    made = compare({name: NaiveBayes()}, ["sea"], rows=200, n_jobs=1)
    names = ("a.html", "a.md", "a.tex")
    page, table, latex = (made.write(tmp_path / each).read_text("utf-8") for each in names)
    assert "\u202e" not in page + table + latex and "<img" not in page + table
    assert "\n\\input" not in latex
    assert r"&lt;img src=x>\\n\\input{a}\\u202e\[b\](c)" in table
    with made.write(tmp_path / "a.csv").open(newline="", encoding="utf-8") as file:
        assert next(csv.DictReader(file))["learner"] == name
