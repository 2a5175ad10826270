"""Figures 2 to 6 of the paper on temporally adaptive logistic classifiers."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from thalweg._types import Floats
from thalweg.papers.forgetting import BANDWIDTHS, DECAYS, STEP
from thalweg.papers.running import Results

REFERENCES = ("Bayes", "Off-line", "On-line")
FIXED = (*REFERENCES, "F-0.98", "F-0.93", "F-0.88", "AF, RPROP", "AF, SGD")
TUNED = (*REFERENCES, "TF-0.98, h=100", "TF-0.93, h=10", "TF-0.88, h=1", "LogisticMixture()")


def draw_all(results: Results, folder: Path) -> Iterator[Path]:
    """Draw each figure into `folder`; yield the paths."""
    curves = {kind: _curves(results, kind) for kind in ("static", "drift", "abrupt")}
    panels: dict[int, list[tuple[str, tuple[str, ...]]]] = {
        2: [("static", FIXED), ("static", TUNED)],
        3: [("drift", FIXED), ("abrupt", FIXED)],
        4: [("drift", _bandwidths(decay)) for decay in DECAYS],
        5: [("abrupt", _bandwidths(decay)) for decay in DECAYS],
    }
    for number, wanted in panels.items():
        lines = [(kind, {name: curves[kind][name] for name in names}) for kind, names in wanted]
        yield _figure(folder / f"figure_{number}.png", lines, STEP, "error rate")
    if "elec" in results:
        found = {name: np.array(one["curve"]) for name, one in results["elec"].items()}
        lines = [
            ("electricity", {name: found[name] for name in names if name in found})
            for names in ((*FIXED, "last label again"), (*TUNED, "last label again"))
        ]
        yield _figure(folder / "figure_6.png", lines, 500, "share of rows right")


def _bandwidths(decay: float) -> tuple[str, ...]:
    return ("On-line", "Off-line", *(f"TF-{decay:g}, h={h:g}" for h in BANDWIDTHS))


def _curves(results: Results, kind: str) -> dict[str, Floats]:
    runs = [found for name, found in results.items() if name.split()[0] == kind]
    return {name: np.mean([run[name]["curve"] for run in runs], axis=0) for name in runs[0]}


def _figure(path: Path, panels: list[tuple[str, dict[str, Floats]]], step: int, measure: str) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6 * len(panels), 4), layout="constrained")
    for axes, (title, lines) in zip(figure.subplots(1, len(panels), sharey=True), panels, strict=True):
        for name, values in lines.items():
            style = {"Bayes": "k-", "Off-line": "k--", "On-line": "k:"}.get(name, "-")
            axes.plot((np.arange(len(values)) + 0.5) * step, values, style, label=name, linewidth=1.2)
        axes.set(title=title, xlabel="row", ylabel=measure)
        axes.legend(fontsize="x-small")
    figure.savefig(path, dpi=120)
    return path
