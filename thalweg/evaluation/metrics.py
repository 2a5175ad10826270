"""Metrics: functions of a Run that return one number, or an array with a number for each row.

`metric(run)` is the value over all rows; `metric(run, window=1000)` is an array of the values over the last
1000 rows, or fewer at the start; `metric(run, fade=0.999)` is an array of the values in which a row that is a
rows old has the weight 0.999**a. Rows without a label are not scored. A value that is not defined is NaN.

Each takes arrays too, `metric(y, p)`, and agrees with scikit-learn where that has the metric: `y` are the
labels, `p` the probabilities as rows × classes (or those of the second of two classes), or the predicted
labels where these are enough. `classes` are the labels of the columns, by default those of `y`, sorted.
`kappa_m` and `kappa_temporal` look at the rows in their order, and `recovery` needs `drifts`.

Precision, recall, F1 and average precision of two classes are those of `Run.positive_class`: the one called
yes, true, 1, y, t, positive or pos, if only one is; else the rarer one.

>>> from thalweg.evaluation import metrics
>>> round(metrics.accuracy(["no", "yes", "yes"], ["no", "no", "yes"]), 2)
0.67
>>> round(metrics.log_loss(["no", "yes"], [[0.8, 0.2], [0.4, 0.6]]), 3)
0.367
"""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg.evaluation import metric_registry
from thalweg.evaluation.auc import area, over_grid, precision_area
from thalweg.evaluation.metric import metric, probability_metric, score_metric
from thalweg.evaluation.positive import code_of
from thalweg.evaluation.run import Run
from thalweg.evaluation.running_sums import Score, check, ratio, total
from thalweg.evaluation.tally import LEARNER, SMALLEST_PROBABILITY
from thalweg.trust.costs import cost_matrix

__all__ = [*metric_registry]


@metric
def accuracy(run: Run, *, window: int | None = None, fade: float | None = None) -> Score:
    """Share of rows predicted correctly."""
    return rate_of(run, LEARNER, window, fade)


@metric
def kappa(run: Run, *, window: int | None = None, fade: float | None = None) -> Score:
    """Cohen's kappa: accuracy above that of guessing with the same class shares."""
    n = _n_scored(run, window, fade)
    by_chance = 0.0
    for true, guessed, _ in _class_totals(run, window, fade):
        by_chance = by_chance + ratio(true, n) * ratio(guessed, n)
    return _above(rate_of(run, LEARNER, window, fade), by_chance)


@metric
def kappa_m(run: Run, *, window: int | None = None, fade: float | None = None) -> Score:
    """Accuracy above that of the majority class; NaN if that makes no error."""
    return _above(rate_of(run, LEARNER, window, fade), rate_of(run, "majority", window, fade))


@metric
def kappa_temporal(run: Run, *, window: int | None = None, fade: float | None = None) -> Score:
    """Accuracy above that of repeating the last label; NaN if that makes no error."""
    return _above(rate_of(run, LEARNER, window, fade), rate_of(run, "no_change", window, fade))


@metric
def balanced_accuracy(run: Run, *, window: int | None = None, fade: float | None = None) -> Score:
    """Mean recall of the classes present."""
    recalls: Score = 0.0
    n = 0
    for true, _, right in _class_totals(run, window, fade):
        recalls = recalls + np.where(true > 0, ratio(right, true), 0)
        n = n + (true > 0)
    return ratio(recalls, n)


@metric
def g_mean(run: Run, *, window: int | None = None, fade: float | None = None) -> Score:
    """Geometric mean of the recalls of the classes present."""
    logs: Score = 0.0
    n = 0
    for true, _, right in _class_totals(run, window, fade):
        with np.errstate(divide="ignore"):
            logs = logs + np.where(true > 0, np.log(ratio(right, true)), 0)
        n = n + (true > 0)
    result = np.exp(ratio(logs, n))
    return result if np.ndim(result) else float(result)


