"""Line charts of numbers over the rows of a stream as SVG, wide with labels at the lines, or narrow."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thalweg._escaping import in_html
from thalweg._types import Floats
from thalweg.evaluation.curves import Line
from thalweg.evaluation.pages.svg_lanes import Lane, lanes_of
from thalweg.evaluation.pages.svg_style import CHART_STYLE

Rows: TypeAlias = Sequence[int] | NDArray[Any]
End: TypeAlias = tuple[float, str, str]
"""Where a line ends, its name and its style."""
_CHARACTER = 7.7


class Size(NamedTuple):
    """The size of a chart; with `labels` the lines are named at their ends, else in a legend above."""

    width: int
    left: int
    right: int
    height: int
    n_ticks: int
    labels: bool


WIDE = Size(960, 64, 228, 300, 6, labels=True)
NARROW = Size(400, 50, 20, 220, 3, labels=False)


class Scale(NamedTuple):
    """The range of the vertical axis, the step of its ticks, and the factor and unit of what it shows."""

    low: float
    high: float
    step: float
    factor: float = 1.0
    unit: str = ""

    def text(self, value: float) -> str:
        """Return a value of a tick as text."""
        digits = max(0, -math.floor(math.log10(self.step * self.factor) + 1e-9))
        return f"{self.factor * value:,.{digits}f}{self.unit}"


def line_chart(
    lines: Sequence[Line], n_rows: int, drifts: Rows = (), alarms: Rows = (), y_title: str = ""
) -> str:
    """Return the HTML of a chart of rates over row numbers, with known drifts and alarms below the axis."""
    found = Lane("drift", "alarm", np.asarray(alarms), " found")
    lanes = [Lane("known drift", "drift", np.asarray(drifts)), found]
    return both(lines, n_rows, lanes, y_title, share_scale([each.y for each in lines]))


def both(lines: Sequence[Line], n_rows: int, lanes: Sequence[Lane], y_title: str, scale: Scale) -> str:
    """Return the HTML of a chart in two sizes."""
    return both_sizes(*(draw(lines, n_rows, lanes, y_title, scale, size) for size in (WIDE, NARROW)))


def both_sizes(wide: str, narrow: str) -> str:
    """Return the HTML of a picture in two sizes, of which the page shows the one that fits."""
    return f'<div class="wide">{wide}</div><div class="narrow">{narrow}</div>'


def draw(
    lines: Sequence[Line],
    n_rows: int,
    lanes: Sequence[Lane],
    y_title: str,
    scale: Scale,
    size: Size = WIDE,
    standalone: bool = False,
) -> str:
    """Return the SVG of a chart; a `standalone` one carries its style."""
    above, top = ("", 34) if size.labels else legend([(each.name, each.style) for each in lines], size)
    bottom = top + size.height
    across = (size.width - size.left - size.right) / max(1, n_rows)
    up = size.height / (scale.high - scale.low)
    parts = [above, *_axes(n_rows, across, scale, top, y_title, size)]
    ends: list[End] = []
    for each in reversed(lines):
        y = bottom - (each.y - scale.low) * up
        path = _points(size.left + each.x * across, y)
        name = in_html(each.name)
        said = f"<title>{name}</title>"
        parts.append(f'<path class="{css(each.style)}" data-name="{name}" d="{path}">{said}</path>')
        known = y[~np.isnan(y)]
        if len(known):
            ends.append((float(known[-1]), each.name, each.style))
    if size.labels:
        parts += labels(ends, size, top)
    marks, height = lanes_of(lanes, size.left, across, n_rows, bottom + 26)
    parts += marks
    unit = f"{scale.factor:g}{scale.unit}"
    frame = f"{size.left} {size.width - size.right} {top} {bottom} {n_rows} {scale.low:g} {scale.high:g}"
    parts = [f"<style>{CHART_STYLE}</style>", *parts] if standalone else parts
    return svg("chart", size.width, height, y_title, parts, f' data-frame="{frame}" data-unit="{unit}"')


def svg(kind: str, width: float, height: float, title: str, parts: Sequence[str], more: str = "") -> str:
    """Return the SVG of a picture made of `parts`; `more` are attributes."""
    place = f'viewBox="0 0 {width:.0f} {height}" role="img" aria-label="{in_html(title)}"{more}'
    return f'<svg class="{kind}" xmlns="http://www.w3.org/2000/svg" {place}>{"".join(parts)}</svg>'


def line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    """Return the SVG of a straight line."""
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def label(x: float, y: float, words: str, anchor: str = "", kind: str = "") -> str:
    """Return the SVG of some text."""
    kind, anchor = f' class="{kind}"' if kind else "", f' text-anchor="{anchor}"' if anchor else ""
    return f'<text{kind} x="{x:.1f}" y="{y:.1f}"{anchor}>{in_html(words)}</text>'


def share_scale(series: Sequence[Floats], low: float | None = None) -> Scale:
    """Return the scale of values between 0 and 1, shown in per cent."""
    values = np.concatenate([np.empty(0), *(y[~np.isnan(y)] for y in series)])
    lowest, highest = (values.min(), values.max()) if len(values) else (0.0, 1.0)
    lowest = lowest if low is None else low
    step = 0.1 if highest - lowest > 0.3 else 0.05 if highest - lowest > 0.12 else 0.02
    step = 0.2 if highest - lowest > 0.7 else step
    first = max(0, math.floor((lowest - 0.01) / step))
    last = min(round(1 / step), math.ceil((highest + 0.01) / step))
    return Scale(first * step, max(last, first + 1) * step, step, 100.0, " %")


def plain_scale(values: Floats) -> Scale:
    """Return the scale of any numbers; 0 is part of it unless all are far away from it."""
    lowest, highest = float(np.nanmin(values)), float(np.nanmax(values))
    if 0 < lowest < 0.8 * highest:
        lowest = 0.0
    step = 10.0 ** math.floor(math.log10(max(highest - lowest, 1e-12) / 4))
    step *= next(factor for factor in (1, 2, 5, 10) if (highest - lowest) / (step * factor) <= 6)
    first, last = math.floor(lowest / step + 1e-9), math.ceil(highest / step - 1e-9)
    return Scale(first * step, max(last, first + 1) * step, step)


def nice(value: float) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, 50, … that is at least `value`."""
    power = 10 ** math.floor(math.log10(value)) if value > 1 else 1
    return max(1, int(next(power * factor for factor in (1, 2, 5, 10) if power * factor >= value)))


