"""A line chart as self-contained SVG, with a legend and colours for light and dark pages."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Floats

WIDTH, LEFT, RIGHT, PLOT_HEIGHT = 960, 66, 30, 290
_LEGEND_LINE, _CHARACTER = 22, 6.7
_MOST_MARKS = 300
Rows: TypeAlias = Sequence[int] | NDArray[Any]
STYLE = """
.chart { --ink: #1f2933; --soft: #64707d; --grid: #e6e9ed; --drift: #b42318; --alarm: #d97706;
  --line0: #1d5fd1; --line1: #b5179e; --line2: #0a8f62; --line3: #c2570c; --line4: #6d3fc4;
  --majority: #98a2ae; --no_change: #55606c; --label_chain: #7b8794; font: 12px system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { .chart { --ink: #e6eaef; --soft: #9aa6b2; --grid: #2c343d;
  --drift: #ff8a7a; --alarm: #f5b041; --line0: #6aa5ff; --line1: #f08be0; --line2: #4fd1a1; --line3: #ff9d5c;
  --line4: #b79cff; --majority: #76818d; --no_change: #b4bec8; --label_chain: #95a0ac; } }
.chart text { fill: var(--soft); } .chart .legend { fill: var(--ink); }
.chart .grid { stroke: var(--grid); } .chart .axis { stroke: var(--soft); }
.chart .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
.chart .base { stroke-width: 1.4; } .chart .majority { stroke-dasharray: 2 3; }
.chart .label_chain { stroke-dasharray: 6 3; }
.chart .drift { stroke: var(--drift); stroke-dasharray: 5 4; } .chart .alarm { fill: var(--alarm); }
"""


@dataclass
class Line:
    """One line of a chart: its name, the name of its colour, and its points (y from 0 to 1)."""

    name: str
    colour: str
    x: NDArray[Any]
    y: Floats


def line_chart(
    lines: Sequence[Line], n_rows: int, drifts: Rows = (), alarms: Rows = (), y_title: str = ""
) -> str:
    """Return the SVG of rates over row numbers, with dashed lines at known drifts and triangles at alarms."""
    legend, plot_top = _legend(lines, len(drifts), len(alarms))
    low, high, step = _range_of([line.y for line in lines])
    bottom = plot_top + PLOT_HEIGHT
    across = (WIDTH - LEFT - RIGHT) / max(1, n_rows)
    up = PLOT_HEIGHT / (high - low)
    parts = [legend, *_axes(n_rows, across, low, high, step, plot_top, y_title)]
    parts += _marks(drifts, alarms, across, plot_top, bottom)
    for line in reversed(lines):
        points = _points(LEFT + line.x * across, bottom - (line.y - low) * up)
        parts.append(f'<path class="{_css(line)}" style="stroke: var(--{line.colour})" d="{points}"/>')
    return (
        f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 46}" '
        f'role="img" aria-label="{escape(y_title)}"><style>{STYLE}</style>{"".join(parts)}</svg>'
    )


def _axes(
    n_rows: int, across: float, low: float, high: float, step: float, top: float, y_title: str
) -> list[str]:
    """Return the grid, the ticks of both axes and their titles."""
    bottom = top + PLOT_HEIGHT
    parts = []
    for tick in np.arange(round(low / step), round(high / step) + 1) * step:
        y = bottom - (tick - low) * PLOT_HEIGHT / (high - low)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{100 * tick:.0f} %</text>')
    for tick in range(0, n_rows + 1, nice(max(1, n_rows) / 8)):
        x = LEFT + tick * across
        parts.append(f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{bottom}" y2="{bottom + 4}"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{tick:,}</text>')
    parts.append(f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{bottom}" y2="{bottom}"/>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{bottom + 38}" text-anchor="middle">row</text>')
    place = f'transform="translate(12 {top + PLOT_HEIGHT / 2}) rotate(-90)"'
    parts.append(f'<text {place} text-anchor="middle">{escape(y_title)}</text>')
    return parts


def _legend(lines: Sequence[Line], n_drifts: int, n_alarms: int) -> tuple[str, int]:
    """Return the SVG of the legend and the vertical position of the plot."""
    entries = [
        (line.name, f'<path class="{_css(line)}" style="stroke: var(--{line.colour})" d="M0 -4H24"/>')
        for line in lines
    ]
    if n_drifts:
        entries.append(("known drift", '<line class="drift" x1="12" x2="12" y1="-12" y2="4"/>'))
    if n_alarms:
        entries.append(("drift the learner found", f'<path class="alarm" d="{_triangle(12, 0)}"/>'))
    parts: list[str] = []
    x, y = float(LEFT), 18
    for name, sign in entries:
        width = 30 + _CHARACTER * len(name) + 22
        if x > LEFT and x + width > WIDTH - RIGHT:
            x, y = LEFT, y + _LEGEND_LINE
        text = f'<text class="legend" x="30">{escape(name)}</text>'
        parts.append(f'<g transform="translate({x:.0f} {y})">{sign}{text}</g>')
        x += width
    return "".join(parts), y + 20


def _marks(drifts: Rows, alarms: Rows, across: float, top: float, bottom: float) -> list[str]:
    """Return dashed lines for drifts and triangles for alarms; of very many only an even selection."""
    parts = []
    for row in _some(drifts):
        x = LEFT + row * across
        line = f'<line class="drift" x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{bottom}"/>'
        parts.append(f"<g><title>known drift at row {int(row):,}</title>{line}</g>")
    for row in _some(alarms):
        mark = f'<path class="alarm" d="{_triangle(LEFT + row * across, top + 1)}"/>'
        parts.append(f"<g><title>drift found at row {int(row):,}</title>{mark}</g>")
    return parts


def _some(rows: Rows) -> NDArray[Any]:
    rows = np.asarray(rows)
    return rows[:: max(1, math.ceil(len(rows) / _MOST_MARKS))]


def _triangle(x: float, y: float) -> str:
    return f"M{x:.1f} {y}l-5 -9h10z"


def _css(line: Line) -> str:
    return "line" if line.colour.startswith("line") else f"line base {line.colour}"


def _points(x: Floats, y: Floats) -> str:
    """Return the path through the points, with gaps where y is NaN."""
    parts, pen = [], "M"
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        if math.isnan(b):
            pen = "M"
        else:
            parts.append(f"{pen}{a:.1f} {b:.1f}")
            pen = "L"
    return "".join(parts)


def _range_of(series: list[Floats]) -> tuple[float, float, float]:
    """Return the lowest tick, the highest tick and the step for values between 0 and 1."""
    values = np.concatenate([y[~np.isnan(y)] for y in series])
    lowest, highest = (values.min(), values.max()) if len(values) else (0.0, 1.0)
    step = 0.1 if highest - lowest > 0.3 else 0.05 if highest - lowest > 0.12 else 0.02
    low = max(0, math.floor((lowest - 0.01) / step))
    high = min(round(1 / step), math.ceil((highest + 0.01) / step))
    return low * step, max(high, low + 1) * step, step


def nice(value: float) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, 50, … that is at least `value`."""
    power = 10 ** math.floor(math.log10(value)) if value > 1 else 1
    return max(1, int(next(power * factor for factor in (1, 2, 5, 10) if power * factor >= value)))
