"""Figures are printed before files are written, and no failing step costs the others."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.naive_bayes import GaussianNB

from thalweg import evaluation, papers
from thalweg.adapters import SklearnLearner
from thalweg.commands import model_files, run_results
from thalweg.commands import run as run_command
from thalweg.commands.outputs import do_all
from thalweg.evaluation import report
from thalweg.evaluation.pages import drift_page, label_errors_page
from thalweg.learners import NaiveBayes, OnlineBagging
from thalweg.model import Model
from thalweg.papers.reports import Report
from thalweg.papers.running import Task, run_tasks
from thalweg.preprocessing import StandardScaler, make_pipeline
from thalweg.streams import SEA

COMMAND = Path(sys.executable).with_name("thalweg")
RUN = ("run", "sea", "--rows", "300", "--learner", "NaiveBayes")


def full(*_, **__):
    raise OSError(28, "No space left on device", "the file")


@pytest.mark.parametrize("learner", ["sklearn.linear_model.Perceptron()", "river.naive_bayes.GaussianNB()"])
def test_a_learner_that_cannot_be_saved_is_refused_at_once(thalweg, tmp_path, monkeypatch, learner):
    monkeypatch.setattr(evaluation, "prequential", lambda *_, **__: pytest.fail("rows were learned"))
    model = tmp_path / "model.tw"
    code, printed, said = thalweg("run", "sea", "--learner", learner, "--save", model)
    assert (code, printed) == (2, "") and "cannot be saved" in said and "--save" in said
    assert not model.exists()


class Own(NaiveBayes):
    """A learner that no other program knows."""


@pytest.mark.parametrize(
    "learner",
    [
        make_pipeline(StandardScaler(), SklearnLearner(GaussianNB())),
        OnlineBagging(SklearnLearner(GaussianNB())),
        Own(),
        OnlineBagging(Own()),
    ],
    ids=str,
)
def test_members_that_cannot_be_saved_are_found(learner):
    with pytest.raises(ValueError, match="cannot be saved"):
        model_files.check_can_be_saved(learner)


def test_figures_are_printed_when_the_model_and_the_page_cannot_be_written(thalweg, tmp_path, monkeypatch):
    monkeypatch.setattr(Model, "save", full)
    monkeypatch.setattr(report, "write", full)
    files = ("--save", tmp_path / "m.tw", "--report", tmp_path / "p.html")
    code, printed, said = thalweg(*RUN, *files, "--json")
    assert code == 2 and json.loads(printed)["rows"] == 300
    assert said.splitlines() == ["thalweg: the file: No space left on device"] * 2
    code, printed, _ = thalweg(*RUN, *files)
    assert code == 2 and "accuracy" in printed and "Model:" not in printed and "Page" not in printed


def test_the_model_is_saved_when_the_page_fails(thalweg, tmp_path, monkeypatch):
    model = tmp_path / "model.tw"
    monkeypatch.setattr(report, "write", lambda *_: 1 // 0)
    code, printed, said = thalweg(*RUN, "--save", model, "--report", tmp_path / "p.html")
    assert code == 2 and f"Model: {model}" in printed and "ZeroDivisionError" in said
    assert model_files.load(model).n_features_in_ == 3
    code, printed, _ = thalweg("continue", model, "sea", "--rows", 300, "--report", tmp_path / "p.html")
    assert code == 2 and "accuracy" in printed and len(model_files.load(model).runs_) == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_the_model_is_saved_when_nobody_reads_the_figures(tmp_path):
    model = tmp_path / "model.tw"
    with open("/dev/full", "w") as sink:
        done = subprocess.run([COMMAND, *RUN, "--save", model], stdout=sink, stderr=subprocess.PIPE)
    assert done.returncode != 0 and model.exists()


def test_figures_of_compare_drift_and_label_errors_come_before_the_page(thalweg, tmp_path, monkeypatch):
    page = tmp_path / "page.html"
    monkeypatch.setattr(evaluation.Comparison, "write", full)
    monkeypatch.setattr(drift_page, "write", full)
    monkeypatch.setattr(label_errors_page, "write", full)
    commands = [
        ("compare", "NaiveBayes", "HoeffdingTree", "--on", "sea", "--rows", 300, "--jobs", 1),
        ("drift", "sea", "--rows", 3000),
        ("label-errors", "sea", "--rows", 300, "--learner", "NaiveBayes", "--save", tmp_path / "rows.csv"),
    ]
    for command in commands:
        code, printed, said = thalweg(*command, "--report", page)
        assert code == 2 and "No space left" in said, command
        assert len(printed) > 200 and "Page" not in printed
        code, _, said = thalweg(*command, "--report", tmp_path / "nowhere" / "page.html")
        assert code == 2 and "there is no folder" in said
    assert (tmp_path / "rows.csv").exists()


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_reproduction_is_shown_if_its_figures_cannot_be_drawn(thalweg, tmp_path, monkeypatch, options):
    made = Report("A paper", "its reference", {"seeds": 1}, drawing=full)
    monkeypatch.setattr(papers, "reproduce", lambda *_, **__: made)
    code, printed, said = thalweg("reproduce", "huwrs", "--figures", tmp_path / "figures", *options)
    assert code == 2 and "A paper" in printed and "No space left" in said


def test_a_reproduction_tells_how_far_it_is_without_a_terminal(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("THALWEG_CACHE", str(tmp_path))
    tasks = [Task(("task", i), _answer, {"i": i}) for i in range(3)]
    assert run_tasks("paper", tasks, n_jobs=1, quiet=False) == {("task", i): i for i in range(3)}
    assert "paper: 3 of 3 runs done" in capsys.readouterr().err


def _answer(i):
    return i


def test_a_closed_pipe_does_not_cost_the_model(tmp_path):
    model = tmp_path / "model.tw"
    command = f"'{COMMAND}' {' '.join(RUN)} --save '{model}' | true"
    done = subprocess.run(command, shell=True, stderr=subprocess.PIPE, text=True)
    assert done.stderr == "" and model.exists()


def test_all_steps_are_done_and_all_errors_are_raised():
    done = []
    with pytest.raises(ExceptionGroup) as caught:
        do_all(full, lambda: done.append(1), full)
    assert done == [1] and len(caught.value.exceptions) == 2


def test_the_wrong_name_of_a_page_is_found_before_the_run(thalweg, tmp_path, monkeypatch):
    monkeypatch.setattr(run_command, "evaluate", lambda *_, **__: pytest.fail("it was run"))
    code, _, said = thalweg(*RUN, "--report", tmp_path)
    assert code == 2 and "is a folder" in said


@pytest.mark.parametrize("command", ["run", "drift", "label-errors", "continue"])
@pytest.mark.parametrize("name", ["page.pdf", "page"])
def test_a_report_is_an_html_page(thalweg, tmp_path, command, name):
    source = ("model.tw", "sea") if command == "continue" else ("sea",)
    code, printed, said = thalweg(command, *source, "--rows", 300, "--report", tmp_path / name)
    assert (code, printed) == (2, "") and "a report is an HTML page" in said
    assert not (tmp_path / name).exists()


def test_an_interrupted_long_run_says_so_as_json_and_why_there_is_no_page(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(run_results, "MOST_ROWS_IN_A_HURRY", 50)
    model = Model(learner="NaiveBayes")
    run = model.prequential(SEA(100))
    run.interrupted = True
    run_results.show_and_write(run, model, None, str(tmp_path / "page.html"), True)
    said = capsys.readouterr()
    assert json.loads(said.out) == {
        "learner": "NaiveBayes", "stream": "SEA", "rows": 100, "interrupted": True,
    }  # fmt: skip
    assert "no page: interrupted after more than 50 rows" in said.err and not list(tmp_path.iterdir())
