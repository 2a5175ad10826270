"""The experiments of HUWRS: what is run, what a run returns, and the report with its figures."""

import numpy as np
import pytest

from thalweg import papers
from thalweg.papers import huwrs, huwrs_figures, huwrs_tables
from thalweg.streams import SEA


def results(quick=True):
    """Return made-up results for all tasks: HUWRS is best, and labels for the first chunk only cost a lot."""
    found = {}
    for task in huwrs.tasks(quick, "no such folder"):
        settings = task.settings
        accuracy = 0.9 if settings["method"].startswith("HUWRS") else 0.8
        accuracy -= 0.15 * (settings["label_share"] == huwrs.FIRST)
        found[task.key] = {"accuracy": accuracy + 0.001 * settings["seed"], "retrained": 0.5, "seconds": 1.0}
    return found


def with_labels_of_the_first_chunk(results, gains):
    """Return results in which HUWRS of the paper gains so many points without labels, one for each seed."""
    changed = dict(results)
    for (stream, chunk, share, method), seed in results:
        if share == huwrs.FIRST and method == huwrs.PAPER:
            before = results[(stream, chunk, huwrs.ALL, method), seed]
            changed[(stream, chunk, share, method), seed] = before | {
                "accuracy": before["accuracy"] + gains[seed] / 100
            }
    return changed


@pytest.mark.parametrize("method", [*huwrs.METHODS, huwrs.LABELS_ONLY, huwrs.UNCHANGING])
def test_a_run_gives_the_accuracy_after_the_first_chunk(method):
    found = huwrs.run_chunks("noise 10", 100, method, 0, huwrs.ALL, n_rows=450)
    assert 0.4 < found["accuracy"] <= 1
    assert round(found["accuracy"] * 300, 6).is_integer()   # three whole chunks after the first
    if method == "retrain always":
        assert found["retrained"] == 1
    if method in ("static forest", "AHOT", "DWM", "SlidingHUWRS", huwrs.UNCHANGING):
        assert not found["retrained"]


def test_a_file_of_ones_own_is_run_by_every_method(tmp_path):
    path = tmp_path / "mine.csv"
    X, y = next(SEA(300, seed=1).blocks(300))
    np.savetxt(path, np.column_stack([X, y]), delimiter=",", header="a,b,c,y", comments="", fmt="%.6g")
    mine = [task for task in huwrs.tasks(True, "no such folder", [path]) if task.key[0][0] == "mine.csv"]
    assert {task.settings["method"] for task in mine} == set(huwrs.METHODS)
    assert 0.3 < mine[0].run(**mine[0].settings)["accuracy"] <= 1


def test_other_papers_refuse_files():
    with pytest.raises(ValueError, match="files of your own"):
        papers.reproduce("iboost", files=["mine.csv"])


def test_the_report_says_what_holds_and_what_is_left_out():
    report = huwrs_tables.report(results(quick=False))
    holds = {claim.claim: claim.holds for claim in report.claims}
    assert holds["RBF: HUWRS is more accurate than DWM throughout"]
    assert holds["RBF: AHOT loses 10 to 20 points without labels"]
    assert holds["RBF: it is more accurate with labels for the first chunk than with all"] is False
    assert report.notes[-1].startswith(f"{', '.join(huwrs.DATASETS)} left out")
    ranges = report.tables[0].rows[0]
    assert ranges == ["RBF 0.5", "60–76", "90.2", "80.2", "56–74", "75.2", "65.2"]


@pytest.mark.parametrize(
    ("gains", "holds"), [((2, 3, 2, 1, 2), True), ((-1, 1, 0, 2, -2), None), ((-1, -2, -1, -1, -1), False)]
)
def test_a_gain_without_labels_counts_only_beyond_its_error(gains, holds):
    found = with_labels_of_the_first_chunk(results(quick=False), gains)
    claims = {claim.claim: claim for claim in huwrs_tables.report(found).claims}
    assert claims["RBF: it is more accurate with labels for the first chunk than with all"].holds is holds


def test_the_settings_of_the_paper_are_those_it_names():
    learner = huwrs.learner_of(huwrs.PAPER, 500, 3)
    assert (learner.distance, learner.threshold, learner.n_bins, learner.n_members) == ("plain", 0.7, 30, 100)
    assert huwrs.learner_of("HUWRS", 500, 3).get_params() == huwrs.HUWRS(random_state=3).get_params()


def test_the_figures_of_the_paper_are_drawn(tmp_path):
    drawn = list(huwrs_figures.draw(results(quick=False), tmp_path))
    assert [path.name for path in drawn] == ["figure_1.svg", "figure_3.svg"]
    assert all(path.stat().st_size > 10_000 for path in drawn)
