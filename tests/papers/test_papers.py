"""Papers run again: the machinery."""

import numpy as np
import pytest
from typer.testing import CliRunner

from thalweg import papers
from thalweg.commands.app import app
from thalweg.papers import huwrs, particle_filter
from thalweg.papers.figures import Panel, draw_lines
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


def test_a_line_may_have_a_band(tmp_path):
    x = np.arange(5.0)
    lines = {"plain": {"one": (x, x)}, "band": {"one": (x, x, 0.1 * x)}}
    texts = {
        name: draw_lines(tmp_path / f"{name}.svg", [Panel(name, each)], "x", "y").read_text()
        for name, each in lines.items()
    }
    assert "PolyCollection" in texts["band"] and "PolyCollection" not in texts["plain"]


@pytest.mark.parametrize(
    "task",
    [
        lambda: huwrs.tasks(True, None)[0],
        lambda: particle_filter.tasks(True, None)[0],
    ],
)
def test_a_run_that_ctrl_c_cut_is_not_kept(task, tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("thalweg.evaluation.loop._run_and_record", stop)
    with pytest.raises(KeyboardInterrupt):
        run_tasks("some", [task()], n_jobs=1)
    assert not list((tmp_path / "cache").rglob("*.json"))


def test_another_file_is_another_result(tmp_path):
    rows, log = tmp_path / "rows.csv", tmp_path / "log"
    tasks = [Task(("count", 0), length, {"file": str(rows), "log": str(log)})]
    for text in ("a", "ab", "ab"):
        rows.write_text(text) if not rows.exists() or rows.read_text() != text else None
        assert run_tasks("some", tasks, n_jobs=1) == {("count", 0): len(text)}
    assert log.read_text() == "xx"


def length(file, log):
    with open(log, "a") as written:
        written.write("x")
    with open(file) as read:
        return len(read.read())
