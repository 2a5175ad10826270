"""Since when a model is worse."""

import numpy as np

from thalweg.trust import AccuracyEstimate
from thalweg.trust.worse_since import below_since, worse_since


def windows_of(shares, n=1000, seed=0):
    """Return the windows of a model that is right in these shares of each 1,000 rows, all labels known."""
    rng = np.random.default_rng(seed)
    estimate = AccuracyEstimate()
    right = rng.random(n * len(shares)) < np.repeat(shares, n)
    for i in range(len(shares)):
        rows = estimate.predict(np.full(n, 0.9))
        estimate.label(rows, right[i * n : (i + 1) * n].astype(int))
    return estimate.estimates()


def test_a_fall_is_found_with_its_row():
    found = worse_since(windows_of([0.85] * 12 + [0.78] * 6))
    assert abs(found.row - 12_000) <= 1000
    assert abs(found.before - 0.85) < 0.02
    assert abs(found.since - 0.78) < 0.02
    assert found.p_value < 0.01


def test_a_rise_is_no_fall():
    assert worse_since(windows_of([0.75] * 8 + [0.85] * 8)) is None


def test_chance_gives_few_falls():
    alarms = [worse_since(windows_of([0.8] * 20, n=200, seed=seed)) is not None for seed in range(200)]
    assert sum(alarms) <= 6


def test_windows_without_labels_that_may_be_wrong_are_no_fall():
    windows = windows_of([0.85] * 10)
    windows.estimate[-1], windows.low[-1], windows.high[-1] = 0.7, 0.4, 1.0
    assert worse_since(windows) is None


def test_below_since_needs_all_latest_intervals_below():
    windows = windows_of([0.85] * 3 + [0.6] * 2)
    assert below_since(windows, 0.7) == 3000
    assert below_since(windows, 0.5) is None
    windows.high[-1] = 0.9
    assert below_since(windows, 0.7) is None
