"""A heat map and pairs of bars as self-contained SVG, for light and dark pages."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Floats, Ints, Mask
from thalweg.evaluation.chart import nice

WIDTH, LEFT, RIGHT, ROW, TOP = 960, 190, 24, 20, 34
MOST_COLUMNS, LEVELS = 240, 8
STYLE = """
.heat { --ink: #1f2933; --soft: #64707d; --ground: #eef1f4; --quiet: #64748b; --hot: #c2410c;
  --before: #94a3b8; --after: #c2410c; font: 12px system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { .heat { --ink: #e6eaef; --soft: #9aa6b2; --ground: #1c2229;
  --quiet: #94a3b8; --hot: #ff8a4c; --before: #64748b; --after: #ff8a4c; } }
.heat text { fill: var(--soft); } .heat .name { fill: var(--ink); } .heat .axis { stroke: var(--soft); }
.heat .ground { fill: var(--ground); } .heat .quiet { fill: var(--quiet); } .heat .hot { fill: var(--hot); }
.heat .before { fill: var(--before); } .heat .after { fill: var(--after); }
"""


def heat_map(
    names: Sequence[str], distances: Floats, alarms: Mask, stops: Ints, window: int, title: str
) -> str:
    """Return the SVG of distances over time, a row of cells for each name; alarms are red.

    Parameters
    ----------
    names : sequence of str
        The names of the rows.
    distances, alarms : ndarray of shape (windows, lines)
        Distance of each window from the reference (NaN if unknown), and whether it is an alarm.
    stops : ndarray of int
        The first row after each window.
    window : int
        Number of rows in a window.
    title : str
        What the colours show.
    """
    starts = np.unique(np.linspace(0, len(stops), min(MOST_COLUMNS, len(stops)) + 1).astype(int))[:-1]
    distances = np.fmax.reduceat(distances, starts, axis=0)
    alarms = np.logical_or.reduceat(alarms, starts, axis=0)
    most = np.nanmax(distances, initial=1e-9)
    levels = np.ceil(np.nan_to_num(distances) / most * LEVELS).astype(int)
    first, last = int(stops[0]) - window, int(stops[-1])
    across = (WIDTH - LEFT - RIGHT) / (last - first)
    begins = (stops[starts] - window - first) * across + LEFT
    ends = np.append(begins[1:], WIDTH - RIGHT)
    bottom = TOP + ROW * len(names)
    parts = [_legend(most, title)]
    for line, name in enumerate(names):
        parts.append(_line(name, TOP + ROW * line, begins, ends, levels[:, line], alarms[:, line]))
    parts += _row_axis(first, last, across, bottom)
    return _svg(bottom + 40, title, parts)


def bar_pairs(names: Sequence[str], before: Floats, after: Floats, title: str) -> str:
    """Return the SVG of shares before and after, a pair of bars for each name."""
    height, bottom = 150, 180
    most = max(before.max(), after.max(), 1e-9)
    step = (WIDTH - 40) / len(names)
    bar = min(step * 0.42, 40)
    parts = []
    for k, name in enumerate(names):
        middle = 20 + step * (k + 0.5)
        said = f"<title>{escape(name)}: {100 * before[k]:.1f} % before, {100 * after[k]:.1f} % after</title>"
        rects = ""
        for share, left, kind in ((before[k], middle - bar, "before"), (after[k], middle, "after")):
            tall = height * share / most
            rects += (f'<rect class="{kind}" x="{left:.1f}" y="{bottom - tall:.1f}" '
                      f'width="{bar - 1:.1f}" height="{tall:.1f}"/>')
        parts.append(f"<g>{said}{rects}</g>")
        place = f'transform="translate({middle + 4:.1f} {bottom + 12}) rotate(-40)"'
        parts.append(f'<text {place} text-anchor="end">{escape(_short(name, 14))}</text>')
    parts.append(f'<line class="axis" x1="20" x2="{WIDTH - 20}" y1="{bottom}" y2="{bottom}"/>')
    for kind, x, words in (("before", 20, "before"), ("after", 100, "in the windows that differ")):
        parts.append(f'<rect class="{kind}" x="{x}" y="4" width="12" height="12"/>')
        parts.append(f'<text class="name" x="{x + 18}" y="14">{words}</text>')
    parts.append(f'<text x="{WIDTH - 20}" y="14" text-anchor="end">highest bar: {100 * most:.1f} %</text>')
    return _svg(bottom + 84, title, parts)


def _line(name: str, top: int, begins: Floats, ends: Floats, levels: NDArray[Any], alarms: Mask) -> str:
    """Return one row: its name, its background, and the cells of each colour as one path."""
    shown = escape(_short(name, 26))
    label = f'<text class="name" x="{LEFT - 8}" y="{top + 14}" text-anchor="end">{shown}</text>'
    ground = (f'<rect class="ground" x="{LEFT}" y="{top + 1}" width="{WIDTH - LEFT - RIGHT}" '
              f'height="{ROW - 2}"/>')
    parts = []
    for kind, chosen in (("quiet", ~alarms), ("hot", alarms)):
        for level in np.unique(levels[chosen & (levels > 0)]):
            cells = np.flatnonzero(chosen & (levels == level))
            path = "".join(f"M{begins[i]:.1f} {top + 1}h{ends[i] - begins[i]:.1f}v{ROW - 2}H{begins[i]:.1f}z"
                           for i in cells)
            opacity = (0.35 + 0.65 * level / LEVELS) if kind == "hot" else 0.5 * level / LEVELS
            parts.append(f'<path class="{kind}" fill-opacity="{opacity:.2f}" d="{path}"/>')
    return f"<g><title>{escape(name)}</title>{label}{ground}{''.join(parts)}</g>"


def _legend(most: float, title: str) -> str:
    parts = [f'<text x="{LEFT}" y="18">{escape(title)}</text>']
    x = WIDTH - RIGHT - 330
    for kind, words, shift in (("quiet", "within chance", 0), ("hot", f"changed, up to {most:.2f}", 150)):
        for level in range(1, 5):
            opacity = 0.35 + 0.65 * level / 4 if kind == "hot" else 0.5 * level / 4
            place = f'x="{x + shift + 11 * (level - 1)}" y="8" width="11" height="12"'
            parts.append(f'<rect class="{kind}" fill-opacity="{opacity:.2f}" {place}/>')
        parts.append(f'<text class="name" x="{x + shift + 50}" y="18">{words}</text>')
    return "".join(parts)


def _row_axis(first: int, last: int, across: float, bottom: int) -> list[str]:
    parts = []
    step = nice((last - first) / 8)
    for row in range(-(-first // step) * step, last + 1, step):
        x = LEFT + (row - first) * across
        parts.append(f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{bottom + 2}" y2="{bottom + 7}"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 21}" text-anchor="middle">{row:,}</text>')
    middle = (LEFT + WIDTH - RIGHT) // 2
    parts.append(f'<text x="{middle}" y="{bottom + 37}" text-anchor="middle">row</text>')
    return parts


def _svg(height: int, title: str, parts: list[str]) -> str:
    return (
        f'<svg class="heat" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(title)}"><style>{STYLE}</style>{"".join(parts)}</svg>'
    )


def _short(name: str, most: int) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"
