"""The reproduction of the paper on robust regression: its protocol, tables, claims and figures."""

import numpy as np
import pytest

from thalweg.papers import robust, robust_figures, robust_tables

NAMES = (robust.BAGGING, *robust.methods())


@pytest.fixture(scope="module")
def results():
    """Results as runs would give them: later methods are better by 0.01 each, more so in the second run."""
    made = {}
    for task in robust.tasks(False, "nowhere"):
        _, seed = task.key
        if seed > 1:
            continue
        made[task.key] = {}
        for number, name in enumerate(NAMES):
            accuracy = 0.8 + number * (0.01 + 0.0001 * seed)
            found = {"accuracy": accuracy, "curve": [accuracy] * 4, "seconds": 0.5}
            if name.startswith("robust"):
                found["outliers"] = [[10, 6, 2, 8.0]] * 4
            made[task.key][name] = found
    return made


def test_tasks_cover_the_figures(tmp_path):
    full, quick = robust.tasks(False, tmp_path), robust.tasks(True, tmp_path)
    assert len(full) == 20 * (1 + 5 + 3) and len(quick) == 2 * 9
    assert len({task.key for task in full}) == len(full)
    assert not any(task.run is robust.run_loans for task in full)


def test_tables_hold_the_runs(results):
    report = robust_tables.report(results)
    by_title = {table.title: table for table in report.tables}
    figures = by_title["Accuracy, 8 leaves, 10 % noise"]
    assert figures.rows[0][0] == "Bagging" and figures.rows[0][1] == pytest.approx((80.0, 0.0))
    gains = by_title["Gain over Weighted Bagging"]
    assert gains.rows[2][0] == "robust, e = 1.5" and gains.rows[2][1] == pytest.approx((3.015, 0.015))
    outliers = by_title["Outliers (figure 4)"]
    assert outliers.rows[1][2:] == [pytest.approx((0.6, 0)), None, pytest.approx((0.75, 0))]
    assert outliers.rows[3][3] == pytest.approx((0.75, 0))
    seconds = by_title["Seconds for 40 chunks, full trees"]
    assert ["robust, e = 1.5", 199, pytest.approx((5.0, 0.0))] in seconds.rows
    claims = {claim.claim: claim.holds for claim in report.claims}
    assert claims["figure 1: robust, e = 1.5 beats Weighted Bagging"] is True
    assert any("Loans left out" in note for note in report.notes)


def test_protocol_tests_on_the_next_chunk_before_its_noise():
    found = robust.run_sphere("mixed", 0.1, 8, seed=3, n_chunks=12)
    assert list(found) == list(NAMES)
    assert all(len(run["curve"]) == 11 for run in found.values())
    accuracy = {name: run["accuracy"] for name, run in found.items()}
    assert all(0.75 < value < 0.95 for value in accuracy.values())
    counts = np.array(found["robust, e = 1.5"]["outliers"])
    assert (counts[:, 1] + counts[:, 2] <= counts[:, 0]).all()
    assert counts[:, 1].sum() / counts[:, 0].sum() > 0.45  # precision
    assert counts[:, 1].sum() / counts[:, 3].sum() > 0.6  # recall


def test_trees_are_the_same_for_all_that_hold_rows_out():
    learners = robust.methods()
    X, codes = next(robust.Sphere(3000, seed=1).coded_blocks(3000))
    for name in ("Weighted Bagging", "logistic weights", "robust, e = 1.5"):
        learners[name].begin(3, [0, 1]).test_then_train_coded(X, codes)
    trees = [learners[name].members_ for name in ("Weighted Bagging", "logistic weights", "robust, e = 1.5")]
    for same in zip(*trees, strict=True):
        answers = [tree.predict_proba_block(X) for tree in same]
        assert np.array_equal(answers[0], answers[1]) and np.array_equal(answers[0], answers[2])


def test_gaps_within_two_standard_errors_are_undecided():
    assert robust_tables.decided("x", [0.1, -0.1, 0.05]).holds is None
    assert robust_tables.decided("x", [0.1, 0.11, 0.12]).holds is True
    assert robust_tables.decided("x", [-0.1, -0.11, -0.12]).holds is False


def test_figures_are_drawn(results, tmp_path):
    pytest.importorskip("matplotlib")
    paths = list(robust_figures.draw(results, tmp_path))
    assert [path.name for path in paths] == [f"figure_{n}.svg" for n in (1, 2, 3, 4, 5)]
    assert all(path.stat().st_size > 5000 for path in paths)
