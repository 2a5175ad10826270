"""Figures 2 to 6 of the paper on temporally adaptive logistic classifiers."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from thalweg._types import AnyArray
from thalweg.papers.figures import Panel, draw_lines
from thalweg.papers.forgetting import BANDWIDTHS, DECAYS, ELECTRICITY, ELECTRICITY_STEP, KINDS, STEP
from thalweg.papers.running import Result, Results, by_setting

STYLES = {"Bayes": "k-", "Off-line": "k--", "On-line": "k:"}
FIXED = (*STYLES, "F-0.98", "F-0.93", "F-0.88", "AF, RPROP", "AF, SGD")
TUNED = (*STYLES, "TF-0.98, h=100", "TF-0.93, h=10", "TF-0.88, h=1", "LogisticMixture()")


def draw(results: Results, folder: Path) -> Iterator[Path]:
    """Draw each figure into `folder`; yield the paths."""
    runs = by_setting(results)
    curves = {kind: _curves(runs[kind], STEP) for kind in KINDS}
    panels: dict[int, list[tuple[str, tuple[str, ...]]]] = {
        2: [("static", FIXED), ("static", TUNED)],
        3: [("drift", FIXED), ("abrupt", FIXED)],
        4: [("drift", _bandwidths(decay)) for decay in DECAYS],
        5: [("abrupt", _bandwidths(decay)) for decay in DECAYS],
    }
    for number, wanted in panels.items():
        shown = [Panel(kind, {name: curves[kind][name] for name in names}) for kind, names in wanted]
        yield draw_lines(folder / f"figure_{number}.svg", shown, "row", "error rate", STYLES)
    if ELECTRICITY in runs:
        found = _curves(runs[ELECTRICITY], ELECTRICITY_STEP)
        shown = [
            Panel(ELECTRICITY, {name: found[name] for name in (*names, "last label again") if name in found})
            for names in (FIXED, TUNED)
        ]
        yield draw_lines(folder / "figure_6.svg", shown, "row", "share of rows right", STYLES)


def _bandwidths(decay: float) -> tuple[str, ...]:
    return ("On-line", "Off-line", *(f"TF-{decay:g}, h={h:g}" for h in BANDWIDTHS))


def _curves(runs: list[Result], step: int) -> dict[str, tuple[AnyArray, AnyArray]]:
    """Return rows and mean values over the runs of each method."""
    means = {name: np.mean([run[name]["curve"] for run in runs], axis=0) for name in runs[0]}
    return {name: ((np.arange(len(values)) + 0.5) * step, values) for name, values in means.items()}