@metric
def precision(
    run: Run, *, window: int | None = None, fade: float | None = None, label: Any = None
) -> Score:
    """Share of rows predicted as a class that are of it: of `label`, the positive class, or the mean of all.

    The mean is over classes that are predicted.
    """
    return _mean_over(run, window, fade, label, lambda true, guessed, right: (right, guessed))


@metric
def recall(run: Run, *, window: int | None = None, fade: float | None = None, label: Any = None) -> Score:
    """Share of rows of a class that are predicted as it: of `label`, the positive class, or the mean of all.

    The mean is over classes that are present.
    """
    return _mean_over(run, window, fade, label, lambda true, guessed, right: (right, true))


@metric
def f1(run: Run, *, window: int | None = None, fade: float | None = None, label: Any = None) -> Score:
    """F1 score: of `label`, the positive class, or the mean over classes that are present or predicted."""
    return _mean_over(run, window, fade, label, lambda true, guessed, right: (2 * right, true + guessed))


@metric
def cost(run: Run, *, window: int | None = None, fade: float | None = None, costs: Any = None) -> Score:
    """Mean cost of an answer, by `costs` or those of the run; without any, each mistake costs 1."""
    found = run.costs if costs is None else cost_matrix("cost", costs, run.classes.tolist())
    matrix = 1.0 - np.eye(len(run.classes)) if found is None else found
    if _is_total(run, window, fade):
        return ratio(float((run.confusion() * matrix).sum()), run.tally.n_scored)
    scored = run.codes >= 0
    paid = np.where(scored, matrix[np.where(scored, run.codes, 0), run.predicted], 0.0)
    return ratio(total(paid, window, fade), total(scored, window, fade))


@probability_metric
def log_loss(run: Run, *, window: int | None = None, fade: float | None = None) -> Score:
    """Mean of -ln of the probability of the true class, clipped to at least 2.2e-16."""
    if _is_total(run, window, fade):
        return ratio(run.tally.log_loss, run.tally.n_scored)
    scored = run.codes >= 0
    given = run.probabilities[np.arange(len(scored)), np.where(scored, run.codes, 0)]
    losses = np.where(scored, -np.log(np.clip(given, SMALLEST_PROBABILITY, 1)), 0)
    return ratio(total(losses, window, fade), total(scored, window, fade))


@probability_metric
def brier(run: Run, *, window: int | None = None, fade: float | None = None) -> Score:
    """Mean squared error of the probabilities; for two classes, of class 1 only."""
    if _is_total(run, window, fade):
        return ratio(run.tally.brier, run.tally.n_scored)
    scored = run.codes >= 0
    distances = np.zeros(len(scored))
    for k in [1] if len(run.classes) == 2 else range(len(run.classes)):
        distances += (run.probabilities[:, k] - (run.codes == k)) ** 2
    return ratio(total(np.where(scored, distances, 0), window, fade), total(scored, window, fade))


@score_metric
def auc(run: Run, *, window: int | None = None, fade: float | None = None) -> Score:
    """Area under the ROC curve: of class 1 if there are two, else the mean of each class against the rest.

    Classes with no rows or with all rows are left out. Sliding and faded values are computed at no more than
    1,000 evenly spaced rows and kept constant in between; faded values ignore rows with a weight below 1e-9.
    """
    check(window, fade)
    if window is None and fade is None:
        return area(run.codes, run.probabilities)
    return over_grid(run.codes, run.probabilities, window, fade)


@score_metric
def average_precision(
    run: Run, *, window: int | None = None, fade: float | None = None, label: Any = None
) -> Score:
    """Area under the precision-recall curve: of `label`, the positive class, or the mean over classes.

    For rare classes it tells more than AUC: at random it is the share of the class. Classes with no rows are
    left out. Sliding and faded values are computed as for AUC.
    """
    check(window, fade)
    code = _code_of(run, label)
    chosen = None if code is None else [code]
    if window is None and fade is None:
        return area(run.codes, run.probabilities, None, precision_area, chosen)
    return over_grid(run.codes, run.probabilities, window, fade, precision_area, chosen)


