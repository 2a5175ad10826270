"""Sets keep their coverage and estimates follow the accuracy where the changes are planted, hence known."""

import numpy as np
import pytest

from thalweg.evaluation import metrics, prequential, set_metrics
from thalweg.learners import NaiveBayes
from thalweg.trust import PredictionSets


def planted(n=6000, seed=1):
    """Return three overlapping classes; half way the labels rotate."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n)
    X = codes[:, None] + rng.normal(0, 0.8, (n, 2))
    return X, np.where(np.arange(n) >= n // 2, (codes + 1) % 3, codes)


@pytest.mark.parametrize(("delay", "off", "worst"), [(0, 0.005, 0.86), (48, 0.01, 0.8)])
def test_sets_hold_although_the_labels_rotate(delay, off, worst):
    run = prequential(planted(), PredictionSets(NaiveBayes()), delay=delay)
    after = run.part(500)
    assert set_metrics.raw_coverage(after) == pytest.approx(0.9, abs=off)
    covered = set_metrics.coverage(after, window=500)
    assert covered[499:].min() > worst
    sizes = set_metrics.set_size(run, window=500)
    assert sizes[3499] > sizes[2999] + 0.3  # the learner is wrong, so sets grow


def test_estimates_fall_with_the_accuracy_once_labels_come():
    run = prequential(planted(), NaiveBayes(), delay=100, estimate=True)
    found, right = run.estimates, run.predicted == run.codes
    truth = np.array([right[a:b].mean() for a, b in zip(found.start, found.stop, strict=True)])
    assert truth[3] < truth[2] - 0.2
    closed = slice(1, 5)  # the last window is judged when a row after it comes
    assert np.abs(found.said - truth)[closed].max() < 0.05
    low, high = found.said_low[closed], found.said_high[closed]
    assert ((low <= truth[closed] + 1e-9) & (truth[closed] <= high + 1e-9)).all()
    assert metrics.accuracy(run) == pytest.approx(right.mean())
