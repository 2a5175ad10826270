"""The reproduction of the paper on robust regression: its protocol, tables, claims and figures."""

import numpy as np
import pytest

from thalweg.learners import RobustEnsemble
from thalweg.papers import robust, robust_claims, robust_figures, robust_results, robust_tables

HALVES, WHOLE = list(robust.methods()), list(robust.whole_chunk_methods())
SEEDS = {"mixed": 3, "abrupt": 2, robust.LOANS: 2}


def made(setting, seed):
    """Return a run: later methods are better by 0.01 each, more so with later seeds; noise costs all 0.01."""
    kind, noise, _ = setting
    found = {}
    for number, name in enumerate([*HALVES, *WHOLE] if seed < 2 else HALVES):
        accuracy = 0.8 + number * (0.01 + 0.0001 * seed) - (0.01 if kind == "mixed" and noise else 0)
        found[name] = {"accuracy": accuracy, "balanced": 0.5, "curve": [accuracy] * 139 + [0.9] * 20}
        found[name]["seconds"] = 0.01 * (number + 1)
        if name.startswith("robust"):
            jump = [[10, 6, 4, 8.0]] if seed == 0 else [[10, 6, 3, 8.0]]
            found[name]["outliers"] = [[10, 6, 2, 8.0]] * 40 + jump + [[10, 6, 2, 8.0]] * 20
    return found


@pytest.fixture(scope="module")
def results():
    """Results as runs would give them, the last seed first, as processes may end."""
    settings = list(dict.fromkeys(task.key[0] for task in robust.tasks(False, "nowhere")))
    settings += [(robust.LOANS, chunk, leaves) for chunk in robust.CHUNKS for leaves in robust.LEAVES]
    seeds = [range(2) if leaves != 8 else range(SEEDS[kind]) for kind, _, leaves in settings]
    return {
        (setting, seed): made(setting, seed)
        for setting, of_setting in zip(settings, seeds, strict=True)
        for seed in reversed(of_setting)
    }


@pytest.fixture(scope="module")
def report(results):
    return robust_tables.report(results)


def rows_of(report, title):
    """Return {first cell: the others} of the table whose title starts so."""
    table = next(table for table in report.tables if table.title.startswith(title))
    return {row[0]: row[1:] for row in table.rows}


def test_tasks_cover_the_figures(tmp_path):
    full, quick = robust.tasks(False, tmp_path), robust.tasks(True, tmp_path)
    assert len(full) == 5 * 100 + 20 * (1 + 3) and len(quick) == 2 * 9
    assert len({task.key for task in full}) == len(full)
    assert sum(task.settings["whole"] for task in full) == 20 * 9
    assert not any(task.run is robust.run_loans for task in full)


def test_tables_hold_the_runs(report):
    figures = rows_of(report, "Accuracy, 8 leaves")
    assert figures["Bagging"][0] == pytest.approx((80.0, 0.0))
    assert figures["last label"][0] == pytest.approx((80 + 9.045, 0.045))
    gains = rows_of(report, "Gain over Weighted Bagging")
    assert gains["robust, e = 1.5"][1] == pytest.approx((3.03, 0.03 / 3**0.5))
    assert gains["robust by folds"][1] == pytest.approx((4.02, 0.02))  # of the seeds that have both
    leads = rows_of(report, "Whole chunks or halves")
    assert leads["robust by folds − AWE"] == [pytest.approx((-1.005, 0.005))] * 4
    seconds = rows_of(report, "Seconds for 40 chunks")
    assert seconds["Bagging"][:2] == [138, 1.0]
    assert seconds["robust, e = 0.25"][3] == pytest.approx((4.0, 0.0))
    jumps = rows_of(report, "Figure 1: accuracy after a jump")
    assert jumps["Bagging"][0] == pytest.approx((80.0, 0.0))


def test_outliers_are_counted_in_all_chunks(report):
    table = next(table for table in report.tables if table.title.startswith("Outliers"))
    precision, recall, share = table.rows[1][2:]
    assert precision == pytest.approx((0.6, 0.0)) and recall is None
    assert share[0] == pytest.approx(0.75, abs=0.01)
    assert table.rows[3][:2] == ["5 %", "robust, e = 0.25"] and table.rows[3][3] == pytest.approx((0.75, 0))


def test_loans_have_every_size(report):
    for kind, mean in (("accuracy", 84.02), ("mean over both classes", 50.0)):
        table = next(each for each in report.tables if each.title.endswith(f"trees: {kind}"))
        assert [row[:2] for row in table.rows[:5:4]] == [["1000", "8 leaves"], ["2000", "8 leaves"]]
        assert len(table.rows) == 16
        assert table.rows[0][2 + table.header[2:].index("robust, e = 1.5")][0] == pytest.approx(mean)
    assert rows_of(report, "Instead of figure 6")["SEA"][1] == pytest.approx((50.0, 0.0))


def test_claims_have_what_was_measured_and_what_the_paper_says(report):
    claims = {claim.claim: claim for claim in report.claims}
    assert claims["figure 1: robust, e = 1.5 beats Weighted Bagging"].holds is True
    jump = "figure 4: at the jump (chunk 40) more outliers are of the new concept than elsewhere"
    assert claims[jump].measured == "+10.56 ± 2.22" and claims[jump].holds
    assert claims["figure 6, on loans: robust, e = 1.5 beats Bagging"].measured == "+4.02 ± 0.02"
    sizes = "section 5.5, on loans: robust, e = 0.25 beats Bagging with all 16 sizes of chunks and trees"
    assert claims[sizes].measured == "better with 16, worse with 0"
    longer = claims["full trees: Weighted Bagging takes longer than Bagging"]
    assert (longer.measured, longer.holds, longer.paper) == ("2.00 ± 0.00 times", True, "163 / 138 s = 1.18")
    slower = claims["full trees: robust, e = 0.25 takes at most 1.22 times as long as Weighted Bagging"]
    assert slower.measured == "2.00 ± 0.00 times" and slower.holds is False


