"""PerformanceAlarm: the stated rate holds at its limit, falls are found, and cuts make no difference."""

import math
import pickle
from itertools import pairwise

import numpy as np
import pytest
import scipy.stats

from thalweg.errors import StateError
from thalweg.trust import PerformanceAlarm
from thalweg.trust.performance_alarm import lower_bound


def answers(n_rows, accuracy, seed=0, fall=0.0, at=None):
    chance = np.where(np.arange(n_rows) < (n_rows if at is None else at), accuracy, accuracy - fall)
    return np.random.default_rng(seed).random(n_rows) < chance


def evidence(scores, limit, gaps):
    """Return the evidence after each 32 scores, by the sum over all rows at which a fall may begin."""
    parts = scores.reshape(-1, 32)
    found = []
    for t in range(1, len(parts) + 1):
        total = 1 / (1 + math.log(t + 1))
        for start in range(1, t + 1):
            weight = 1 / (1 + math.log(start)) - 1 / (1 + math.log(start + 1))
            for gap in gaps:
                bet = min(gap / limit, 0.99) / (1 - limit)
                total += weight / len(gaps) * np.prod(1 + bet * (limit - parts[start - 1 : t]))
        found.append(total)
    return np.array(found)


@pytest.mark.parametrize("scores", [answers(640, 0.8), np.random.default_rng(1).random(640)])
def test_the_evidence_is_the_sum_over_all_starts(scores):
    from thalweg.trust.performance_alarm import GAPS

    scores = scores.astype(float)
    wanted = evidence(scores, 0.85, GAPS)
    alarm = PerformanceAlarm(drop=0.05, false_alarms=1e-200, reference=0.9)
    alarm.update(scores)
    assert alarm.p_value_ == pytest.approx(1 / wanted.max(), rel=1e-9)


@pytest.mark.parametrize("reference", [0.9, None])
def test_no_more_streams_at_the_limit_get_an_alarm_than_stated(reference):
    accuracy = 0.85
    found = 0
    for seed in range(400):
        rows = answers(6000, accuracy, seed)
        if reference is None:
            rows[:500] = answers(500, 0.9, 1000 + seed)
        alarm = PerformanceAlarm(false_alarms=0.1, reference=reference, reference_rows=500)
        found += alarm.update(rows)
    assert scipy.stats.binomtest(found, 400, 0.1, alternative="greater").pvalue > 0.001


def test_a_fall_is_found_soon_and_named():
    for seed in range(10):
        alarm = PerformanceAlarm(reference=0.9)
        assert alarm.update(answers(12_000, 0.9, seed, 0.2, 10_000))
        assert 10_000 < alarm.alarm_row_ < 10_600
        assert abs(alarm.fallen_since_ - 10_000) < 200
        assert alarm.accuracy_since_ == pytest.approx(0.7, abs=0.15)
        assert alarm.p_value_ <= 0.01
        assert str(alarm).startswith("accuracy has fallen by more than 5 points since row")


def test_a_fall_of_less_is_none():
    alarm = PerformanceAlarm(reference=0.9)
    assert not alarm.update(answers(20_000, 0.9, 3, 0.04, 10_000))
    assert str(alarm) == "accuracy has not fallen by more than 5 points"
    assert alarm.fallen_since_ is None and alarm.alarm_row_ is None and alarm.accuracy_since_ is None


@pytest.mark.parametrize("kind", [bool, float])
@pytest.mark.parametrize("reference", [0.9, None])
def test_a_block_is_only_several_rows(kind, reference):
    rows = answers(6000, 0.9, 1, 0.2, 4000)
    if kind is float:
        rows = np.where(rows, 0.97, 0.05) + np.random.default_rng(0).random(6000) / 100
    whole = PerformanceAlarm(reference=reference)
    whole.update(rows)
    cut = PerformanceAlarm(reference=reference)
    for start, stop in pairwise([0, 1, 2, 31, 33, 64, 1999, 2001, 4100, 4133, 6000]):
        cut.update(rows[start:stop])
        cut = pickle.loads(pickle.dumps(cut))
    assert whole.alarm_
    np.testing.assert_equal(cut.state(), whole.state())
    assert cut.n_rows_ == 6000