def row_ticks(n_rows: int, n_ticks: int) -> list[int]:
    """Return the rows to mark on an axis: round numbers, and the end."""
    step = nice(max(1, n_rows) / n_ticks)
    ticks = list(range(0, n_rows + 1, step))
    if n_rows - ticks[-1] >= 0.6 * step:
        return [*ticks, n_rows]
    return [*ticks[:-1], n_rows] if len(ticks) > 1 else [0, n_rows]


def css(style: str) -> str:
    """Return the classes of a line."""
    return f"line {style}" if style.startswith("line") else f"line base {style}"


def _axes(n_rows: int, across: float, scale: Scale, top: float, y_title: str, size: Size) -> list[str]:
    """Return the grid, the ticks of both axes and their titles."""
    bottom, right = top + size.height, size.width - size.right
    parts = [label(2, 14, y_title, kind="name") if size.labels else label(0, top - 12, y_title, kind="name")]
    for tick in np.arange(round(scale.low / scale.step), round(scale.high / scale.step) + 1) * scale.step:
        y = bottom - (tick - scale.low) * size.height / (scale.high - scale.low)
        parts.append(line("grid", size.left, y, right, y))
        parts.append(label(size.left - 7, y + 4, scale.text(tick), "end"))
    for tick in row_ticks(n_rows, size.n_ticks):
        x = size.left + tick * across
        anchor = "end" if tick == n_rows and not size.labels else "middle"
        parts.append(line("axis", x, bottom, x, bottom + 5))
        parts.append(label(x, bottom + 19, f"{tick:,}" + (" rows" if tick == n_rows else ""), anchor))
    return [*parts, line("axis", size.left, bottom, right, bottom)]


def labels(ends: list[End], size: Size, top: float) -> list[str]:
    """Return the names of the lines beside their ends, moved apart where they would overlap."""
    gap, ends = 16, sorted(ends, key=lambda end: end[0])
    places: list[float] = []
    for y, _, _ in ends:
        places.append(max(y, places[-1] + gap if places else top))
    for i in reversed(range(len(places))):
        highest = places[i + 1] - gap if i + 1 < len(places) else top + size.height
        places[i] = min(places[i], highest)
    parts, x = [], size.width - size.right
    for (y, name, style), place in zip(ends, places, strict=True):
        parts.append(f'<path class="{css(style)}" d="M{x + 3} {y:.1f}L{x + 14} {place:.1f}H{x + 32}"/>')
        parts.append(label(x + 37, place + 4, short(name), kind=style))
    return parts


def legend(styles: Sequence[tuple[str, str]], size: Size) -> tuple[str, int]:
    """Return the SVG of the legend and the vertical position of the plot."""
    parts: list[str] = []
    x, y = 0.0, 16
    for name, style in styles:
        width = 34 + _CHARACTER * len(name) + 16
        if x > 0 and x + width > size.width:
            x, y = 0.0, y + 20
        sign = f'<path class="{css(style)}" d="M0 -4H26"/>'
        text = label(32, 0, short(name, 44), kind="name")
        parts.append(f'<g transform="translate({x:.0f} {y})">{sign}{text}</g>')
        x += width
    return "".join(parts), y + (42 if styles else 16)


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


def short(name: str, most: int = 28) -> str:
    """Return a name that has room beside a line, or in a cell."""
    return name if len(name) <= most else name[: most - 1] + "…"
