"""The critical-difference diagram: mean ranks on an axis, bars over learners that do not differ."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from thalweg._types import Floats
from thalweg.evaluation.page import text
from thalweg.evaluation.statistics import groups_alike

AXIS_WIDTH, CHARACTER, AXIS, STEP, BAR = 320, 7.4, 46, 24, 11
STYLE = """
.ranks { font: 13px system-ui, sans-serif; }
.ranks text { fill: var(--ink, #1f2933); } .ranks line { stroke: var(--ink, #1f2933); }
.ranks .group { stroke-width: 5; } .ranks .lead { stroke-width: 1; }
"""


def rank_diagram(names: Sequence[str], mean_ranks: Floats, difference: float) -> str:
    """Return the SVG; ranks within the critical `difference` of each other are joined."""
    order = np.argsort(mean_ranks, kind="stable")
    values = np.asarray(mean_ranks)[order]
    groups = groups_alike(values, difference)
    margin = 20 + CHARACTER * max(len(name) + 5 for name in names)
    unit = AXIS_WIDTH / max(len(names) - 1, 1)

    def at(rank: float) -> float:
        return margin + (rank - 1) * unit

    top = AXIS + 14 + BAR * len(groups)
    parts = [*_axis(len(names), at), *_scale(margin, difference, difference * unit)]
    parts += [
        _line("group", at(values[first]) - 4, AXIS + 12 + BAR * i, at(values[last]) + 4, AXIS + 12 + BAR * i)
        for i, (first, last) in enumerate(groups)
    ]
    n_left = math.ceil(len(names) / 2)
    for i, (place, value) in enumerate(zip(order, values, strict=True)):
        on_left = i < n_left
        y = top + STEP * (i if on_left else len(names) - 1 - i) + 12
        edge, anchor = (margin - 8, "end") if on_left else (margin + AXIS_WIDTH + 8, "start")
        parts += [_line("lead", at(value), AXIS, at(value), y), _line("lead", at(value), y, edge, y)]
        x = edge - 4 if on_left else edge + 4
        label = text(f"{names[place]} {value:.2f}")
        parts.append(f'<text x="{x}" y="{y + 4}" text-anchor="{anchor}">{label}</text>')
    width, height = 2 * margin + AXIS_WIDTH, top + STEP * n_left + 16
    return (
        '<div class="scroll"><svg class="ranks" xmlns="http://www.w3.org/2000/svg" '
        f'style="width: {width:.0f}px" viewBox="0 0 {width:.0f} {height}" role="img" '
        'aria-label="mean ranks of the learners">'
        f"<style>{STYLE}</style>{''.join(parts)}</svg></div>"
    )


def _axis(n: int, at: Callable[[float], float]) -> list[str]:
    parts = [_line("lead", at(1), AXIS, at(n), AXIS)]
    for rank in range(1, n + 1):
        parts.append(_line("lead", at(rank), AXIS - 5, at(rank), AXIS))
        parts.append(f'<text x="{at(rank):.1f}" y="{AXIS - 9}" text-anchor="middle">{rank}</text>')
    return parts


def _scale(left: float, difference: float, length: float) -> list[str]:
    """Return a bar as long as the critical difference, if it fits."""
    if length > AXIS_WIDTH:
        return [
            f'<text x="{left:.1f}" y="12">critical difference {difference:.2f}, longer than the axis</text>'
        ]
    return [
        _line("group", left, 8, left + length, 8),
        f'<text x="{left + length + 8:.1f}" y="12">critical difference {difference:.2f}</text>',
    ]


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'
