"""The figures of a run that the terminal, the page and the JSON show, in one list."""

import math
from typing import NamedTuple

from thalweg.evaluation import metrics
from thalweg.evaluation.run import Run

NOT_DEFINED = "–"
BASELINES = {
    "majority": "majority class",
    "no_change": "repeat the last label",
    "label_chain": "what followed the last label",
}


class Figure(NamedTuple):
    """A figure: the name of its metric, its title, and whether it is shown as a percentage.

    `of_baselines` is False for figures that need probabilities, which the baselines do not have.
    """

    name: str
    title: str
    is_share: bool = True
    of_baselines: bool = True

    def of(self, run: Run) -> float:
        """Return the value for a Run; shares are fractions of 1; NaN if it is not defined."""
        return getattr(metrics, self.name)(run)

    def shown(self, value: float) -> str:
        """Return `value` as text."""
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


def percentage(share: float) -> str:
    """Return a fraction of 1 as a percentage."""
    return NOT_DEFINED if math.isnan(share) else f"{100 * share:.2f} %"


def shown(run: Run, baseline: str | None = None) -> list[str]:
    """Return all figures of the learner, or of a baseline, as text."""
    answers = run if baseline is None else run.of_baseline(baseline)
    return [
        figure.shown(figure.of(answers) if figure.of_baselines or baseline is None else math.nan)
        for figure in FIGURES
    ]


def plain(run: Run) -> dict[str, float | None]:
    """Return all figures as numbers; shares are fractions of 1; None if a figure is not defined."""
    return {figure.name: plain_number(figure.of(run)) for figure in FIGURES}


def plain_number(value: float) -> float | None:
    """Return `value` as a float for JSON: None for NaN and infinity."""
    return float(value) if math.isfinite(value) else None