def test_the_reference_is_a_lower_bound():
    alarm = PerformanceAlarm(reference_rows=1000)
    assert alarm.reference_ is None and alarm.limit_ is None
    rows = answers(1000, 0.9)
    alarm.update(rows)
    assert alarm.reference_ == rows.mean()
    low = alarm.limit_ + 0.05
    assert scipy.stats.binom.sf(rows.sum() - 1, 1000, low) <= 0.0025
    assert scipy.stats.binom.sf(rows.sum() - 1, 1000, low + 0.007) > 0.0025
    assert lower_bound(1.0, 100, 0.01) == pytest.approx(0.01 ** (1 / 100))
    assert lower_bound(0.0, 100, 0.01) == 0


def test_estimates_count_too():
    rng = np.random.default_rng(0)
    alarm, both = PerformanceAlarm(reference=0.9), PerformanceAlarm(reference=0.9)
    both.update(answers(1010, 0.9))
    for _ in range(50):
        assert not alarm.update_estimate(rng.normal(0.86, 0.02), 0.02, 500)
        assert not both.update_estimate(rng.normal(0.86, 0.02), 0.02, 500)
    while not alarm.update_estimate(rng.normal(0.75, 0.02), 0.02, 500):
        assert alarm.n_rows_ < 30_000
    assert abs(alarm.fallen_since_ - 25_000) <= 1000
    assert both.update(answers(3000, 0.7))
    assert both.n_rows_ == 1010 + 25_000 + 3000


def test_estimates_at_the_limit_keep_the_rate():
    rng = np.random.default_rng(1)
    found = 0
    for _ in range(300):
        alarm = PerformanceAlarm(reference=0.9, false_alarms=0.1)
        found += any(alarm.update_estimate(a, 0.02, 500) for a in rng.normal(0.85, 0.02, 100))
    assert scipy.stats.binomtest(found, 300, 0.1, alternative="greater").pvalue > 0.001


def test_an_alarm_stays_until_reset():
    alarm = PerformanceAlarm(reference=0.9)
    assert alarm.update(np.zeros(500, dtype=bool))
    row = alarm.alarm_row_
    assert alarm.update(np.ones(500, dtype=bool)) and alarm.alarm_row_ == row
    alarm.reset()
    assert not alarm.alarm_ and alarm.n_rows_ == 0


def test_what_cannot_fall_gets_no_alarm():
    alarm = PerformanceAlarm(drop=0.3, reference=0.2)
    assert not alarm.update(np.zeros(5000))
    assert PerformanceAlarm(drop=1e-12, reference=1.0).update(np.zeros(64))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [({"drop": 0}, "drop must be"), ({"false_alarms": 1}, "false_alarms must be"),
     ({"reference": 2}, "reference must be"), ({"reference_rows": 0}, "reference_rows must be")],
)
def test_wrong_parameters_are_named(parameters, words):
    with pytest.raises(ValueError, match=f"PerformanceAlarm: {words}"):
        PerformanceAlarm(**parameters).update([True])


def test_what_does_not_fit_is_refused_and_changes_nothing():
    alarm = PerformanceAlarm()
    alarm.update(answers(100, 0.9))
    before = alarm.state()
    for rows, words in [([2.0], "between 0 and 1"), ([math.nan], "between 0 and 1"),
                        ([[1]], "one dimension"), (["a"], "must be True, False or numbers")]:
        with pytest.raises(ValueError, match=words):
            alarm.update(rows)
    with pytest.raises(ValueError, match="needs a reference"):
        alarm.update_estimate(0.9, 0.1, 10)
    with pytest.raises(ValueError, match="standard_error"):
        alarm.update_estimate(0.9, 0, 10)
    with pytest.raises(StateError):
        alarm.restore(before | {"memory": before["memory"] | {"best": np.zeros(3)}})
    np.testing.assert_equal(alarm.state(), before)
