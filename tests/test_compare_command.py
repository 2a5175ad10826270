"""`thalweg compare` and `thalweg tune`, as typed."""

import json

import pytest
from typer.testing import CliRunner

from thalweg.cli import app
from thalweg.tune_command import read_grid


@pytest.fixture
def command(tmp_path, monkeypatch):
    monkeypatch.setenv("THALWEG_CACHE", str(tmp_path / "cache"))

    def call(*arguments):
        return CliRunner().invoke(app, list(arguments))

    return call


def test_learners_are_compared_and_a_page_is_written(tmp_path, command):
    page = tmp_path / "page.html"
    arguments = ["compare", "NaiveBayes", "sklearn.naive_bayes.GaussianNB()", "--on", "sea", "--on", "led"]
    found = command(*arguments, "--rows", "300", "--jobs", "1", "--report", str(page), "--json")
    said = json.loads(found.stdout)
    assert said["learners"] == ["NaiveBayes", "GaussianNB"]
    assert page.is_file()
    shown = command(*arguments, "--rows", "300", "--jobs", "1").stdout
    for row in said["tables"]["accuracy"]:
        for value in row:
            assert f"{100 * value:.2f}" in shown
    assert "repeat the last label" in " ".join(shown.split()) or "repeat" in shown


def test_names_are_whole_in_a_narrow_terminal(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    arguments = ["compare", "LogisticMixture", "NaiveBayes", "--rows", "200", "--jobs", "1"]
    for stream in ("sea", "led", "sphere", "hyperplane", "circles"):
        arguments += ["--on", stream]
    lines = command(*arguments).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert sum("what followed the last label" in line for line in lines) == 3
    assert not any("…" in line for line in lines)


def test_files_have_a_target_and_names_do_not(tmp_path, command):
    path = tmp_path / "rows.csv"
    path.write_text("label,x\n" + "a,1\nb,2\n" * 100)
    arguments = [
        "--on",
        str(path),
        "--on",
        "sea",
        "--target",
        "label",
        "--rows",
        "200",
        "--jobs",
        "1",
        "--json",
    ]
    said = json.loads(command("compare", "NaiveBayes", "NoChange", *arguments).stdout)
    assert said["streams"] == ["rows.csv", "sea"]
    assert said["tables"]["accuracy"][0][0] > 0.9


def test_a_learner_that_fails_is_said_and_the_code_is_1(command):
    found = command(
        "compare",
        "NaiveBayes",
        "HoeffdingTree(grace_period=-1)",
        "--on",
        "sea",
        "--rows",
        "200",
        "--jobs",
        "1",
    )
    assert found.exit_code == 1
    assert "grace_period" in found.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["NaiveBays", "--on", "sea"], "did you mean NaiveBayes"),
        (["NaiveBayes", "--on", "se"], "neither a file"),
        (["NaiveBayes", "--on", "-"], "standard input"),
        (["sklearn.nothing.Here()", "--on", "sea"], "sklearn.nothing"),
        (["sklearn.naive_bayes.GaussianNB(depth=3)", "--on", "sea"], "no parameter 'depth'"),
    ],
)
def test_what_cannot_be_compared_is_said(command, arguments, words):
    found = command("compare", *arguments, "--rows", "100", "--jobs", "1")
    assert found.exit_code != 0
    assert words in str(found.exception)


def test_a_search_is_judged_on_rows_it_has_not_seen(command):
    arguments = [
        "tune",
        "sea",
        "--learner",
        "NearestNeighbours",
        "--try",
        "n_neighbours=1,9",
        "--rows",
        "1000",
    ]
    said = json.loads(command(*arguments, "--jobs", "1", "--json").stdout)
    assert said["rows_searched"] == 300
    assert said["rows_judged"] == 700
    shown = " ".join(command(*arguments, "--jobs", "1").stdout.split())
    assert "which the search has not seen" in shown
    assert f"{100 * said['accuracy']:.2f} %" in shown


def test_a_grid_is_read_with_learners_and_lists_as_values():
    grid = read_grid(["member=NaiveBayes(),HoeffdingTree(grace_period=50)", "n_members=5,10", "mode=a"])
    assert [type(member).__name__ for member in grid["member"]] == ["NaiveBayes", "HoeffdingTree"]
    assert grid["n_members"] == [5, 10]
    assert grid["mode"] == ["a"]
    assert read_grid(["n"]) == {"n": None}
    for wrong in (["n="], ["n=1", "n=2"]):
        with pytest.raises(ValueError, match="--try"):
            read_grid(wrong)
