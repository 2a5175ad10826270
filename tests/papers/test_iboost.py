"""The reproduction of the paper on incremental boosting: its protocol, tables, claims and figures."""

import numpy as np
import pytest

from thalweg.learners import FastLightBoost, IBoost
from thalweg.papers import iboost, iboost_claims, iboost_figures, iboost_rivals, iboost_runs, iboost_tables
from thalweg.papers.iboost_numbers import in_table_2
from thalweg.streams import SEA


@pytest.fixture(scope="module")
def results():
    """Results as runs would give them: accuracy is a known number for each method."""
    settings = [("stumps", each) for each in (*iboost.stump_settings(), *iboost.window_settings())]
    names = [*iboost_runs.bayes_methods(50, 50), *iboost_rivals.BASELINES]
    settings += [(stream, name) for stream in ("SEA", "LED", "RBF") for name in names]
    settings += [("SEA", name) for name in iboost_runs.long_window_methods()]
    settings += [("SEA", iboost.EXACT_OCB)]
    settings += [("stumps", iboost_runs.Stumps(iboost.FLB_BY_DISTANCE, *size)) for size in iboost.SIZES]
    made = {}
    for number, setting in enumerate(settings):
        for seed in range(2):
            accuracy = number / 100 + seed / 1e4
            found = {"accuracy": accuracy, "recovery": 0.9, "seconds": 1.0, "curve": [0.5, 1.0]}
            made[setting, seed] = found
    return made


def test_tasks_cover_the_tables_and_leave_out_data_that_is_not_there(tmp_path):
    full, quick = iboost.tasks(False, tmp_path), iboost.tasks(True, tmp_path)
    assert len(quick) < len(full) / 3
    assert len({task.key for task in full}) == len(full)
    assert not any(task.key[0][0].startswith("Santa Fe") for task in full)
    seeds = {}
    for (setting, seed) in (task.key for task in full):
        seeds.setdefault(setting, set()).add(seed)
    assert {("stumps", each) for each in iboost.stump_settings()} <= set(seeds)
    assert len(iboost.stump_settings()) == 6 * len(iboost.SIZES) + 2 * 5
    assert min(map(len, seeds.values())) == 5
    beyond = [("stumps", each) for each in iboost.window_settings()]
    beyond += [("SEA", name) for name in iboost_runs.long_window_methods()]
    assert all(len(seeds[setting]) == 10 for setting in beyond)


def test_tables_hold_the_runs_beside_the_paper(results):
    report = iboost_tables.report(results)
    accuracy = report.tables[0]
    assert accuracy.rows[0][:4] == ["stochastic", "20", "200", 94.5]
    assert accuracy.rows[0][4] == pytest.approx((0.5 / 100, 0.5 / 100), abs=0.01)
    assert len(accuracy.rows) == 6 * len(iboost.SIZES)
    assert accuracy.rows[-1][:4] == ["FLB, by distance", "200", "2000", 83.4]
    steps, bayes = report.tables[3], report.tables[6]
    assert [row[2] for row in steps.rows[:6]] == [96.7, 97.1, 97.4, 96.5, 94.7, 93.1]
    names = [*iboost_runs.bayes_methods(50, 50), *iboost_rivals.BASELINES, iboost.EXACT_OCB]
    assert [row[0] for row in bayes.rows] == names
    assert {row[0]: row[1] for row in bayes.rows}["FLC"] == 97.4
    claims = {claim.claim: claim.holds for claim in report.claims}
    assert claims["batch is more accurate than stochastic"] is True
    assert claims["SEA: IBoost beats DWM"] is False
    assert claims["stochastic recovers faster than batch"] is None
    assert any("Santa Fe left out" in note for note in report.notes)
    windows, members = report.tables[8:]
    assert ["implicit", "2000", 98.0] in [row[:3] for row in windows.rows]
    assert {row[0] for row in members.rows} >= set(iboost_runs.long_window_methods())


def test_a_quick_run_has_all_that_tables_claims_and_figures_need(tmp_path):
    found = {"accuracy": 0.9, "recovery": 0.9, "seconds": 1.0, "curve": [0.5, 1.0]}
    made = {task.key: found for task in iboost.tasks(True, tmp_path)}
    report = iboost_tables.report(made)
    assert len(report.tables) == 10 and {claim.holds for claim in report.claims} == {None}
    pytest.importorskip("matplotlib")
    assert len(list(iboost_figures.draw(made, tmp_path))) == 5


def test_claims_have_the_papers_numbers(results):
    paper = {claim.claim: claim.paper for claim in iboost_tables.report(results).claims}
    assert paper["stochastic recovers faster than batch"] == "93.5, 92.5"
    assert paper["stochastic: longer windows help (2000, 200)"] == "98, 97.1"
    assert paper["batch: adding members rarely is worse (p = 1, 100)"] == "97.6, 93.7"
    assert paper["SEA: IBoost beats DWM"] == "98, 96.9"
    without = {claim.removeprefix("(ours) ").split(":")[0] for claim, said in paper.items() if not said}
    assert without == {"LED", "RBF"}
    assert in_table_2("OCB", 200, 1000, "recovery") == 84.4 and in_table_2("FLB", 500, 200) == 94.9


