"""A heat map and pairs of bars as SVG, each in a wide and a narrow size of which the page shows one."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._escaping import in_html
from thalweg._types import Floats, Ints, Mask
from thalweg.evaluation.formatting import percentage
from thalweg.evaluation.pages import svg as svg_sizes
from thalweg.evaluation.pages.svg import Size, both_sizes, label, line, nice, svg
from thalweg.evaluation.pages.text_width import fitted, width_of

ROW, LEVELS = 20, 8
SLANT, BELOW = 0.77, 100  # cosine of the angle of names below bars, and most of their length
STYLE = """
.heat { --ground: #eef1f4; --quiet: #64748b; --hot: #c2410c; --before: #94a3b8; --after: #c2410c; }
@media screen and (prefers-color-scheme: dark) { .heat { --ground: #1c2229; --quiet: #94a3b8; --hot: #ff8a4c;
  --before: #64748b; --after: #ff8a4c; } }
.heat .ground { fill: var(--ground); } .heat .quiet { fill: var(--quiet); } .heat .hot { fill: var(--hot); }
.heat .before { fill: var(--before); } .heat .after { fill: var(--after); }
"""


WIDE = svg_sizes.WIDE._replace(left=190, right=34, n_ticks=8)
NARROW = svg_sizes.NARROW._replace(left=116, right=26)
MOST_COLUMNS = {WIDE: 240, NARROW: 80}


def heat_map(
    names: Sequence[str], distances: Floats, alarms: Mask, starts: Ints, stops: Ints, title: str
) -> str:
    """Return the HTML of distances over time, a row of cells for each name; alarms are red.

    `distances` (NaN if unknown) and `alarms` have the shape (windows, names); `starts` and `stops` are the
    first row of each window and the first row after it; the title says what the colours show.
    """
    highest = np.nanmax(distances, initial=1e-9)
    first, last = int(starts[0]), int(stops[-1])

    def draw(size: Size) -> str:
        n_columns = min(MOST_COLUMNS[size], len(stops))
        columns = np.unique(np.linspace(0, len(stops), n_columns + 1).astype(int))[:-1]
        largest = np.nan_to_num(np.fmax.reduceat(distances, columns, axis=0))
        levels = np.ceil(largest / highest * LEVELS).astype(int)
        found = np.logical_or.reduceat(alarms, columns, axis=0)
        top = 54 if size == NARROW else 34
        across = (size.width - size.left - size.right) / (last - first)
        begins = (starts[columns] - first) * across + size.left
        ends = np.append(begins[1:], size.width - size.right)
        bottom = top + ROW * len(names)
        parts = [_legend(highest, title, size)]
        for i, name in enumerate(names):
            parts.append(_line(name, top + ROW * i, begins, ends, levels[:, i], found[:, i], size))
        parts += _row_axis(first, last, across, bottom, size)
        return svg("chart heat", size.width, bottom + 26, title, parts)

    return both_sizes(draw(WIDE), draw(NARROW))


def bar_pairs(
    names: Sequence[str], before: Floats, after: Floats, title: str, words: tuple[str, str]
) -> str:
    """Return the HTML of shares before and after, a pair of bars for each name; `words` are the legend's."""
    height, bottom = 150, 192
    most = max(before.max(), after.max(), 1e-9)

    def draw(size: Size) -> str:
        start = _room(names, size)
        step = (size.width - start - 10) / len(names)
        bar = min(step * 0.42, 40)
        parts = []
        for k, name in enumerate(names):
            middle = start + step * (k + 0.5)
            shares = percentage(before[k], ".1f"), percentage(after[k], ".1f")
            shown = f"{in_html(name)}: {shares[0]} before, {shares[1]} after"
            rects = ""
            for share, left, kind in ((before[k], middle - bar, "before"), (after[k], middle, "after")):
                tall = height * share / most
                rects += (f'<rect class="{kind}" x="{left:.1f}" y="{bottom - tall:.1f}" '
                          f'width="{bar - 1:.1f}" height="{tall:.1f}"/>')
            parts.append(f"<g><title>{shown}</title>{rects}</g>")
            place = f'transform="translate({middle + 4:.1f} {bottom + 13}) rotate(-40)"'
            if k % max(1, round(15 / step)) == 0:
                parts.append(f'<text {place} text-anchor="end">{in_html(fitted(name, BELOW))}</text>')
        parts.append(line("axis", start, bottom, size.width - 10, bottom))
        for kind, x, said in (("before", 0, words[0]), ("after", 34 + width_of(words[0]), words[1])):
            parts.append(f'<rect class="{kind}" x="{x:.0f}" y="3" width="12" height="12"/>')
            parts.append(label(x + 18, 14, said, kind="name"))
        parts.append(label(start, bottom - height - 8, f"highest bar: {percentage(most, '.1f')}"))
        return svg("chart heat", size.width, bottom + 84, title, parts)

    return both_sizes(draw(WIDE), draw(NARROW))


def _room(names: Sequence[str], size: Size) -> int:
    """Return where the bars begin, so that slanted names, which end below their bars, stay inside."""
    start = 20.0
    for k, name in enumerate(names):
        reach, place = SLANT * width_of(fitted(name, BELOW)) + 8, (k + 0.5) / len(names)
        start = max(start, (reach - place * (size.width - 10)) / (1 - place))
    return round(start)


def _line(
    name: str, top: int, begins: Floats, ends: Floats, levels: NDArray[Any], alarms: Mask, size: Size
) -> str:
    """Return one row: its name, its background, and the cells of each colour as one path."""
    named = label(size.left - 8, top + 15, fitted(name, size.left - 8), "end", "name")
    ground = (f'<rect class="ground" x="{size.left}" y="{top + 1}" '
              f'width="{size.width - size.left - size.right}" height="{ROW - 2}"/>')
    parts = []
    for kind, chosen in (("quiet", ~alarms), ("hot", alarms)):
        for level in np.unique(levels[chosen & (levels > 0)]):
            cells = np.flatnonzero(chosen & (levels == level))
            path = "".join(f"M{begins[i]:.1f} {top + 1}h{ends[i] - begins[i]:.1f}v{ROW - 2}H{begins[i]:.1f}z"
                           for i in cells)
            opacity = (0.35 + 0.65 * level / LEVELS) if kind == "hot" else 0.5 * level / LEVELS
            parts.append(f'<path class="{kind}" fill-opacity="{opacity:.2f}" d="{path}"/>')
    return f"<g><title>{in_html(name)}</title>{named}{ground}{''.join(parts)}</g>"


def _legend(most: float, title: str, size: Size) -> str:
    parts = [label(0 if size == NARROW else size.left, 18, title, kind="name")]
    x, y = (0, 28) if size == NARROW else (size.width - size.right - 345, 7)
    for kind, words, shift in (("quiet", "within chance", 0), ("hot", f"changed, up to {most:.2f}", 160)):
        for level in range(1, 5):
            opacity = 0.35 + 0.65 * level / 4 if kind == "hot" else 0.5 * level / 4
            place = f'x="{x + shift + 11 * (level - 1)}" y="{y}" width="11" height="12"'
            parts.append(f'<rect class="{kind}" fill-opacity="{opacity:.2f}" {place}/>')
        parts.append(label(x + shift + 50, y + 11, words, kind="name"))
    return "".join(parts)


def _row_axis(first: int, last: int, across: float, bottom: int, size: Size) -> list[str]:
    parts = []
    step = nice((last - first) / size.n_ticks)
    ticks = [row for row in range(-(-first // step) * step, last, step) if last - row > 0.7 * step]
    for row in [*ticks, last]:
        x = size.left + (row - first) * across
        parts.append(line("axis", x, bottom + 2, x, bottom + 7))
        parts.append(label(x, bottom + 21, f"{row:,}", "middle") if row < last else "")
    return [*parts, label(size.width, bottom + 21, f"{last:,} rows", "end")]
