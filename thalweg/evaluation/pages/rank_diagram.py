"""The critical-difference diagram: mean ranks on an axis, bars over learners that do not differ."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from thalweg._types import Floats
from thalweg.evaluation.comparison.statistics import groups_alike
from thalweg.evaluation.pages.svg import both_sizes, label, line, svg

AXIS_WIDTH, CHARACTER, AXIS, STEP, BAR = 320, 7.4, 64, 24, 11
NARROW, EDGE = 390, 16
STYLE = """
.ranks { font: 13px system-ui, sans-serif; }
.ranks text { fill: var(--ink, #1f2933); } .ranks line { stroke: var(--ink, #1f2933); }
.ranks .group { stroke-width: 5; } .ranks .lead { stroke-width: 1; }
.ranks .over { paint-order: stroke; stroke: var(--page, #ffffff); stroke-width: 5px; }
"""


def rank_diagram(names: Sequence[str], mean_ranks: Floats, difference: float) -> str:
    """Return the HTML in a wide and a narrow size; ranks within the critical `difference` are joined."""
    order = np.argsort(mean_ranks, kind="stable")
    best_first = [names[place] for place in order], np.asarray(mean_ranks)[order]
    wide, narrow = _wide(*best_first, difference), _narrow(*best_first, difference)
    return f"<style>{STYLE}</style>" + both_sizes(f'<div class="scroll">{wide}</div>', narrow)


def _wide(names: Sequence[str], values: Floats, difference: float) -> str:
    """Return the SVG with the better half of the names on the left and the other on the right."""
    groups = groups_alike(values, difference)
    margin = 20 + CHARACTER * max(len(name) + 5 for name in names)
    unit = AXIS_WIDTH / max(len(names) - 1, 1)

    def at(rank: float) -> float:
        return margin + (rank - 1) * unit

    top = AXIS + 14 + BAR * len(groups)
    parts = [*_axis(len(names), at), *_scale(margin, difference, difference * unit, AXIS_WIDTH)]
    parts += _bars(groups, values, at)
    n_left = math.ceil(len(names) / 2)
    for i, (name, value) in enumerate(zip(names, values, strict=True)):
        on_left = i < n_left
        y = top + STEP * (i if on_left else len(names) - 1 - i) + 12
        edge, anchor = (margin - 8, "end") if on_left else (margin + AXIS_WIDTH + 8, "start")
        parts += [line("lead", at(value), AXIS, at(value), y), line("lead", at(value), y, edge, y)]
        x = edge - 4 if on_left else edge + 4
        parts.append(label(x, y + 4, f"{name} {value:.2f}", anchor))
    return _svg(2 * margin + AXIS_WIDTH, top + STEP * n_left + 16, parts)


def _narrow(names: Sequence[str], values: Floats, difference: float) -> str:
    """Return the SVG with the names below each other at the ends of their lines."""
    groups = groups_alike(values, difference)
    unit = (NARROW - 2 * EDGE) / max(len(names) - 1, 1)

    def at(rank: float) -> float:
        return EDGE + (rank - 1) * unit

    top = AXIS + 30 + BAR * len(groups)
    parts = [*_axis(len(names), at), *_scale(EDGE, difference, difference * unit, NARROW - 2 * EDGE)]
    parts += _bars(groups, values, at)
    parts += [line("lead", at(value), AXIS, at(value), top + STEP * i) for i, value in enumerate(values)]
    for i, (name, value) in enumerate(zip(names, values, strict=True)):
        anchor, x = ("start", at(value) + 6) if at(value) < NARROW / 2 else ("end", at(value) - 6)
        parts.append(label(x, top + STEP * i, f"{name} {value:.2f}", anchor, "over"))
    return _svg(NARROW, top + STEP * len(names) - 10, parts)


def _svg(width: float, height: float, parts: list[str]) -> str:
    return svg("ranks", width, height, "mean ranks of the learners", parts, f' style="width: {width:.0f}px"')


def _bars(groups: list[tuple[int, int]], values: Floats, at: Callable[[float], float]) -> list[str]:
    """Return a bar over each group of learners that do not differ."""
    heights = (AXIS + 12 + BAR * i for i in range(len(groups)))
    return [
        line("group", at(values[first]) - 4, y, at(values[last]) + 4, y)
        for y, (first, last) in zip(heights, groups, strict=True)
    ]


def _axis(n: int, at: Callable[[float], float]) -> list[str]:
    parts = [line("lead", at(1), AXIS, at(n), AXIS)]
    for rank in range(1, n + 1):
        parts.append(line("lead", at(rank), AXIS - 5, at(rank), AXIS))
        parts.append(label(at(rank), AXIS - 9, str(rank), "middle"))
    return parts


def _scale(left: float, difference: float, length: float, most: float) -> list[str]:
    """Return a bar as long as the critical difference, if it fits."""
    if length > most:
        return [label(left, 12, f"critical difference {difference:.2f}, longer than the axis")]
    bar = line("group", left, 8, left + length, 8)
    return [bar, label(left, 26, f"critical difference {difference:.2f}")]