def test_a_claim_compares_the_same_seeds():
    one = [{"accuracy": 0.5 + seed / 10} for seed in range(3)]
    other = [{"accuracy": 0.49 + seed / 10} for seed in range(2)]
    assert iboost_claims.better(one, other) == ("55.00, 54.00", True)


def test_santa_fe_is_tested_on_rows_that_were_learned_or_not(tmp_path):
    values = 100 * np.sin(np.arange(2000) ** 1.1 / 5)
    (tmp_path / "santa-fe-laser.txt").write_text("\n".join(f"{value:.0f}" for value in values))
    groups = {task.key[0][0] for task in iboost.tasks(True, tmp_path)}
    assert {"Santa Fe", "Santa Fe, held out"} <= groups
    for held_out in (0, 825):
        found = iboost_runs.run_santa_fe("DWM", 0, held_out, str(tmp_path))
        assert len(found["curve"]) == (1991 - (held_out and 825)) // 250 and 0.5 < found["accuracy"] <= 1


def test_the_best_order_stands_for_online_coordinate_boosting(results):
    rows = [row for row in iboost_tables.report(results).tables[0].rows if row[0] == "OCB"]
    setting = iboost_runs.Stumps("OCB", n_members=20, order=5)
    best = [results[("stumps", setting), seed]["accuracy"] for seed in range(2)]
    assert rows[0][:4] == ["OCB", "20", "200", 92.7] and rows[0][4][0] == pytest.approx(100 * np.mean(best))


def test_the_papers_settings_are_kept_where_the_defaults_differ():
    stumps = [iboost_runs.Stumps(method).learner() for method in ("stochastic", "batch", "implicit")]
    methods = iboost_runs.bayes_methods(50, 50) | iboost_runs.long_window_methods()
    plain = [each for name, each in methods.items() if isinstance(each, IBoost) and "cap" not in name]
    assert len(plain) == 5 and all(each.cap is None for each in stumps + plain)
    assert methods["FLB"].chunk_size == 200
    assert IBoost().cap == 10 and FastLightBoost().chunk_size == 100


def test_protocol_tests_on_fresh_rows():
    found = iboost_runs.tested(IBoost(n_members=20, window=100), SEA(2000, period=1000, noise=0, seed=5), 500)
    assert len(found["curve"]) == 8
    assert found["accuracy"] == pytest.approx(np.mean(found["curve"]))
    assert 0.85 < found["recovery"] < 1 and 0.85 < found["accuracy"] < 1
    assert found["seconds"] > 0


@pytest.mark.parametrize("name", ["IBoost, cap 3", "NSOnlineBoost", "FLC", "OCB", "FLB", "DWM"])
@pytest.mark.parametrize("stream", ["LED", "RBF"])
def test_long_streams_are_tested_before_they_are_learned(stream, name):
    found = iboost_runs.run_long(stream, name, 1000, 3)
    assert len(found["curve"]) == 100 and 0.4 < found["accuracy"] < 1


@pytest.mark.parametrize("stream", ["SEA", "LED"])
def test_baselines_ignore_the_inputs(stream):
    settings = {"n_rows": 1000, "held_out": 0, "data": None}
    names = iboost_rivals.BASELINES
    found = {name: iboost_rivals.run_baseline(stream, name, 0, **settings) for name in names}
    shares = {"SEA": (0.645, 0.55), "LED": (0.5, 0.5)}[stream]
    assert found["majority class"]["accuracy"] == pytest.approx(shares[0], abs=0.03)
    assert found["last label"]["accuracy"] == pytest.approx(shares[1], abs=0.03)


def test_exact_weights_are_those_of_adaboost():
    right = np.random.default_rng(0).random((3, 40)) < [[0.8], [0.7], [0.9]]
    alpha = iboost_rivals.adaboost_weights(right)
    weight = np.ones(40)
    for is_right, found in zip(right, alpha, strict=True):
        error = weight[~is_right].sum() / weight.sum()
        assert found == pytest.approx(0.5 * np.log((1 - error) / error))
        weight *= np.exp(np.where(is_right, -found, found))


def test_exact_weights_of_fixed_members_do_not_follow_a_change():
    exact = iboost_rivals.run_exact_weights(0)["curve"]
    assert len(exact) == 192 and np.mean(exact[:42]) > 0.94 > np.mean(exact[42:60])


def test_figures_are_drawn(results, tmp_path):
    pytest.importorskip("matplotlib")
    drawn = list(iboost_figures.draw(results, tmp_path))
    names = [path.name for path in drawn]
    assert names == ["figure_2.svg", "figure_3.svg", "figure_5.svg", "figure_6.svg", "table_2.svg"]
    assert all(path.stat().st_size > 1000 for path in drawn)
