"""Estimates of a metric for windows of rows, with intervals."""

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from thalweg._parameters import one_of, wrong
from thalweg._types import Floats, Ints, Mask
from thalweg.trust._native.accuracy_estimate import AccuracyKernel
from thalweg.trust.class_metrics import OF_CLASSES, ClassSums, known_sums, unknown_sums

ACCURACY = "accuracy"
METRICS = (ACCURACY, *OF_CLASSES)


class Estimate(NamedTuple):
    """The estimate of a metric for some rows.

    Attributes
    ----------
    start, stop : int
        The first row, and the one after the last.
    known : int
        Number of rows whose labels have come.
    estimate, low, high : float
        The estimate and its interval.
    accuracy : float
        The metric of the rows whose labels have come; NaN if there are none.
    """

    start: int
    stop: int
    known: int
    estimate: float
    low: float
    high: float
    accuracy: float


@dataclass
class WindowEstimates:
    """Estimates of a metric for windows of rows; a number for each window.

    Attributes
    ----------
    metric : str
        What is estimated.
    start, stop, known : ndarray of int
        The first row of each window, the one after its last, and the number of labels that have come.
    said, said_low, said_high : ndarray of float
        The estimate that could be made at the end of the window, with its interval; NaN while it is open.
    estimate, low, high : ndarray of float
        The estimate with all labels that have come since.
    accuracy : ndarray of float
        The metric of the rows whose labels have come; NaN if there are none.
    settled : ndarray of float
        The metric of the window once all its labels have come; NaN until then.
    """

    metric: str
    start: Ints
    stop: Ints
    known: Ints
    said: Floats
    said_low: Floats
    said_high: Floats
    estimate: Floats
    low: Floats
    high: Floats
    accuracy: Floats
    settled: Floats

    def __len__(self) -> int:
        return len(self.start)

    @property
    def columns(self) -> dict[str, Any]:
        """The arrays by name."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "metric"}

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a line for each window."""
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("to_frame needs pandas: pip install pandas") from error
        return pd.DataFrame(self.columns)

    def to_plain(self) -> list[dict[str, Any]]:
        """Return a dict for each window; None instead of what is not known."""
        columns = {name: values.tolist() for name, values in self.columns.items()}
        lines = (dict(zip(columns, line, strict=True)) for line in zip(*columns.values(), strict=True))
        return [{name: None if value != value else value for name, value in line.items()} for line in lines]


def interval(judged: Floats, level: float, right: Floats | None = None) -> tuple[Floats, Floats]:
    """Return the ends of the intervals of accuracies that a kernel has judged, one in each line.

    No rows without labels can move the accuracy by more than their share. `right` is the share of all rows
    of which it is known that they were answered rightly, if that is known.
    """
    from scipy.special import stdtrit  # it takes a while to import

    estimate, chance, spread, unknown, tau, n = judged.T
    variance = chance + np.maximum(unknown**2 * tau, spread)
    half = stdtrit(n + 1, 0.5 + level / 2) * np.sqrt(variance)
    least = np.maximum(estimate - unknown, 0.0) if right is None else np.minimum(right, estimate)
    most = np.minimum(estimate + unknown, 1.0) if right is None else np.maximum(right + unknown, estimate)
    return np.maximum(estimate - half, least), np.minimum(estimate + half, most)


