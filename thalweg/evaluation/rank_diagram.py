"""The critical-difference diagram: mean ranks on an axis, bars over learners that do not differ."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from thalweg._types import Floats
from thalweg.evaluation.page import text
from thalweg.evaluation.statistics import groups_alike

WIDTH, MARGIN, AXIS, STEP, BAR = 720, 150, 46, 24, 11
STYLE = """
.ranks { font: 13px system-ui, sans-serif; max-width: 720px; }
.ranks text { fill: var(--ink, #1f2933); } .ranks line { stroke: var(--ink, #1f2933); }
.ranks .group { stroke-width: 5; } .ranks .lead { stroke-width: 1; }
"""


def rank_diagram(names: Sequence[str], mean_ranks: Floats, difference: float) -> str:
    """Return the SVG; ranks within the critical `difference` of each other are joined."""
    order = np.argsort(mean_ranks, kind="stable")
    values = np.asarray(mean_ranks)[order]
    low, high = 1.0, float(len(names))
    groups = groups_alike(values, difference)

    def at(rank: float) -> float:
        return MARGIN + (rank - low) / max(high - low, 1e-9) * (WIDTH - 2 * MARGIN)

    top = AXIS + 14 + BAR * len(groups)
    parts = [*_axis(len(names), at), *_scale(difference, low, high)]
    parts += [
        _line("group", at(values[first]) - 4, AXIS + 12 + BAR * i, at(values[last]) + 4, AXIS + 12 + BAR * i)
        for i, (first, last) in enumerate(groups)
    ]
    n_left = math.ceil(len(names) / 2)
    for i, (place, value) in enumerate(zip(order, values, strict=True)):
        on_left = i < n_left
        y = top + STEP * (i if on_left else len(names) - 1 - i) + 12
        edge, anchor = (MARGIN - 8, "end") if on_left else (WIDTH - MARGIN + 8, "start")
        parts += [_line("lead", at(value), AXIS, at(value), y), _line("lead", at(value), y, edge, y)]
        x = edge - 4 if on_left else edge + 4
        label = text(f"{names[place]} {value:.2f}")
        parts.append(f'<text x="{x}" y="{y + 4}" text-anchor="{anchor}">{label}</text>')
    height = top + STEP * n_left + 16
    return (
        f'<svg class="ranks" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="mean ranks of the learners"><style>{STYLE}</style>{"".join(parts)}</svg>'
    )


def _axis(n: int, at: Callable[[float], float]) -> list[str]:
    parts = [_line("lead", at(1), AXIS, at(n), AXIS)]
    for rank in range(1, n + 1):
        parts.append(_line("lead", at(rank), AXIS - 5, at(rank), AXIS))
        parts.append(f'<text x="{at(rank):.1f}" y="{AXIS - 9}" text-anchor="middle">{rank}</text>')
    return parts


def _scale(difference: float, low: float, high: float) -> list[str]:
    length = difference / max(high - low, 1e-9) * (WIDTH - 2 * MARGIN)
    if length > WIDTH - 2 * MARGIN:
        return []
    words = f"critical difference {difference:.2f}"
    return [
        _line("group", MARGIN, 8, MARGIN + length, 8),
        f'<text x="{MARGIN + length + 8:.1f}" y="12">{words}</text>',
    ]


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'
