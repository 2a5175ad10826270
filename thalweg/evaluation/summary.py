"""The metrics of a run that the terminal, the page and the JSON show, in one list."""

import math
from typing import Any, NamedTuple

import numpy as np

from thalweg._types import Ints
from thalweg.evaluation import metrics
from thalweg.evaluation.baselines import BASELINES
from thalweg.evaluation.formatting import formatted, percentage, plus_minus
from thalweg.evaluation.run import Run
from thalweg.evaluation.running_sums import ratio
from thalweg.evaluation.tally import LEARNER
from thalweg.evaluation.uncertainty import MOST_PARTS, error_of_parts, standard_error


class SummaryMetric(NamedTuple):
    """A metric by its name, its title, and whether it is shown as a percentage.

    `of_baselines` is False for metrics that need probabilities, which the baselines do not have; `needs_rows`
    is True for those that a Run that keeps totals only does not have.
    """

    name: str
    title: str
    is_share: bool = True
    of_baselines: bool = True
    needs_rows: bool = False

    def of(self, run: Run) -> float:
        """Return the value for a Run; shares are fractions of 1; NaN if it is not defined."""
        if self.needs_rows and not run.keeps_rows:
            return math.nan
        return getattr(metrics, self.name)(run)

    def title_of(self, run: Run) -> str:
        """Return the title with the class that is meant, such as "F1 of FAULT"."""
        return metric_title(self.name, run.positive_class)

    def shown(self, value: float) -> str:
        """Return `value` as text."""
        return percentage(value) if self.is_share else formatted(value, ".4f")


OF_POSITIVE = ("precision", "recall", "f1", "average_precision")
MOST_OF_A_NAME = 20  # characters of a class in a title
RARE = 0.1  # share of the rows of a class
NAMES = {"precision": "precision", "recall": "recall", "f1": "F1"}
SUMMARY_METRICS = (
    SummaryMetric("accuracy", "accuracy"),
    SummaryMetric("balanced_accuracy", "balanced accuracy"),
    SummaryMetric("kappa", "kappa"),
    SummaryMetric("kappa_m", "kappa M"),
    SummaryMetric("kappa_temporal", "kappa temporal"),
    SummaryMetric("f1", "F1"),
    SummaryMetric("auc", "AUC", needs_rows=True),
    SummaryMetric("average_precision", "average precision", of_baselines=False, needs_rows=True),
    SummaryMetric("log_loss", "log-loss", is_share=False, of_baselines=False),
)
NO_SHARES = ("log_loss", "brier", "cost")
MOST_CLASSES = 50  # of which each has its average precision: sorting takes time


def metric_title(name: str, positive: Any = None) -> str:
    """Return the title of any metric, with the class that is meant if it is that of a positive class."""
    title = next((each.title for each in SUMMARY_METRICS if each.name == name), name.replace("_", " "))
    if positive is None or name not in OF_POSITIVE:
        return title
    label = str(positive)
    return f"{title} of {label if len(label) <= MOST_OF_A_NAME else label[: MOST_OF_A_NAME - 1] + '…'}"


def metric_text(name: str, value: float) -> str:
    """Return the value of any metric as text: a percentage, or a number if it is no share."""
    return SummaryMetric(name, metric_title(name), is_share=name not in NO_SHARES).shown(value)


def rate(run: Run, baseline: str | None = None) -> float:
    """Return the accuracy of the learner or of a baseline."""
    return metrics.rate_of(run, baseline or LEARNER)


def rate_error(run: Run, baseline: str | None = None) -> float:
    """Return the standard error of the accuracy of the learner or of a baseline, by batch means."""
    if not run.keeps_rows:
        return error_of_parts(run.tally.accuracy_of_parts(baseline or LEARNER, MOST_PARTS))
    answered = run.predicted if baseline is None else run.baselines[baseline]
    return standard_error(np.where(run.codes >= 0, run.codes == answered, np.nan))


def with_error(run: Run, baseline: str | None = None) -> str:
    """Return the accuracy and its standard error as text."""
    return plus_minus(percentage(rate(run, baseline)), rate_error(run, baseline))


def shown(run: Run, baseline: str | None = None) -> list[str]:
    """Return all metrics of the learner, or of a baseline, as text."""
    answers = run if baseline is None else run.of_baseline(baseline)
    return [
        each.shown(each.of(answers) if each.of_baselines or baseline is None else math.nan)
        for each in SUMMARY_METRICS
    ]


def plain(run: Run) -> dict[str, float | None]:
    """Return all metrics as numbers; shares are fractions of 1; None if one is not defined."""
    numbers = {each.name: plain_number(each.of(run)) for each in SUMMARY_METRICS}
    more = {name: plain_number(getattr(metrics, name)(run)) for name in ("precision", "recall")}
    more["cost"] = None if run.costs is None else plain_number(metrics.cost(run))
    error = plain_number(rate_error(run))
    return {"accuracy": numbers["accuracy"], "accuracy_error": error, **numbers, **more}


def by_class(run: Run) -> dict[str, dict[str, float | None]]:
    """Return for each class its rows, precision, recall, F1 and average precision, if that is known."""
    counts = run.confusion()
    found: dict[str, dict[str, float | None]] = {}
    for k, label in enumerate(run.classes.tolist()):
        numbers = class_numbers(counts, k)
        if run.keeps_rows and len(run.classes) <= MOST_CLASSES:
            numbers["average_precision"] = metrics.average_precision(run, label=label)
        found[str(label)] = {"rows": int(counts[k].sum())} | {
            name: plain_number(value) for name, value in numbers.items()
        }
    return found


def class_numbers(counts: Ints, k: int) -> dict[str, float]:
    """Return precision, recall and F1 of a class, by the confusion of all; NaN where one is not defined."""
    true, guessed, right = counts[k].sum(), counts[:, k].sum(), counts[k, k]
    return {
        "precision": float(ratio(right, guessed)),
        "recall": float(ratio(right, true)),
        "f1": float(ratio(2 * right, true + guessed)),
    }


def rare_in_words(run: Run) -> str | None:
    """Return a sentence about the rarest class, if it has less than a tenth of the rows; None if not."""
    counts = run.confusion()
    n_rows = counts.sum(axis=1)
    if not n_rows.any():
        return None
    k = int(np.where(n_rows > 0, n_rows, n_rows.sum() + 1).argmin())
    share = n_rows[k] / n_rows.sum()
    if share >= RARE:
        return None
    said = ", ".join(f"{NAMES[name]} {percentage(value)}" for name, value in class_numbers(counts, k).items())
    return f"Rarest class {run.classes[k]} ({percentage(float(share))} of the rows): {said}."


def cost_in_words(run: Run) -> str | None:
    """Return a sentence about the cost of the answers; None if there are no costs."""
    if run.costs is None:
        return None
    reached = metrics.cost(run)
    rivals = {name: metrics.cost(run.of_baseline(name)) for name in BASELINES}
    best = min(rivals, key=lambda name: rivals[name])
    always = run.confusion().sum(axis=1) @ run.costs / max(run.n_scored, 1)
    k = int(always.argmin())
    others = f"{rivals[best]:.4g} for {BASELINES[best].doing}, {always[k]:.4g} for always {run.classes[k]}"
    return f"Mean cost of an answer: {reached:.4g}; {others}."


def plain_number(value: float) -> float | None:
    """Return `value` as a float for JSON: None for NaN and infinity."""
    return float(value) if math.isfinite(value) else None
