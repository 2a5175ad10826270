"""What a page, the terminal and the JSON say by themselves: missed classes, falls of accuracy, few rows."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from thalweg.commands.app import app
from thalweg.evaluation import curves, notable, prequential, report
from thalweg.learners import AdaptiveStacking, LogisticMixture, NaiveBayes
from thalweg.streams import SEA, from_arrays


@pytest.fixture(scope="module")
def broken():
    """A run in which the rule is turned round half-way, and a rare class is noise."""
    X = np.random.default_rng(0).normal(size=(6000, 2))
    y = np.where((X[:, 0] > 0) == (np.arange(6000) < 3000), "yes", "no")
    y[::97] = "odd"
    return prequential(from_arrays(X, y), NaiveBayes())


def test_a_class_without_a_right_answer_is_named(broken):
    assert notable.missed_classes(broken) == [("odd", 62)]
    assert "Never answered rightly: class odd (62 rows)." in notable.in_words(broken)


def test_a_fall_of_accuracy_is_found(broken):
    fall = notable.fall_of_accuracy(broken)
    assert abs(fall.row - 3000) < 60 and fall.before > 0.9 and fall.after < 0.2
    said = broken.summary()
    assert said["classes_never_right"] == {"odd": 62} and said["fall_of_accuracy"]["row"] == fall.row


def test_a_fall_that_is_no_chance_is_said(broken):
    alarm = notable.alarm_of_accuracy(broken)
    assert 2900 < alarm.since < alarm.found_at < 3200 and alarm.p_value <= 0.01
    assert alarm.accuracy < alarm.reference - 0.05
    said = f"Accuracy has fallen by more than 5 points since about row {alarm.since:,}"
    assert any(line.startswith(said) for line in notable.in_words(broken))
    assert broken.summary()["alarm_of_accuracy"] == alarm._asdict()


@pytest.mark.parametrize("seed", range(5))
def test_a_steady_run_has_no_fall(seed):
    run = prequential(SEA(4000, period=4000, noise=0.2, seed=seed), LogisticMixture())
    assert notable.in_words(run) == []


def test_runs_that_keep_totals_and_short_runs(broken):
    X = np.random.default_rng(0).normal(size=(6000, 2))
    y = (X[:, 0] > 0) == (np.arange(6000) < 3000)
    totals = prequential(from_arrays(X, y), NaiveBayes(), keep="totals")
    assert abs(notable.fall_of_accuracy(totals).row - 3000) < 60
    assert notable.in_words(prequential(SEA(30), NaiveBayes())) == []


def test_the_page_and_the_terminal_say_it(broken, tmp_path):
    page = report.write(broken, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Never answered rightly: class odd (62 rows)." in page and "Accuracy falls at about row" in page
    path = tmp_path / "rows.csv"
    lines = [f"{i % 7},{'odd' if i % 40 == 0 else 'yes' if i % 7 > 3 else 'no'}" for i in range(2000)]
    path.write_text("a,ok\n" + "\n".join(lines) + "\n")
    told = ["run", str(path), "--target", "ok", "--learner", "NaiveBayes"]
    assert "Never answered rightly: class odd (50 rows)." in CliRunner().invoke(app, told).output
    found = json.loads(CliRunner().invoke(app, [*told, "--json"]).output)
    assert found["classes_never_right"] == {"odd": 50} and found["fall_of_accuracy"] is None


def test_ranges_with_few_rows_are_not_drawn(tmp_path):
    run = prequential(SEA(300, seed=1), NaiveBayes())
    found = curves.reliability(run)
    few = int((found.rows < 20).sum())
    assert few > 0 and len(found.shown().rows) == len(found.rows) - few
    page = report.write(run, tmp_path / "page.html").read_text(encoding="utf-8")
    assert f"{few} range" in page and "with fewer than 20 rows" in page


def test_members_are_called_as_in_the_terminal():
    learner = AdaptiveStacking()
    run = prequential(SEA(400), learner)
    forest = "AdaptiveRandomForest + last label"
    assert run.history.names == learner.member_names_ and forest in run.history.names
    assert forest in run.resolved_parameters["members"]


def test_a_fall_in_a_part_is_at_a_row_of_the_source():
    X = np.random.default_rng(1).normal(size=(8000, 3))
    y = np.where(np.arange(8000) < 6000, X[:, 0] > 0, X[:, 0] < 0).astype(int)
    part = prequential((X, y), NaiveBayes()).part(3000)
    fall = notable.fall_of_accuracy(part)
    assert 5900 < fall.row < 6200
