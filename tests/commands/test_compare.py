"""`thalweg compare` and `thalweg tune`, as typed."""

import json
import warnings

import joblib
import numpy as np
import pytest
from typer.testing import CliRunner

from thalweg.commands.app import app
from thalweg.commands.tune import read_grid
from thalweg.evaluation.comparison.parallel import Job, run_jobs
from thalweg.evaluation.comparison.statistics import wilcoxon
from thalweg.evaluation.comparison.words import streams_needed


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
    assert sum("Markov chain of labels" in line for line in lines) == 2
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


def test_times_of_earlier_calls_are_marked(command, tmp_path):
    arguments = ["compare", "NaiveBayes", "HoeffdingTree", "--on", "sea", "--rows", "300", "--jobs", "1"]
    page = tmp_path / "page.html"
    assert "†" not in command(*arguments).stdout
    again = command(*arguments, "--report", str(page)).stdout
    assert "† Timed in an earlier call" in " ".join(again.split()) and "--fresh measures again" in again
    assert "† Timed in an earlier call" in page.read_text()
    assert json.loads(command(*arguments, "--json").stdout)["kept"] == [[True, True]]
    assert "†" not in command(*arguments, "--fresh").stdout


def test_few_streams_cannot_show_a_difference(command, tmp_path):
    streams = [word for name in ("sea", "led") for word in ("--on", name)]
    page = tmp_path / "page.html"
    arguments = ["compare", "NaiveBayes", "MajorityClass", *streams, "--rows", "300", "--jobs", "1"]
    shown = " ".join(command(*arguments, "--report", str(page)).stdout.split())
    words = "2 streams cannot show by Wilcoxon's test that a learner is better, even if it wins on all"
    assert words in shown and "takes at least 6 streams" in shown and "too few streams" in shown
    assert "cannot show by Wilcoxon" in page.read_text()


def test_the_streams_needed_are_the_least_that_can_be_significant():
    for n_learners in (2, 3, 5, 10):
        n_pairs, least = n_learners * (n_learners - 1) // 2, streams_needed(n_learners)
        for n_streams, is_enough in ((least - 1, False), (least, True)):
            ahead = np.arange(1.0, n_streams + 1)
            p_value = wilcoxon(np.stack([ahead, np.zeros(n_streams)], axis=1))[0, 1]
            assert (p_value * n_pairs <= 0.05) == is_enough


class WarningPool:
    """Runs calls as joblib does, with the warning that it gives when a worker was replaced."""

    def __init__(self, *_, **__):
        pass

    def __call__(self, calls):
        for function, arguments, keywords in calls:
            where = {"filename": "process_executor.py", "lineno": 1}
            module = "joblib.externals.loky.process_executor"
            warnings.warn_explicit("A worker stopped", UserWarning, **where, module=module)
            yield function(*arguments, **keywords)


def test_no_warning_of_joblib_reaches_the_terminal(monkeypatch):
    monkeypatch.setattr(joblib, "Parallel", WarningPool)
    jobs = {i: Job(abs_of, {"i": i}) for i in range(3)}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert dict(run_jobs(jobs, 2)) == {0: 0, 1: 1, 2: 2}
    assert said == []


def abs_of(i):
    return abs(i)


def test_a_report_is_written_by_its_ending_or_refused_before_anything_is_run(command, tmp_path, monkeypatch):
    arguments = ["compare", "NaiveBayes", "--on", "sea", "--rows", "200", "--jobs", "1", "--report"]
    table = tmp_path / "table.tex"
    assert f"Table: {table}" in command(*arguments, str(table)).stdout.replace("\n", "")
    assert "tabular" in table.read_text()
    monkeypatch.setattr("thalweg.evaluation.compare", lambda *_, **__: pytest.fail("it was run"))
    assert "must be one of .html" in str(command(*arguments, str(tmp_path / "table.xlsx")).exception)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_errors_of_runs_name_options(tmp_path, command, jobs):
    path, page = tmp_path / "rows.csv", tmp_path / "page.html"
    rows = [f"{i}.5,{'ab'[i % 2]}\n" for i in range(20_000)]
    path.write_text("x,y\n" + "".join(rows) + "word,a\n")
    arguments = ["compare", "NaiveBayes", "MajorityClass", "--on", str(path), "--report", str(page)]
    found = command(*arguments, "--jobs", jobs, "--json")
    errors = json.loads(found.stdout)["errors"].values()
    assert found.exit_code == 1 and len(errors) == 2
    assert all("StreamError: " in each and "pass --categorical x" in each for each in errors)
    assert all(each.endswith("pass --on-error skip") for each in errors)
    assert "pass --on-error skip" in page.read_text() and "on_error=" not in page.read_text()


def test_a_learner_that_failed_has_no_times(command):
    found = command("compare", "HoeffdingTree(delta=7)", "HoeffdingTree", "--on", "sea", "--rows", "100")
    assert found.exit_code == 1
    assert "nan" not in found.stdout and "†" not in found.stdout
    said = " ".join(found.stdout.split())
    assert "± is the standard error" in said and "* marks the best" in said


def test_a_fixed_parameter_is_not_searched(command):
    arguments = ["tune", "sea", "--learner", "LinearLogistic", "--rows", "500", "--jobs", "1", "--json"]
    found = json.loads(command(*arguments, "--n", "3", "--set", "rate=2").stdout)
    assert found["tried"] and all("rate" not in parameters for parameters, _ in found["tried"])
    both = str(command(*arguments, "--set", "rate=2", "--try", "rate=1,2").exception)
    assert both == "--set rate fixes it and --try rate tries values of it: give one of them"
