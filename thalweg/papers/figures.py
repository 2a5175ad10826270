"""Figures of lines, drawn with matplotlib."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple


class Panel(NamedTuple):
    """A panel of a figure: its title, and by name the x and y of each line, and half the width of a band."""

    title: str
    lines: Mapping[str, tuple[Any, ...]]


def draw_lines(
    path: Path,
    panels: Sequence[Panel],
    x_title: str,
    y_title: str,
    styles: Mapping[str, str] | None = None,
) -> Path:
    """Draw panels side by side into a file, some lines in a style of matplotlib; return the path."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5) if len(panels) == 1 else (6 * len(panels), 4), layout="constrained")
    row = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, (title, lines) in zip(row, panels, strict=True):
        for name, (x, y, *spread) in lines.items():
            (line,) = axes.plot(x, y, (styles or {}).get(name, "-"), label=name, linewidth=1)
            for half in spread:
                low, high = y - half, y + half
                axes.fill_between(x, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
        axes.set(title=title, xlabel=x_title, ylabel=y_title)
        axes.legend(fontsize="small")
    return saved(figure, path)


def saved(figure: Any, path: Path) -> Path:
    """Write a figure of matplotlib as SVG: the same bytes for the same figure; return the path."""
    from matplotlib import rc_context

    with rc_context({"svg.hashsalt": "thalweg", "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None}, dpi=120)
    return path
