"""Runs of the paper on HUWRS by setting, and their means."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from thalweg.papers.huwrs import NOISE, RBF
from thalweg.papers.reports import Mean, averaged
from thalweg.papers.running import Result

Runs: TypeAlias = dict[tuple[str, int, float, str], list[Result]]  # by stream, chunk, label share, method


def kinds_of(runs: Runs) -> tuple[list[str], list[str], list[str]]:
    """Return the names of the streams: RBF whose centroids move, RBF with moving noise, others."""
    streams = dict.fromkeys(stream for stream, *_ in runs)
    others = [name for name in streams if name not in RBF and name not in NOISE]
    return [name for name in RBF if name in streams], [name for name in NOISE if name in streams], others


def mean_of(runs: Sequence[Result] | None, what: str = "accuracy") -> Mean | None:
    """Return mean and standard error over runs, in per cent; None without runs."""
    values = np.array([run[what] for run in runs or () if run[what] is not None]) * 100
    return averaged(values) if len(values) else None


def places_of(runs: Runs, streams: Sequence[str], share: float) -> list[tuple[str, int]]:
    """Return the (stream, chunk) that were run with this share of labels, in order."""
    wanted = dict.fromkeys(key[:2] for key in runs if key[2] == share)
    return [place for stream in streams for place in sorted(wanted) if place[0] == stream]


def differences(one: Sequence[Result], other: Sequence[Result]) -> list[float]:
    """Return by how many percentage points the first is more accurate, for each seed."""
    return [100 * (a["accuracy"] - b["accuracy"]) for a, b in zip(one, other, strict=True)]


def gain(one: Sequence[Result], other: Sequence[Result]) -> Mean:
    """Return mean and standard error of the differences within seeds, in percentage points."""
    return averaged(differences(one, other))
