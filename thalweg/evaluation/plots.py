"""The pictures of the page as matplotlib figures, one call each: `plots.confusion(run).figure.savefig(…)`.

Each function draws into the given axes, or a new figure, and returns the axes. They need matplotlib, which is
imported on demand.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thalweg.evaluation import curves
from thalweg.evaluation.baselines import BASELINES
from thalweg.evaluation.pages.svg_style import STYLES
from thalweg.evaluation.run import Run
from thalweg.evaluation.summary import with_error

__all__ = ["accuracy_over_time", "confusion", "inputs", "label_shares", "reliability", "weights"]


def accuracy_over_time(
    runs: Run | Iterable[Run],
    window: int | None = None,
    *,
    cumulative: bool = False,
    baselines: bool = True,
    axes: Any | None = None,
) -> Any:
    """Draw the accuracy over time of a Run, or of several Runs on one stream; return the axes.

    Known drifts are marked below the axis by "|", the alarms of the learners by "x".

    Parameters
    ----------
    runs : Run or sequence of Run
        The runs to show.
    window : int or None
        Number of rows of the sliding window; by default about a fiftieth of the run.
    cumulative : bool
        Show the accuracy over all rows so far instead.
    baselines : bool
        Whether the baselines are shown too.
    axes : matplotlib Axes or None
        Where to draw; by default a new figure.
    """
    chosen, axes = _runs(runs), _axes(axes, 8, 4)
    lines = curves.accuracy_lines(chosen, window, cumulative, baselines)
    for run, line in zip(chosen, lines, strict=False):
        _draw(axes, [replace(line, name=f"{line.name}: {with_error(run)}")], 100)
        colour = _style(line.style)["color"]
        axes.plot(run.alarms, np.full(len(run.alarms), -0.03), "x", color=colour, **_below(axes))
    _draw(axes, lines[len(chosen) :], 100)
    drifts = chosen[0].drifts
    axes.plot(drifts, np.full(len(drifts), -0.03), "|", color="black", **_below(axes))
    axes.set(xlabel="row", ylabel=f"{curves.title_over_time(chosen[0], window, cumulative)} (%)")
    axes.legend(fontsize="small")
    return axes


def confusion(run: Run, most: int = 10, *, axes: Any | None = None) -> Any:
    """Draw the confusion matrix with rates in per cent; return the axes.

    Parameters
    ----------
    run : Run
        The run to draw.
    most : int
        Number of classes to show, the most frequent ones.
    axes : matplotlib Axes or None
        Where to draw; by default a new figure.
    """
    axes = _axes(axes, 5, 4.5)
    found = curves.confusion(run, most)
    rates = 100 * found.rates
    axes.imshow(np.nan_to_num(rates), cmap="Blues", vmin=0, vmax=100)
    for k, j in np.ndindex(*rates.shape):
        if not np.isnan(rates[k, j]):
            colour = "white" if rates[k, j] > 60 else "black"
            axes.text(j, k, f"{rates[k, j]:.1f}", ha="center", va="center", color=colour, fontsize="small")
    places = range(len(found.names))
    names = [_as_text(name) for name in found.names]
    axes.set_xticks(places, names, rotation=45 if len(names) > 4 else 0)
    axes.set_yticks(places, names)
    axes.set(xlabel="answer", ylabel="true class", title="% of the rows of each true class")
    return axes


def _as_text(name: Any) -> str:
    """Return a name as Matplotlib shows it: between two signs of dollar it would read formulas."""
    return str(name).replace("$", r"\$")


def reliability(runs: Run | Iterable[Run], axes: Any | None = None) -> Any:
    """Draw how often answers were correct, by how sure the learner was; return the axes.

    Parameters
    ----------
    runs : Run or sequence of Run
        The runs to show.
    axes : matplotlib Axes or None
        Where to draw; by default a new figure.
    """
    chosen, axes = _runs(runs), _axes(axes, 4.5, 4.5)
    axes.plot([0, 100], [0, 100], color="0.6", linewidth=0.9, linestyle="--")
    found = [curves.reliability(run).shown() for run in chosen]
    for i, (name, each) in enumerate(zip(curves.names_of(chosen), found, strict=True)):
        line = curves.Line(name, curves.style_of(i), 100 * each.sure, each.right)
        _draw(axes, [line], 100, marker="o", markersize=4)
    low = 100 * curves.lowest_shown(found)
    axes.set(xlabel="how sure the answer was (%)", ylabel="correct answers (%)")
    axes.set(xlim=(low, 100), ylim=(low, 100))
    axes.legend(fontsize="small")
    return axes


def label_shares(run: Run, most: int = 7, *, axes: Any | None = None) -> Any:
    """Draw the share of each class over time; return the axes.

    Parameters
    ----------
    run : Run
        The run to draw.
    most : int
        Number of classes to show, the most frequent ones.
    axes : matplotlib Axes or None
        Where to draw; by default a new figure.
    """
    axes = _axes(axes, 8, 3)
    _draw(axes, curves.lines_of(curves.label_shares(run, most)), 100)
    axes.set(xlabel="row", ylabel="share of the labels (%)")
    axes.set_ylim(bottom=0)
    axes.legend(fontsize="small")
    return axes


def weights(run: Run, most: int = 7, *, axes: Any | None = None) -> Any:
    """Draw the weights of the learner's members, or its forgetting, over time; return the axes.

    Raises ValueError if the learner has no such numbers.

    Parameters
    ----------
    run : Run
        The run to draw.
    most : int
        Number of lines, those of the largest weights.
    axes : matplotlib Axes or None
        Where to draw; by default a new figure.
    """
    if run.history is None:
        raise ValueError(f"plots.weights: {run.learner} has no weights or forgetting that change over time")
    return _history(curves.lines_of(run.history.most_important(most)), run.history.title, axes)


def inputs(run: Run, number: int = 0, *, most: int = 7, axes: Any | None = None) -> Any:
    """Draw how much each input counts over time, as an observer of the run found; return the axes.

    Raises ValueError if there is no such observer, or it found nothing.

    Parameters
    ----------
    run : Run
        The run to draw.
    number : int
        Which observer: its position in `observers`.
    most : int
        Number of inputs to show, those that count most.
    axes : matplotlib Axes or None
        Where to draw; by default a new figure.
    """
    if not 0 <= number < len(run.explanations):
        n = len(run.explanations)
        raise ValueError(f"plots.inputs: the run has {n} explanations; run it with observers=Explanations()")
    found = run.explanations[number]
    return _history(curves.input_lines(found, [run], most), found.title, axes)


def _history(lines: Sequence[curves.Line], title: str, axes: Any | None) -> Any:
    axes = _axes(axes, 8, 3)
    _draw(axes, lines)
    axes.set(xlabel="row", ylabel=title)
    if len(lines) > 1:
        axes.legend(fontsize="small")
    return axes


def _draw(axes: Any, lines: Iterable[curves.Line], factor: float = 1.0, **marks: Any) -> None:
    for line in lines:
        name = _as_text(line.name) if line.name else None
        axes.plot(line.x, factor * line.y, label=name, **_style(line.style), **marks)


def _runs(runs: Run | Iterable[Run]) -> list[Run]:
    chosen = [runs] if isinstance(runs, Run) else list(runs)
    if not chosen:
        raise ValueError("plots: no run to draw, give at least one")
    return chosen


def _axes(axes: Any | None, width: float, height: float) -> Any:
    if axes is not None:
        return axes
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("evaluation.plots needs matplotlib: pip install thalweg[plot]") from error
    return Figure(figsize=(width, height), layout="constrained").subplots()


def _style(name: str) -> dict[str, Any]:
    dash = STYLES[name].dash
    line = {"linestyle": (0, tuple(map(float, dash.split()))) if dash else "-"}
    return line | ({"color": "0.5", "linewidth": 0.9} if name in BASELINES else {"color": STYLES[name].light})


def _below(axes: Any) -> dict[str, Any]:
    """Return where marks below the axis go: rows across, shares of the height up."""
    return {"transform": axes.get_xaxis_transform(), "clip_on": False, "markersize": 6, "linestyle": "none"}


def __dir__() -> list[str]:
    return __all__
