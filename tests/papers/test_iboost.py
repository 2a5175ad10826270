"""The reproduction of the paper on incremental boosting: its protocol, tables, claims and figures."""

import numpy as np
import pytest

from thalweg.learners import IBoost
from thalweg.papers import iboost, iboost_figures, iboost_tables
from thalweg.streams import SEA


@pytest.fixture(scope="module")
def results():
    """Results as runs would give them: accuracy is a known number for each method."""
    settings = [("stumps", setting) for setting in iboost.stump_settings()]
    settings += [(stream, name) for stream in ("SEA", "LED", "RBF") for name in iboost.bayes_methods(50, 50)]
    made = {}
    for number, setting in enumerate(settings):
        for seed in range(2):
            accuracy = number / 100 + seed / 1e4
            found = {"accuracy": accuracy, "recovery": 0.9, "seconds": 1.0, "curve": [0.5, 1.0]}
            made[setting, seed] = found
    return made


def test_tasks_cover_the_tables_and_leave_out_data_that_is_not_there(tmp_path):
    full, quick = iboost.tasks(False, tmp_path), iboost.tasks(True, tmp_path)
    assert len(quick) < len(full) / 5
    assert len({task.key for task in full}) == len(full)
    assert not any(task.key[0][0] == "Santa Fe" for task in full)
    assert sum(task.key[0][0] == "stumps" for task in full) == 10 * (7 * 9 + 2 * 5)


def test_tables_hold_the_runs_beside_the_paper(results):
    report = iboost_tables.report(results)
    accuracy = report.tables[0]
    assert accuracy.rows[0][:4] == ["stochastic", "20", "200", 94.5]
    assert accuracy.rows[0][4] == pytest.approx((0.5 / 100, 0.5 / 100), abs=0.01)
    assert len(accuracy.rows) == 45
    steps, bayes = report.tables[3], report.tables[6]
    assert [row[2] for row in steps.rows[:6]] == [96.7, 97.1, 97.4, 96.5, 94.7, 93.1]
    assert [row[0] for row in bayes.rows] == list(iboost.bayes_methods(50, 50))
    assert {row[0]: row[1] for row in bayes.rows}["FLC"] == 97.4
    claims = {claim.claim: claim.holds for claim in report.claims}
    assert claims["batch is more accurate than stochastic"] is True
    assert claims["SEA: IBoost beats DWM"] is False
    assert claims["stochastic recovers faster than batch"] is None
    assert any("Santa Fe left out" in note for note in report.notes)


def test_the_best_order_stands_for_online_coordinate_boosting(results):
    rows = [row for row in iboost_tables.report(results).tables[0].rows if row[0] == "OCB"]
    setting = iboost.Stumps("OCB", n_members=20, order=20)
    best = [results[("stumps", setting), seed]["accuracy"] for seed in range(2)]
    assert rows[0][:4] == ["OCB", "20", "200", 92.7] and rows[0][4][0] == pytest.approx(100 * np.mean(best))


def test_protocol_tests_on_fresh_rows():
    found = iboost.tested(IBoost(n_members=20, window=100), SEA(2000, period=1000, noise=0, seed=5), 500)
    assert len(found["curve"]) == 20
    assert found["accuracy"] == pytest.approx(np.mean(found["curve"]))
    assert 0.85 < found["recovery"] < 1 and 0.85 < found["accuracy"] < 1
    assert found["seconds"] > 0


@pytest.mark.parametrize("name", ["IBoost, cap 3", "NSOnlineBoost", "FLC", "OCB", "FLB", "DWM"])
@pytest.mark.parametrize("stream", ["LED", "RBF"])
def test_long_streams_are_tested_before_they_are_learned(stream, name):
    found = iboost.run_long(stream, name, 1000, 3)
    assert len(found["curve"]) == 100 and 0.4 < found["accuracy"] < 1


def test_figures_are_drawn(results, tmp_path):
    pytest.importorskip("matplotlib")
    drawn = list(iboost_figures.draw(results, tmp_path))
    assert [path.name for path in drawn] == ["figure_2.svg", "figure_3.svg", "figure_5.svg", "figure_6.svg"]
    assert all(path.stat().st_size > 1000 for path in drawn)