def test_a_quick_run_has_all_chunks_that_are_shown_after_a_jump():
    runs = [{"x": {"curve": [0.0] * 39 + [0.1 * n for n in range(10)]}}] * 2
    shown = [robust_results.after_jumps(runs, "x", (n,)).tolist() for n in robust_tables.AFTER]
    assert shown == [pytest.approx([10.0 * n] * 2) for n in robust_tables.AFTER]


def test_loans_may_be_absent(results):
    report = robust_tables.report({key: run for key, run in results.items() if key[0][0] != robust.LOANS})
    assert any("Figure 6 is left out" in note for note in report.notes)
    assert not any("loans" in claim.claim for claim in report.claims)


def test_runs_are_in_the_order_of_their_seeds(results):
    runs = robust_tables.by_setting(results)["mixed", 0.1, 8]
    assert np.diff(robust_results.values(runs, "SEA")) > 0
    assert [len(robust_results.values(runs, name)) for name in ("Bagging", "SEA")] == [3, 2]


def test_protocol_tests_on_the_next_chunk_before_its_noise():
    found = robust.run_sphere("mixed", 0.1, 8, seed=3, n_chunks=12, whole=True)
    assert list(found) == HALVES + WHOLE
    assert all(len(run["curve"]) == 11 for run in found.values())
    accuracy = {name: run["accuracy"] for name, run in found.items()}
    assert all(0.75 < accuracy[name] < 0.95 for name in robust_results.METHODS)
    assert all(0.4 < accuracy[name] < 0.6 for name in robust_tables.BASELINES)
    for name, share in (("robust, e = 1.5", 0.5), ("robust by folds", 1.0)):
        counts = np.array(found[name]["outliers"])
        assert (counts[:, 1] + counts[:, 2] <= counts[:, 0]).all()
        assert counts[:, 1].sum() / counts[:, 0].sum() > 0.45  # precision
        assert counts[:, 1].sum() / counts[:, 3].sum() > 0.6  # recall
        assert counts[:, 3].sum() == pytest.approx(1200 * share, rel=0.1)


def test_a_chunk_is_predicted_by_members_that_have_not_seen_it():
    learners = robust.methods()
    chunks = list(robust.Sphere(6000, seed=1).coded_blocks(1000))
    found = {name: {"right": [], "seconds": 0.0} for name in learners}
    for learner in learners.values():
        learner.begin(3, [0, 1])
    for X, codes in chunks:
        expected = {name: learner.predict_proba_block(X) for name, learner in learners.items()}
        robust.learn_chunk(learners, found, X, codes, codes, np.random.default_rng(1))
        for name, p in expected.items():
            right = np.bincount(codes[p.argmax(axis=1) == codes], minlength=2)
            if learners[name].n_chunks_ > 1:
                assert np.array_equal(found[name]["right"][-1], right), name
    assert {learner.n_chunks_ for learner in learners.values()} == {6}


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
    assert robust_claims.decided("x", [0.1, -0.1, 0.05]).holds is None
    assert robust_claims.decided("x", [0.1, 0.11, 0.12]).holds is True
    assert robust_claims.decided("x", [-0.1, -0.11, -0.12]).holds is False
    verdicts = [[True, True], [True, None], [True, None, False]]
    assert [robust_claims.verdict_of(each) for each in verdicts] == [True, None, False]


def test_falls_are_means_over_all_steps():
    curves = [{"x": {"curve": [0.9, 0.8, 0.9, 0.85, 0.95]}}]
    assert robust_claims.falls(curves, "x") == pytest.approx([100 * (0.1 + 0.05) / 4])


def test_figures_are_drawn(results, tmp_path):
    pytest.importorskip("matplotlib")
    paths = list(robust_figures.draw(results, tmp_path))
    names = [f"figure_{n}.svg" for n in (1, 2, 3, 4, 5, 6)] + ["figure_6_sizes.svg"]
    assert [path.name for path in paths] == names
    assert all(path.stat().st_size > 5000 for path in paths)


def test_loans_are_sorted_by_income(monkeypatch):
    rng = np.random.default_rng(1)

    class Loans:
        names, classes, n_features, n_categories = ("age", robust.AMOUNT), [0, 1], 2, None

        def coded_blocks(self, size):
            income = rng.permutation(6000).astype(float)
            yield np.column_stack([rng.random(6000), income]), (income > 3000).astype(int)

    monkeypatch.setattr(robust.datasets, "gmsc", lambda data: Loans())
    found = robust.run_loans(1000, 8, seed=0, n_chunks=160, data=None)
    assert set(found) == {*HALVES, *WHOLE, "robust, balanced"}
    assert found["robust by folds"]["curve"] == pytest.approx([1, 1, 0, 1, 1], abs=0.01)
    assert isinstance(found["SEA"]["balanced"], float) and len(found["SEA"]["curve"]) == 5


def test_robust_by_folds_is_the_learner_without_hold_out():
    learner = robust.whole_chunk_methods()["robust by folds"]
    assert isinstance(learner, RobustEnsemble) and learner.holdout is None
