"""Functions of a Run: one number overall, or an array over its rows, sliding or faded.

`metric(run)` is the figure over all rows, `metric(run, window=1000)` at each row that over the last 1000 rows
(over those there are before row 1000), `metric(run, fade=0.999)` at each row that with weight 0.999**a for a
row that is a rows old. Rows without a label are not scored. Where a figure is not defined it is NaN.
"""

import numpy as np

from thalweg.evaluation import metric_registry
from thalweg.evaluation.ranking import area, over_grid
from thalweg.evaluation.totals import check, ratio, total

__all__ = [*metric_registry]

SMALLEST_PROBABILITY = np.finfo(np.float64).eps


def accuracy(run, window=None, fade=None):
    """Share of rows answered correctly."""
    return agreement(run.labels, run.predicted, window, fade)


def kappa(run, window=None, fade=None):
    """Accuracy above that of guessing with the same class shares: Cohen's kappa."""
    n = total(run.labels >= 0, window, fade)
    by_chance = 0.0
    for true, guessed, _ in _class_totals(run, window, fade):
        by_chance = by_chance + ratio(true, n) * ratio(guessed, n)
    return _above(accuracy(run, window, fade), by_chance)


def kappa_m(run, window=None, fade=None):
    """Accuracy above that of the majority class; NaN where that makes no error."""
    majority = agreement(run.labels, run.baselines["majority"], window, fade)
    return _above(accuracy(run, window, fade), majority)


def kappa_temporal(run, window=None, fade=None):
    """Accuracy above that of repeating the last label; NaN where that makes no error."""
    no_change = agreement(run.labels, run.baselines["no_change"], window, fade)
    return _above(accuracy(run, window, fade), no_change)


def balanced_accuracy(run, window=None, fade=None):
    """Mean over the classes present of the share of their rows found."""
    recalls, n = 0.0, 0
    for true, _, right in _class_totals(run, window, fade):
        recalls = recalls + np.where(true > 0, ratio(right, true), 0)
        n = n + (true > 0)
    return ratio(recalls, n)


def g_mean(run, window=None, fade=None):
    """Geometric mean over the classes present of the share of their rows found."""
    logs, n = 0.0, 0
    for true, _, right in _class_totals(run, window, fade):
        with np.errstate(divide="ignore"):
            logs = logs + np.where(true > 0, np.log(ratio(right, true)), 0)
        n = n + (true > 0)
    result = np.exp(ratio(logs, n))
    return result if np.ndim(result) else float(result)


def f1(run, window=None, fade=None):
    """Harmonic mean of precision and recall: class 1 of two, else the mean over classes seen or answered."""
    scores, n = 0.0, 0
    for true, guessed, right in _class_totals(run, window, fade, first=1 if len(run.classes) == 2 else 0):
        scores = scores + np.where(true + guessed > 0, ratio(2 * right, true + guessed), 0)
        n = n + (true + guessed > 0)
    return ratio(scores, n)


def log_loss(run, window=None, fade=None):
    """Mean of -ln of the probability the right class got, which counts as 2.2e-16 at least."""
    scored = run.labels >= 0
    given = run.probabilities[np.arange(len(scored)), np.where(scored, run.labels, 0)]
    losses = np.where(scored, -np.log(np.clip(given, SMALLEST_PROBABILITY, 1)), 0)
    return ratio(total(losses, window, fade), total(scored, window, fade))


def brier(run, window=None, fade=None):
    """Mean squared distance of the probabilities from the truth; for two classes that of class 1 alone."""
    scored = run.labels >= 0
    distances = np.zeros(len(scored))
    for k in [1] if len(run.classes) == 2 else range(len(run.classes)):
        distances += (run.probabilities[:, k] - (run.labels == k)) ** 2
    return ratio(total(np.where(scored, distances, 0), window, fade), total(scored, window, fade))


def auc(run, window=None, fade=None):
    """Area under the ROC curve: of class 1 of two, else the mean of each class against the rest.

    Classes that have no rows, or all, are left out. Sliding and faded values are computed at 1,000 rows at
    most, evenly apart, and hold until the next; faded ones leave out rows of less than a billionth's weight.
    """
    check(window, fade)
    if window is None and fade is None:
        return area(run.labels, run.probabilities)
    return over_grid(run.labels, run.probabilities, window, fade)


def recovery(run, window=None, fade=None, rows=500):
    """Accuracy over the first `rows` rows after each known drift.

    A drift's rows end where the next begins. With `window` or `fade` the result is a curve: its entry a is
    the accuracy a rows after a drift, all drifts taken together, sliding or faded from the drift on.
    """
    numbers = np.arange(len(run.labels)) if run.row_numbers is None else run.row_numbers
    right, scored = np.zeros(rows), np.zeros(rows)
    ends = np.minimum(run.drifts + rows, np.append(run.drifts[1:], run.n_rows))
    for drift, end in zip(run.drifts, ends, strict=True):
        part = slice(*np.searchsorted(numbers, [drift, end]))
        age = numbers[part] - drift
        right += np.bincount(age, run.labels[part] == run.predicted[part], rows)
        scored += np.bincount(age, run.labels[part] >= 0, rows)
    return ratio(total(right, window, fade), total(scored, window, fade))


def agreement(labels, answered, window=None, fade=None):
    """Share of the labels that equal what was answered, -1 among `labels` standing for no label."""
    return ratio(total(labels == answered, window, fade), total(labels >= 0, window, fade))


def _class_totals(run, window, fade, first=0):
    """For each class yield the totals of its rows, of rows answered with it, and of both at once."""
    scored = run.labels >= 0
    for k in range(first, len(run.classes)):
        true, guessed = run.labels == k, (run.predicted == k) & scored
        yield tuple(total(values, window, fade) for values in (true, guessed, true & guessed))


def _above(reached, reference):
    return ratio(np.subtract(reached, reference), np.subtract(1.0, reference))
