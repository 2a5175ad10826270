"""The particle filter paper's experiments run, and their tables and figures say what was measured."""

import numpy as np
import pytest
from places import data_file

from thalweg.papers import particle_filter as paper
from thalweg.papers import particle_filter_figures as figures
from thalweg.papers import particle_filter_tables as tables


def made_results(jobs):
    rng = np.random.default_rng(0)
    for job in jobs:
        if job["case"] == "training time":
            yield {"milliseconds": 10.0}
        else:
            value = 90 + rng.normal()
            yield {
                "accuracy": value,
                "course": [value] * 40,
                "baselines": {"majority": 60.0, "no_change": 50.0},
            }


@pytest.fixture(scope="module")
def found():
    jobs = paper.jobs(quick=True)
    return tables.gathered(jobs, list(made_results(jobs)))


def test_every_job_is_another_and_quick_is_less():
    whole, quick = paper.jobs(), paper.jobs(quick=True)
    assert len({tuple(job.items()) for job in whole}) == len(whole) > 5 * len(quick)
    assert sum(job["stream"] == "SEA" for job in whole) == 50 * 8 + 1
    assert sum(job["case"] == "PF-LR, B = 6" for job in whole) == 20


def test_a_job_gives_the_papers_level_and_its_baselines():
    job = {"stream": "MANY", "case": "PF-LR, U(0, 1) start", "seed": 5}
    result = paper.run(job)
    assert 90 < result["accuracy"] < 97
    assert len(result["course"]) == 40 and np.mean(result["course"]) == pytest.approx(result["accuracy"])
    assert result["baselines"]["majority"] < 60
    assert paper.run(job) == result


def test_training_is_twenty_times_under_the_paper():
    assert paper.training_milliseconds("MANY") < paper.TRAINING_MS["MANY"] / 20


def test_tables_hold_paper_and_ours(found):
    made = {table.title: table for table in tables.tables(found)}
    assert made["Table 4: training times"].rows[0] == ["SEA", "40,000", "800", "404.7", "10.00", "40"]
    row = made["SEA"].rows[0]
    values = np.array([run["accuracy"] for run in found["SEA", "PF-LR, warm-up 500"]])
    assert row[:2] == ["PF-LR, warm-up 500", "98.1 ± 0.05"]
    assert row[2].startswith(f"{values.mean():.2f} ± {values.std(ddof=1) / 2:.2f}")
    assert [row[0] for row in made["SEA"].rows[-2:]] == ["majority class", "repeat the last label"]
    assert all(len(row) == len(table.columns) for table in made.values() for row in table.rows)


def test_figures_are_drawn(found, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("THALWEG_DATA", str(data_file("elec2.arff").parent))
    monkeypatch.setattr(figures, "FIGURES", {number: figures.FIGURES[number] for number in (4, 5, 6)})
    captions = figures.draw(tables.courses(found), tables.accuracies(found), tmp_path)
    assert len(captions) == 3
    assert all((tmp_path / name).stat().st_size > 5000 for name in captions)


def test_the_boundary_follows_the_price(monkeypatch):
    monkeypatch.setenv("THALWEG_DATA", str(data_file("elec2.arff").parent))
    price, label, boundary = figures.boundary_over_price(None, n_rows=2000)
    later = slice(500, None)
    assert ((price > boundary) == label)[later].mean() > 0.8
    assert paper.above_own_mean(*paper.prices()) > 99.9


def test_a_gaussian_filter_finds_the_state_again_after_the_jump():
    states, means = figures.gaussian_track()
    assert np.abs(states - means)[:50].mean() < 1.2
    assert np.abs(states - means)[60:].mean() < 1.2
    assert np.abs(states[50] - states[49]).max() > 7
