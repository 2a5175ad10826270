"""Papers run again: the machinery, and the order of the methods on a few simulations."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from thalweg import papers
from thalweg.commands.app import app
from thalweg.papers import forgetting
from thalweg.papers.reports import cell_text
from thalweg.papers.running import Task, by_setting, run_tasks


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("THALWEG_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("THALWEG_DATA", raising=False)


def square(number, log=None):
    if log:
        with open(log, "a") as file:
            file.write("x")
    return {"square": number * number}


def test_results_come_from_the_cache_unless_settings_change(tmp_path):
    log = str(tmp_path / "log")
    tasks = [Task(("square", 3), square, {"number": 3, "log": log})]
    for fresh, calls in ((False, 1), (False, 1), (True, 2)):
        assert run_tasks("some", tasks, n_jobs=1, fresh=fresh) == {("square", 3): {"square": 9}}
        assert (tmp_path / "log").read_text() == "x" * calls
    tasks = [Task(("square", 3), square, {"number": 4})]
    assert run_tasks("some", tasks, n_jobs=1) == {("square", 3): {"square": 16}}


def test_two_processes_give_what_one_gives():
    tasks = [Task(("a", seed), papers.summaries) for seed in (0, 1)]
    alone, together = run_tasks("one", tasks, n_jobs=1), run_tasks("two", tasks, n_jobs=2)
    assert alone == together and alone["a", 0][0][0] == "forgetting"


def test_results_of_a_setting_are_in_the_order_of_their_seeds_whichever_ended_first():
    results = {("a", 2): 12, ("b", 0): 20, ("a", 1): 11, ("b", 1): 21}
    assert list(by_setting(results).items()) == [("a", [11, 12]), ("b", [20, 21])]


def test_forgetting_keeps_its_order(tmp_path, monkeypatch):
    tasks = [Task((kind, 1), forgetting.simulate, {"kind": kind, "seed": 1}) for kind in forgetting.KINDS]
    monkeypatch.setattr(forgetting, "tasks", lambda quick, data: tasks)
    report = papers.reproduce("forgetting", quick=True, n_jobs=1, figures=tmp_path)
    errors = {row[0]: [mean for mean, _ in row[1:4]] for row in report.tables[0].rows}
    static, drift, abrupt = 0, 1, 2
    assert errors["Bayes"][static] < errors["On-line"][static] < errors["F-0.88"][static]
    assert errors["TF-0.88, h=1"][drift] < errors["F-0.88"][drift] < errors["On-line"][drift]
    assert errors["Bayes"][drift] < 0.17 < errors["TF-0.88, h=1"][drift] < 0.25
    assert 0.38 < errors["On-line"][drift] < 0.5
    assert errors["LogisticMixture()"][abrupt] < errors["F-0.98"][abrupt] < errors["F-0.88"][abrupt]
    guarded = next(row[4] for row in report.tables[0].rows if row[0] == "F-0.88")
    assert guarded[0] < errors["F-0.88"][abrupt] / 2
    assert "not found" in report.notes[-2] and "Quick" in report.notes[-1]
    assert json.loads(report.to_json())["settings"]["simulations"] == 1
    drawn = [Path(path) for path in report.figures]
    assert [path.name for path in drawn] == [f"figure_{number}.svg" for number in (2, 3, 4, 5)]
    assert all(path.stat().st_size > 10_000 for path in drawn)


def test_an_unknown_paper_is_named():
    with pytest.raises(ValueError, match="there is no paper 'x'; the papers are forgetting"):
        papers.reproduce("x")


def test_the_command_lists_papers():
    result = CliRunner().invoke(app, ["reproduce", "--list"])
    assert result.exit_code == 0
    assert "forgetting  Temporally adaptive logistic classifiers" in result.output


def test_cells_have_the_same_form():
    cells = [cell_text(cell) for cell in (None, "a", 3, 0.5, (0.25, 0.01))]
    assert cells == ["", "a", "3", "0.500", "0.250 ± 0.010"]
