"""The figures of a run, in one list: what the terminal, the page and the JSON show, and in which unit."""

import math
from typing import NamedTuple

from thalweg.evaluation import metrics

NOT_DEFINED = "–"
BASELINES = {"majority": "majority class", "no_change": "repeat the last label"}


class Figure(NamedTuple):
    """A figure: the metric of that name, what people call it, and whether they read it as a percentage.

    `of_baselines` says whether it means anything for answers that are no probabilities.
    """

    name: str
    title: str
    is_share: bool = True
    of_baselines: bool = True

    def of(self, run) -> float:
        """Return its value for a Run, a fraction of 1 if it is a share; NaN where it is not defined."""
        return getattr(metrics, self.name)(run)

    def shown(self, value) -> str:
        """Return a value as people read it."""
        if self.is_share:
            return percentage(value)
        return NOT_DEFINED if math.isnan(value) else f"{value:.4f}"


FIGURES = (
    Figure("accuracy", "accuracy"),
    Figure("balanced_accuracy", "balanced accuracy"),
    Figure("kappa", "kappa"),
    Figure("kappa_m", "kappa M"),
    Figure("kappa_temporal", "kappa temporal"),
    Figure("auc", "AUC"),
    Figure("log_loss", "log-loss", is_share=False, of_baselines=False),
)


def percentage(share) -> str:
    """Return a fraction of 1 as a percentage."""
    return NOT_DEFINED if math.isnan(share) else f"{100 * share:.2f} %"


def shown(run, baseline=None) -> list[str]:
    """Return all figures of the learner, or of a baseline beside it, as people read them."""
    answers = run if baseline is None else run.of_baseline(baseline)
    return [
        figure.shown(figure.of(answers) if figure.of_baselines or baseline is None else math.nan)
        for figure in FIGURES
    ]


def plain(run) -> dict[str, float | None]:
    """Return all figures as plain numbers, shares as fractions of 1, None where one is not defined."""
    return {figure.name: plain_number(figure.of(run)) for figure in FIGURES}


def plain_number(value) -> float | None:
    """Return a number that JSON has: None in place of NaN and infinity."""
    return float(value) if math.isfinite(value) else None