@metric
def recovery(run: Run, *, window: int | None = None, fade: float | None = None, rows: int = 500) -> Score:
    """Accuracy over the first `rows` rows after each known drift.

    They end earlier if there is another drift. With `window` or `fade` the result is an array: its entry a is
    the accuracy a rows after a drift, over all drifts, sliding or faded from the drift on.
    """
    numbers = np.arange(len(run.codes)) if run.row_numbers is None else run.row_numbers
    right, scored = np.zeros(rows), np.zeros(rows)
    ends = np.minimum(run.drifts + rows, np.append(run.drifts[1:], run.end_row))
    for drift, end in zip(run.drifts, ends, strict=True):
        part = slice(*np.searchsorted(numbers, [drift, end]))
        age = numbers[part] - drift
        right += np.bincount(age, run.codes[part] == run.predicted[part], rows)
        scored += np.bincount(age, run.codes[part] >= 0, rows)
    return ratio(total(right, window, fade), total(scored, window, fade))


def agreement(
    codes: NDArray[Any], answered: NDArray[Any], window: int | None = None, fade: float | None = None
) -> Score:
    """Share of the codes that equal the predictions `answered`; a code of -1 is a missing label."""
    return ratio(total(codes == answered, window, fade), total(codes >= 0, window, fade))


def rate_of(run: Run, answerer: str, window: int | None = None, fade: float | None = None) -> Score:
    """Share of rows that the learner or a baseline predicted correctly."""
    if _is_total(run, window, fade):
        return ratio(run.tally.confusions[answerer].trace(), run.tally.n_scored)
    answered = run.predicted if answerer == LEARNER else run.baselines[answerer]
    return agreement(run.codes, answered, window, fade)


def _n_scored(run: Run, window: int | None, fade: float | None) -> Score:
    return run.tally.n_scored if _is_total(run, window, fade) else total(run.codes >= 0, window, fade)


def _is_total(run: Run, window: int | None, fade: float | None) -> bool:
    """Return whether the answer must come from the totals of a run that keeps nothing else."""
    return not run.keeps_rows and window is None and fade is None


def _class_totals(
    run: Run, window: int | None, fade: float | None
) -> Iterator[tuple[Score, Score, Score]]:
    """Yield for each class the totals of its rows, of rows predicted as it, and of both."""
    if _is_total(run, window, fade):
        counts = run.tally.confusions[LEARNER].astype(np.float64)
        yield from zip(counts.sum(axis=1), counts.sum(axis=0), counts.diagonal(), strict=True)
        return
    scored = run.codes >= 0
    for k in range(len(run.classes)):
        true, guessed = run.codes == k, (run.predicted == k) & scored
        n_true, n_guessed = total(true, window, fade), total(guessed, window, fade)
        yield n_true, n_guessed, total(true & guessed, window, fade)


def _mean_over(
    run: Run,
    window: int | None,
    fade: float | None,
    label: Any,
    parts: Callable[[Score, Score, Score], tuple[Score, Score]],
) -> Score:
    """Return the mean of a ratio over classes where its denominator is not 0, or that of one class."""
    totals = _class_totals(run, window, fade)
    chosen = _code_of(run, label)
    if chosen is not None:
        totals = itertools.islice(totals, chosen, chosen + 1)
    ratios: Score = 0.0
    n = 0
    for each in totals:
        above, below = parts(*each)
        ratios = ratios + np.where(below > 0, ratio(above, below), 0)
        n = n + (below > 0)
    return ratio(ratios, n)


def _code_of(run: Run, label: Any) -> int | None:
    """Return the code of a label; of None that of the positive class, if there is one."""
    return run.positive_code if label is None else code_of(label, run.classes.tolist(), "metrics", "label")


def _above(reached: Score, reference: Score) -> Score:
    return ratio(np.subtract(reached, reference), np.subtract(1.0, reference))


def __dir__() -> list[str]:
    return __all__
