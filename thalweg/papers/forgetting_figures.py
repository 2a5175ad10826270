"""Figures 1 to 6 of the paper on temporally adaptive logistic classifiers, and the λ that AF chooses."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import numpy as np

from thalweg._types import AnyArray
from thalweg.papers.figures import Panel, draw_lines
from thalweg.papers.forgetting import (
    ADAPTIVE,
    BANDWIDTHS,
    DECAYS,
    ELECTRICITY,
    ELECTRICITY_STEP,
    KINDS,
    WINDOWED,
    WINDOWS,
    checkpoints,
)
from thalweg.papers.running import Result, Results, by_setting

Curves: TypeAlias = dict[str, tuple[AnyArray, ...]]
STYLES = {"Bayes": "k-", "Off-line": "k--", "On-line": "k:", "last label again": "k-."}
REFERENCES = ("Bayes", "Off-line", "On-line")
FIXED = (*REFERENCES, "F-0.98", "F-0.93", "F-0.88", *ADAPTIVE)
TUNED = (*REFERENCES, "TF-0.98, h=100", "TF-0.93, h=10", "TF-0.88, h=1", "LogisticMixture()")


def draw(results: Results, folder: Path) -> Iterator[Path]:
    """Draw each figure into `folder`; yield the paths."""
    runs = by_setting(results)
    yield draw_lines(folder / "figure_1.svg", [_damping(0.9)], "x", "λ(x)")
    curves = {kind: _curves(runs[kind]) for kind in KINDS}
    panels: dict[int, list[tuple[str, tuple[str, ...]]]] = {
        2: [("static", FIXED), ("static", TUNED)],
        3: [("drift", FIXED), ("abrupt", FIXED)],
        4: [("drift", _bandwidths(decay)) for decay in DECAYS],
        5: [("abrupt", _bandwidths(decay)) for decay in DECAYS],
    }
    for number, wanted in panels.items():
        shown = [Panel(kind, {name: curves[kind][name] for name in names}) for kind, names in wanted]
        yield draw_lines(folder / f"figure_{number}.svg", shown, "row", "error rate", STYLES)
    if all(WINDOWED + kind in runs for kind in KINDS):
        shown = [Panel(kind, _windows(runs[kind], runs[WINDOWED + kind])) for kind in KINDS]
        yield draw_lines(folder / "windows.svg", shown, "row", "error rate", STYLES)
    chosen = [Panel(kind, _chosen(runs[kind], checkpoints())) for kind in KINDS]
    if ELECTRICITY in runs:
        yield _electricity(runs[ELECTRICITY][0], folder / "figure_6.svg")
        rows = ELECTRICITY_STEP * np.arange(1, len(runs[ELECTRICITY][0]["AF, SGD"]["decays"]) + 1)
        chosen.append(Panel(ELECTRICITY, _chosen(runs[ELECTRICITY], rows)))
    yield draw_lines(folder / "forgetting_factor.svg", chosen, "row", "λ of AF")


def _damping(least: float) -> Panel:
    x = np.linspace(-1, 1, 401)
    lines = {f"h={h:g}": (x, least + (1 - least) * np.exp(-h * abs(x))) for h in (1.0, 10.0, 100.0)}
    return Panel(f"λ* = {least:g}", lines)


def _bandwidths(decay: float) -> tuple[str, ...]:
    return ("On-line", "Off-line", *(f"TF-{decay:g}, h={h:g}" for h in BANDWIDTHS))


def _curves(runs: list[Result]) -> Curves:
    """Return for each method rows, mean errors over the runs, and their standard errors."""
    return {name: _band(checkpoints(), [run[name]["curve"] for run in runs]) for name in runs[0]}


def _windows(runs: list[Result], batches: list[dict[str, list[Result]]]) -> Curves:
    """Return the same for fits to windows, and for others on the simulations that have such fits."""
    fits = {name: [one["curve"] for each in batches for one in each[name]] for name in WINDOWS}
    others = _curves(runs[: len(fits["window of 200"])])
    found = {name: _band(checkpoints(), curves) for name, curves in fits.items()}
    names = ("Bayes", "Off-line", *WINDOWS, "AF, SGD", "TF-0.88, h=1")
    return {name: (others | found)[name] for name in names}


def _chosen(runs: list[Result], rows: AnyArray) -> Curves:
    """Return rows, the mean λ over the runs and its standard error, with and without the guard."""
    names = [name for name in runs[0] if name.startswith(ADAPTIVE)]
    return {name: _band(rows, [run[name]["decays"] for run in runs]) for name in names}


def _band(rows: AnyArray, values: list[list[float]]) -> tuple[AnyArray, ...]:
    found = np.array(values)
    if len(found) == 1:
        return rows, found[0]
    return rows, found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(len(found))


def _electricity(run: Result, path: Path) -> Path:
    def lines(names: tuple[str, ...]) -> Curves:
        curves = {name: np.array(run[name]["curve"]) for name in names if name in run}
        return {name: ((np.arange(len(y)) + 0.5) * ELECTRICITY_STEP, y) for name, y in curves.items()}

    shown = [
        Panel(ELECTRICITY, lines((*names, "last label again")))
        for names in (FIXED, TUNED, ("Off-line", "On-line", *WINDOWS))
    ]
    return draw_lines(path, shown, "row", "share of rows right", STYLES)
