"""Standard errors and the paired test: right where errors come in runs, and where they do not."""

import math

import numpy as np
import pytest
import scipy.signal
import scipy.stats

from thalweg.errors import ParameterError
from thalweg.evaluation import prequential
from thalweg.evaluation.uncertainty import paired, standard_error
from thalweg.learners import NaiveBayes
from thalweg.streams import SEA


def errors_in_runs(random, n, memory):
    """0/1 errors whose underlying difficulty has the correlation `memory` from one row to the next."""
    noise = random.standard_normal(n)
    noise[1:] *= math.sqrt(1 - memory * memory)
    return (scipy.signal.lfilter([1.0], [1.0, -memory], noise) > 0.8).astype(float)


def rejected(random, n, memory, times, test):
    pairs = ((errors_in_runs(random, n, memory), errors_in_runs(random, n, memory)) for _ in range(times))
    return sum(test(a, b) < 0.05 for a, b in pairs) / times


@pytest.mark.parametrize(
    ("n", "memory", "times"),
    [(300, 0.0, 1000), (1000, 0.9, 1000), (3000, 0.97, 1000), (30_000, 0.998, 600)],
)
def test_noise_is_called_noise_even_if_errors_come_in_runs(n, memory, times):
    share = rejected(np.random.default_rng(0), n, memory, times, lambda a, b: paired(a, b).p_value)
    assert 0.03 < share < 0.075


def test_a_test_over_rows_would_be_fooled():
    def over_rows(a, b):
        return scipy.stats.ttest_rel(a, b).pvalue

    share = rejected(np.random.default_rng(0), 1000, 0.9, 200, over_rows)
    assert share > 0.3


def test_the_standard_error_is_the_spread_of_the_mean():
    random = np.random.default_rng(1)
    runs = [errors_in_runs(random, 2000, 0.9) for _ in range(400)]
    spread = np.std([run.mean() for run in runs])
    assert np.mean([standard_error(run) for run in runs]) == pytest.approx(spread, rel=0.1)


@pytest.mark.parametrize("n", [2, 3, 8, 11])
def test_few_values_are_the_textbook(n):
    random = np.random.default_rng(2)
    a, b = random.random(n), random.random(n)
    assert standard_error(a) == pytest.approx(scipy.stats.sem(a), rel=1e-12)
    found, expected = paired(a, b), scipy.stats.ttest_rel(a, b)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-12)
    assert (found.low, found.high) == pytest.approx(expected.confidence_interval(), rel=1e-12)
    assert found.mean == pytest.approx((a - b).mean(), rel=1e-12)
    assert found.degrees == n - 1


def test_the_variance_is_that_of_slow_sines_and_cosines():
    values = np.random.default_rng(5).random(30)
    angles = 2 * np.pi * np.outer(np.arange(1, 6), np.arange(30)) / 30
    waves = math.sqrt(2 / 30) * np.concatenate([np.cos(angles), np.sin(angles)]) @ values
    assert standard_error(values) == pytest.approx(math.sqrt((waves**2).mean() / 30), rel=1e-12)
    assert paired(values, np.zeros(30)).degrees == 10


def test_a_real_difference_is_found():
    random = np.random.default_rng(3)
    a = errors_in_runs(random, 3000, 0.9)
    b = np.where(random.random(3000) < 0.05, 1.0, a)
    found = paired(b, a)
    assert found.p_value < 1e-6
    assert found.low < (b - a).mean() < found.high


def test_a_memory_longer_than_a_part_is_said():
    slow = np.sin(np.arange(3000) / 3000 * 4 * np.pi)
    found = paired(slow, np.zeros(3000))
    assert found.degrees == 4 and found.dependent
    assert found.in_words() == (
        "which may be chance (paired test, p = 1; errors come in runs too long for so few rows to be sure)"
    )
    noise = np.random.default_rng(6).random(3000)
    found = paired(noise, np.zeros(3000))
    assert found.degrees == 10 and not found.dependent
    assert found.in_words().startswith("more than chance (paired test, p = ")
    assert "too long" not in found.in_words()


def test_rows_without_a_value_are_left_out():
    a = np.arange(60.0) % 7
    holes = np.insert(a, [5, 20, 20], np.nan)
    assert standard_error(holes) == standard_error(a)
    assert paired(holes, np.zeros(63)) == paired(a, np.zeros(60))


def test_what_is_too_short_or_always_the_same():
    assert math.isnan(standard_error([])) and math.isnan(standard_error([1.0]))
    assert math.isnan(paired([1.0], [0.0]).p_value)
    assert paired(np.ones(50), np.ones(50)).p_value == 1.0
    assert paired(np.ones(50), np.zeros(50)).p_value == 0.0
    with pytest.raises(ValueError, match="shapes"):
        paired([1.0, 2.0], [1.0])


def test_runs_are_no_numbers():
    run = prequential(SEA(100, seed=1), NaiveBayes())
    with pytest.raises(ParameterError, match=r"such as run.predicted == run.codes; got <NaiveBayes on SEA"):
        paired(run, run)