def estimate_windows(
    kernel: AccuracyKernel, level: float, metric: str, code: int | None, costs: Floats | None
) -> WindowEstimates:
    """Return the estimates of all windows that a kernel keeps."""
    _check(metric, code, costs)
    n_rows, window = kernel.n_rows, kernel.window
    numbers = np.arange(kernel.first_window, -(-n_rows // window))
    start, stop = numbers * window, np.minimum((numbers + 1) * window, n_rows)
    kept = kernel.arrays["window"][numbers % len(kernel.arrays["window"])]
    known, right, is_open, said = kept[:, 0].astype(np.intp), kept[:, 1], kept[:, 7] == 0, kept[:, 8:14]
    low, high = interval(said, level)
    judged = np.array([kernel.judge(a, b) for a, b in zip(start.tolist(), stop.tolist(), strict=True)])
    found = WindowEstimates(
        metric, start, stop, known, _but(said[:, 0], is_open), _but(low, is_open), _but(high, is_open),
        judged[:, 0], *interval(judged, level, right / (stop - start)), _ratio(right, known),
        _but(judged[:, 0], known < window),
    )  # fmt: skip
    if metric != ACCURACY:
        for name in ("said", "said_low", "said_high"):
            setattr(found, name, np.full(len(found), np.nan))
        for i, number in enumerate(numbers.tolist()):
            _set_metric(found, i, *_sums_of_window(kernel, number, int(stop[i]), kept[i], costs), code, level)
    return found


def estimate_rows(
    kernel: AccuracyKernel, level: float, metric: str, code: int | None, costs: Floats | None
) -> Estimate:
    """Return the estimate for the latest rows, as many as a window has."""
    _check(metric, code, costs)
    stop = kernel.n_rows
    start = max(0, stop - kernel.window)
    judged = np.array([kernel.judge(start, stop)])
    g, answers, labels, p = kernel.said(start, stop)
    known = labels >= 0
    n = int(known.sum())
    right = np.array([np.count_nonzero(answers[known] == labels[known]) / max(stop - start, 1)])
    (low,), (high,) = interval(judged, level, right if len(known) == stop - start else None)
    found = AccuracyInterval(float(judged[0, 0]), float(low), float(high))
    if metric == ACCURACY:
        mean = float(np.mean(answers[known] == labels[known])) if n else np.nan
        return Estimate(start, stop, n, *found, mean)
    counted = known_sums(answers[known], labels[known], p.shape[1], costs)
    rest = unknown_sums(g[~known], answers[~known], p[~known], costs)
    value = counted.value(metric, code)
    return Estimate(start, stop, n, *_of_metric(counted, rest, found, metric, code, level), value)


class AccuracyInterval(NamedTuple):
    """An estimate and the ends of its interval."""

    estimate: float
    low: float
    high: float


def _sums_of_window(
    kernel: AccuracyKernel, number: int, stop: int, kept: Floats, costs: Floats | None
) -> tuple[ClassSums, ClassSums]:
    """Return the sums over the rows of a window that have labels, and over the others."""
    arrays, place = kernel.arrays, number % len(kernel.arrays["window"])
    g, answers, labels, p = kernel.said(number * kernel.window, stop)
    waits, nothing = labels < 0, np.zeros(p.shape[1])
    right, answered, true = arrays["by_class"][place]
    counted = ClassSums(right, answered, true, float(kept[5]), float(kept[0]), nothing)
    right, answered, true = arrays["gone_by_class"][place]
    gone = ClassSums(right, answered, true, float(kept[6]), float(kept[2]), nothing)
    return counted, unknown_sums(g[waits], answers[waits], p[waits], costs).plus(gone)


def _set_metric(
    found: WindowEstimates, i: int, counted: ClassSums, rest: ClassSums, code: int | None, level: float
) -> None:
    """Replace the accuracy of a window by another metric."""
    ends = AccuracyInterval(float(found.estimate[i]), float(found.low[i]), float(found.high[i]))
    ends = _of_metric(counted, rest, ends, found.metric, code, level)
    found.estimate[i], found.low[i], found.high[i] = ends
    found.accuracy[i] = counted.value(found.metric, code)
    found.settled[i] = np.nan if np.isnan(found.settled[i]) else found.accuracy[i]


def _of_metric(
    counted: ClassSums, rest: ClassSums, accuracy: AccuracyInterval, metric: str, code: int | None,
    level: float,
) -> AccuracyInterval:
    """Return the estimate of a metric and its interval.

    At an end of the interval of the accuracy, as many more or fewer answers are right among the rows without
    labels. What chance does to the rows of one class is added in squares.
    """
    from scipy.special import ndtri

    middle = counted.plus(rest).value(metric, code)
    if rest.n == 0 or np.isnan(middle):
        return AccuracyInterval(middle, middle, middle)
    n, right = rest.n + counted.n, rest.right.sum()
    ends = [
        counted.plus(rest.with_right(right + (end - accuracy.estimate) * n)).value(metric, code)
        for end in accuracy[1:]
    ]
    chance = float(ndtri(0.5 + level / 2)) * rest.chance(counted, metric, code)
    low = middle - float(np.hypot(middle - np.nanmin([*ends, middle]), chance))
    high = middle + float(np.hypot(np.nanmax([*ends, middle]) - middle, chance))
    if metric == "cost":
        return AccuracyInterval(middle, low, high)
    return AccuracyInterval(middle, max(low, 0.0), min(high, 1.0))


def _check(metric: str, code: int | None, costs: Floats | None) -> None:
    one_of("AccuracyEstimate", "metric", metric, METRICS)
    if metric == "cost" and costs is None:
        raise wrong("AccuracyEstimate", "costs", "a table of costs for the metric 'cost'", None)
    if metric in ("precision", "recall", "f1") and code is None:
        raise wrong("AccuracyEstimate", "label", f"the class whose {metric} is meant", None)


def _but(values: Floats, mask: Mask) -> Floats:
    return np.where(mask, np.nan, values)


def _ratio(a: Any, b: Any) -> Floats:
    return np.asarray(np.divide(a, b, out=np.full(len(a), np.nan), where=np.asarray(b) > 0))
