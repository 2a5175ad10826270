"""Ranks and tests over several streams, beside SciPy and published examples."""

import itertools

import numpy as np
import pytest
import scipy.stats

from thalweg.evaluation.comparison import statistics
from thalweg.evaluation.comparison.statistics import (
    critical_difference,
    friedman,
    groups_alike,
    holm,
    ranks,
    wilcoxon,
    wins,
)

# AUC of C4.5 with four settings on 14 data sets: Demšar (2006), table 6; 0.9751 is rounded to 0.975 there
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def test_the_example_of_demsar():
    mean_ranks = ranks(DEMSAR).mean(axis=0)
    np.testing.assert_allclose(mean_ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    without_ties = 12 * 14 / (4 * 5) * ((mean_ranks**2).sum() - 4 * 5**2 / 4)
    assert without_ties == pytest.approx(9.28, abs=5e-3)
    found = friedman(DEMSAR)
    assert found.chi_squared == pytest.approx(scipy.stats.friedmanchisquare(*DEMSAR.T).statistic)
    assert found.chi_squared > without_ties
    assert found.f == pytest.approx(13 * found.chi_squared / (14 * 3 - found.chi_squared))
    assert found.p_value == pytest.approx(scipy.stats.f.sf(found.f, 3, 39))
    assert critical_difference(4, 14) == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 14)), abs=1e-3)


@pytest.mark.parametrize(("n_learners", "q"), [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)])
def test_critical_values_of_nemenyi_are_those_of_the_tables(n_learners, q):
    expected = q * np.sqrt(n_learners * (n_learners + 1) / (6 * 20))
    assert critical_difference(n_learners, 20) == pytest.approx(expected, abs=2e-3)


def test_friedman_equals_that_of_scipy():
    scores = np.random.default_rng(0).normal(size=(12, 5))
    expected = scipy.stats.friedmanchisquare(*scores.T)
    assert friedman(scores).chi_squared == pytest.approx(expected.statistic)


def test_friedman_where_it_says_nothing_or_everything():
    assert np.isnan(friedman(np.ones((5, 2))).p_value)
    assert friedman(np.ones((5, 3))).p_value == 1
    assert friedman(np.tile([0.1, 0.2, 0.3], (50, 1))).p_value < 1e-100


def test_friedman_keeps_its_level():
    rng = np.random.default_rng(1)
    p = [friedman(rng.normal(size=(10, 4))).p_value for _ in range(1000)]
    assert 0.03 < np.mean(np.array(p) < 0.05) < 0.07


@pytest.mark.parametrize(("n_streams", "n_learners"), [(2, 3), (3, 3), (4, 3), (3, 4), (2, 9)])
def test_friedman_keeps_its_level_with_few_streams(n_streams, n_learners):
    rng = np.random.default_rng(1)
    n = 400 if n_learners < 9 else 40
    p = np.array([friedman(rng.normal(size=(n_streams, n_learners))).p_value for _ in range(n)])
    assert np.mean(p <= 0.05) < 0.08


@pytest.mark.parametrize("n_streams", [2, 3, 5])
def test_the_chance_that_all_streams_agree_is_exact(n_streams):
    found = friedman(np.tile([0.1, 0.2, 0.3], (n_streams, 1)))
    assert found.p_value == pytest.approx(6.0 ** (1 - n_streams))


def test_exact_chances_of_ties_are_counts_over_all_orders():
    scores = np.array([[1.0, 1.0, 2.0, 3.0], [1.0, 2.0, 2.0, 2.0], [4.0, 1.0, 2.0, 3.0]])
    ranked = ranks(scores)
    orders = [list(itertools.permutations(line)) for line in ranked.tolist()]
    spreads = [np.square(np.sum(each, axis=0)).sum() for each in itertools.product(*orders)]
    expected = np.mean(np.array(spreads) >= np.square(ranked.sum(axis=0)).sum() - 1e-9)
    assert friedman(scores).p_value == pytest.approx(expected)


def test_chances_that_are_drawn_are_those_that_are_counted(monkeypatch):
    scores = np.random.default_rng(3).normal(size=(5, 4)) + np.array([0, 0, 0.5, 1])
    counted = friedman(scores).p_value
    monkeypatch.setattr(statistics, "MOST_ORDERS", 0)
    assert friedman(scores).p_value == pytest.approx(counted, abs=4 * np.sqrt(counted / 20_000))


def test_two_learners_on_few_streams_are_never_told_apart():
    for n_streams in range(2, 40):
        ahead = scipy.stats.binom(n_streams, 0.5)
        difference = critical_difference(2, n_streams)
        wins_needed = next((k for k in range(n_streams + 1) if 2 * k / n_streams - 1 > difference), None)
        assert (wins_needed is None) == (n_streams < 6)
        if wins_needed is not None:
            assert 2 * ahead.sf(wins_needed - 1) <= 0.05


def test_wilcoxon_is_that_of_scipy_adjusted_by_holm():
    scores = np.random.default_rng(2).normal(loc=[0, 0.3, 1], size=(15, 3))
    pairs = [(0, 1), (0, 2), (1, 2)]
    plain = [scipy.stats.wilcoxon(scores[:, a], scores[:, b]).pvalue for a, b in pairs]
    found = wilcoxon(scores)
    np.testing.assert_allclose([found[pair] for pair in pairs], holm(plain))
    np.testing.assert_array_equal(found, found.T)


def test_wilcoxon_of_equal_learners_is_1():
    scores = np.tile(np.random.default_rng(3).normal(size=(6, 1)), (1, 2))
    assert wilcoxon(scores)[0, 1] == 1


def test_holm_on_an_example():
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])


def test_groups_alike_are_the_longest_ranges():
    assert groups_alike([1.0, 1.5, 2.6, 4.0], 1.2) == [(0, 1), (1, 2)]
    assert groups_alike([1.0, 2.0, 3.0], 5.0) == [(0, 2)]
    assert groups_alike([1.0, 3.0], 1.0) == []


def test_wins_ties_and_losses_add_up_to_the_streams():
    found = wins([[0.9, 0.8], [0.7, 0.7], [0.5, 0.6], [0.5, 0.505]], tie=0.01)
    assert found[0, 1].tolist() == [1, 2, 1]
    assert found[1, 0].tolist() == [1, 2, 1]
    assert (found.sum(axis=-1) == 4).all()


@pytest.mark.parametrize("scores", [[0.1, 0.2], [[0.1, np.nan]], np.empty((0, 2))])
def test_tables_that_are_none_are_refused(scores):
    with pytest.raises(ValueError, match="finite table"):
        ranks(scores)
