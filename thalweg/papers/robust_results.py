"""Numbers from the runs of the paper on robust regression, for its tables, claims and figures."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from thalweg._types import Floats
from thalweg.papers.robust import BAGGING, LOANS
from thalweg.papers.running import Result

Runs: TypeAlias = list[Result]
Settings: TypeAlias = dict[Any, Runs]  # by (stream, noise, leaves), or (LOANS, rows of a chunk, leaves)

ROBUST, PAPERS, RIVAL, FOLDS = "robust, e = 1.5", "robust, e = 0.25", "Weighted Bagging", "robust by folds"
METHODS = (BAGGING, RIVAL, "logistic weights", PAPERS, ROBUST, FOLDS, "AWE", "SEA")
ONE_OF_LOANS = (LOANS, 1000, 16)  # what figure 6 shows
JUMPS = (40, 80, 120)


def values(runs: Runs, method: str, kind: str = "accuracy") -> Floats:
    """Return the accuracy in per cent of each run that has the method."""
    return np.array([100 * run[method][kind] for run in runs if method in run])


def gap(runs: Runs, one: str, other: str) -> Floats:
    """Return by how much one method is better in each run that has both."""
    both = [run for run in runs if one in run and other in run]
    return values(both, one) - values(both, other)


def after_jumps(runs: Runs, method: str, learned: Sequence[int]) -> Floats:
    """Return the accuracy of each run once so many chunks after a jump were learned, mean over the jumps."""
    curves = np.array([run[method]["curve"] for run in runs if method in run])
    # The first of a curve is chunk 1.
    places = [jump - 1 + n for jump in JUMPS for n in learned if jump - 1 + n < curves.shape[1]]
    means: Floats = 100 * curves[:, places].mean(axis=1)
    return means


def outlier_counts(runs: Runs, method: str) -> Floats:
    """Return [run, chunk, count]: outliers, those flipped, those of a new concept, and all flips."""
    return np.array([run[method]["outliers"] for run in runs if method in run], dtype=float)


def seconds(runs: Runs, method: str) -> Floats:
    """Return the seconds for 40 chunks of each run that has the method."""
    return np.array([40 * run[method]["seconds"] for run in runs if method in run])


def size_name(leaves: int | None) -> str:
    """Return the size of trees as text."""
    return "full trees" if leaves is None else f"{leaves} leaves"
