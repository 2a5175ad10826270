"""The particle filter paper's experiments run, and their tables and figures say what was measured."""

import numpy as np
import pytest
from places import data_file

from thalweg.errors import StreamError
from thalweg.papers import particle_filter as paper
from thalweg.papers import particle_filter_figures as figures
from thalweg.papers import particle_filter_tables as tables
from thalweg.papers.running import by_setting


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    trivial = {"majority": 60.0, "no_change": 50.0}
    results = {}
    for task in paper.tasks(True, str(data_file("elec2.arff").parent)):
        value = 90 + rng.normal()
        results[task.key] = {"accuracy": value, "course": [value] * 40, "baselines": trivial}
        if task.run is paper.training_time:
            results[task.key] = 10.0
        if task.run is paper.boundary_over_price:
            results[task.key] = {"above_own_mean": 99.9}
            results[task.key] |= {name: [0.0, 1.0] for name in ("price", "label", "boundary")}
    return results


def test_every_task_is_another_and_quick_is_less():
    folder = str(data_file("elec2.arff").parent)
    whole, quick = paper.tasks(False, folder), paper.tasks(True, folder)
    assert len({task.key for task in whole}) == len(whole) > 5 * len(quick)
    assert sum(task.settings["stream"] == "SEA" for task in whole) == 50 * 10 + 1
    assert sum(task.settings.get("case") == "PF-LR, B = 6" for task in whole) == 20


def test_without_the_file_elec_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(paper.datasets, "load", missing)
    tasks = paper.tasks(True, str(tmp_path))
    assert tasks and all(task.settings["stream"] != "ELEC" for task in tasks)


def missing(name, data):
    raise StreamError("elec2 is not there")


def test_a_run_gives_the_papers_level_and_its_baselines():
    settings = {"stream": "MANY", "case": "PF-LR, U(0, 1) start", "seed": 5}
    result = paper.run_case(**settings)
    assert 90 < result["accuracy"] < 97
    assert len(result["course"]) == 40 and np.mean(result["course"]) == pytest.approx(result["accuracy"])
    assert result["baselines"]["majority"] < 60
    assert paper.run_case(**settings) == result


def test_training_is_timed():
    assert paper.training_time("MANY", repeats=1) > 0


def test_tables_hold_paper_and_ours(found):
    report = tables.report(found)
    made = {table.title: table for table in report.tables}
    times = made["Table 4: training, milliseconds of one processor"]
    assert times.rows[0] == ["SEA", "40,000", "800", "404.7", "10.00", "40"]
    row = made["SEA"].rows[0]
    values = tables.accuracies(by_setting(found))["SEA", "PF-LR, warm-up 500"]
    assert len(values) == 4
    assert row[:2] == ["PF-LR, warm-up 500", "98.1 ± 0.05"]
    assert row[2] == f"{values.mean():.2f} ± {values.std(ddof=1) / 2:.2f}"
    assert [row[0] for row in made["SEA"].rows[-2:]] == ["majority class", "repeat the last label"]
    assert all(len(row) == len(table.header) for table in made.values() for row in table.rows)
    held = {claim.claim: claim.holds for claim in report.claims}
    assert held["SEA: PF-LR, warm-up 500 98.1 ± 0.05"] is False


def test_figures_are_drawn(found, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(figures, "FIGURES", {number: figures.FIGURES[number] for number in (4, 5, 6)})
    paths = list(figures.draw(found, tmp_path))
    assert len(paths) == 3
    assert all(path.stat().st_size > 5000 for path in paths)


def test_the_boundary_follows_the_price():
    run = paper.boundary_over_price("ELEC", data_file("elec2.arff").parent, n_rows=2000)
    price, label, boundary = (np.array(run[name])[500:] for name in ("price", "label", "boundary"))
    assert ((price > boundary) == label).mean() > 0.8
    assert run["above_own_mean"] > 99.9


def test_a_gaussian_filter_finds_the_state_again_after_the_jump():
    states, means = figures.gaussian_track()
    assert np.abs(states - means)[:50].mean() < 1.2
    assert np.abs(states - means)[60:].mean() < 1.2
    assert np.abs(states[50] - states[49]).max() > 7
