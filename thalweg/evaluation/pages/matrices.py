"""Confusion matrices and reliability diagrams of a page about runs."""

from collections.abc import Sequence

import numpy as np

from thalweg._types import Floats
from thalweg.evaluation import curves
from thalweg.evaluation.curves import names_of, style_of
from thalweg.evaluation.formatting import count, percentage
from thalweg.evaluation.pages.page import text
from thalweg.evaluation.pages.svg import (
    NARROW,
    WIDE,
    Scale,
    Size,
    both_sizes,
    css,
    label,
    labels,
    legend,
    line,
    short,
    svg,
)
from thalweg.evaluation.run import Run

_BARS = 40
FEWEST_ROWS = 20  # of a range that is drawn


def confusion(run: Run, name: str = "") -> str:
    """Return the HTML of the confusion matrix, with rates and counts."""
    found = curves.confusion(run)
    head = "".join(f"<th>{text(short(each, 14))}</th>" for each in found.names)
    body = ""
    for k, (counts, rates) in enumerate(zip(found.counts, found.rates, strict=True)):
        cells = "".join(_cell(rates[j], int(counts[j]), k == j) for j in range(len(counts)))
        body += f"<tr><th>{text(short(found.names[k], 14))}</th>{cells}</tr>"
    head = f"<thead><tr><th>true \\ answer</th>{head}</tr></thead>"
    made = f'<table class="matrix">{head}<tbody>{body}</tbody></table>'
    said = f"{text(name)}: share" if name else "Share"
    note = f"{said} of the rows of each true class (a line) that got each answer, and their number."
    return f'<figure><div class="scroll">{made}</div><figcaption>{note}</figcaption></figure>'


def _cell(rate: float, n: int, right: bool) -> str:
    shade = 0.08 + 0.5 * rate if n else 0.0
    colour = f"background: rgba(var(--{'right' if right else 'wrong'}), {shade:.2f})"
    return f'<td style="{colour}">{percentage(rate)}<small>{n:,}</small></td>'


def diagram(runs: Sequence[Run]) -> str:
    """Return the HTML of the reliability diagram: how often answers were right, by how sure they were."""
    found = [curves.reliability(run) for run in runs]
    drawn = [each.shown(FEWEST_ROWS) for each in found]
    wide, narrow = (_diagram(runs, drawn, size) for size in (WIDE._replace(width=760), NARROW))
    wide = f'<div class="square">{wide}</div>'
    errors = (f"{name} {percentage(each.error)}" for name, each in zip(names_of(runs), found, strict=True))
    note = f"Mean distance between how sure answers are and how often they are right: {', '.join(errors)}."
    n_few = sum(len(each.rows) for each in found) - sum(len(each.rows) for each in drawn)
    if n_few:
        few = f"{count(n_few, 'range')} with fewer than {FEWEST_ROWS} rows"
        note += f" {few} {'are' if n_few > 1 else 'is'} not drawn."
    return f"<figure>{both_sizes(wide, narrow)}<figcaption>{text(note)}</figcaption></figure>"


def _diagram(runs: Sequence[Run], found: Sequence[curves.Reliability], size: Size) -> str:
    names = names_of(runs)
    low = curves.lowest_shown(found)
    scale = Scale(low, 1.0, 0.1 if low else 0.2, 100.0, " %")
    styles = [(name, style_of(i)) for i, name in enumerate(names)]
    above, top = ("", 34) if size.labels else legend(styles, size)
    left, right, bottom = size.left, size.width - size.right, top + size.height
    parts = [above, *_axes(scale, size, top)]
    ends = []
    for (name, style), each in zip(styles, found, strict=True):
        x = left + (each.sure - low) * (right - left) / (1 - low)
        y = bottom - (each.right - low) * size.height / (1 - low)
        path = "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(x, y, strict=True))
        parts.append(f'<path class="{css(style)}" d="M{path}"/>' if path else "")
        parts += _points(each, x, y, style, bottom, bars=len(runs) == 1)
        ends += [(float(y[-1]), name, style)] if len(y) else []
    parts += labels(ends, size, top) if size.labels else []
    below = bottom + (_BARS if len(runs) == 1 else 0) + 42
    what = "how sure the answer was" + (" (bars: rows)" if len(runs) == 1 else "")
    parts.append(label(right, below, what, "end", "name"))
    return svg("chart", size.width, below + 8, "reliability diagram", parts)


def _axes(scale: Scale, size: Size, top: int) -> list[str]:
    """Return the grid, the ticks of both axes, and the diagonal."""
    left, right, bottom = size.left, size.width - size.right, top + size.height
    parts = [label(0, top - 14, "correct answers", kind="name")]
    for tick in np.arange(round(scale.low / scale.step), round(1 / scale.step) + 1) * scale.step:
        share = (tick - scale.low) / (1 - scale.low)
        x, y, shown = left + share * (right - left), bottom - share * size.height, scale.text(tick)
        parts += [line("grid", left, y, right, y), label(left - 7, y + 4, shown, "end")]
        parts += [line("axis", x, bottom, x, bottom + 5), label(x, bottom + 20, shown, "middle")]
    diagonal = f'<path class="line base label_chain" d="M{left} {bottom}L{right} {top}"/>'
    return [*parts, diagonal, line("axis", left, bottom, right, bottom)]


def _points(
    found: curves.Reliability, x: Floats, y: Floats, style: str, bottom: int, bars: bool
) -> list[str]:
    """Return a mark for each range, with its numbers as a title, and bars for the rows below the axis."""
    parts = []
    for a, b, sure, right, n in zip(x, y, *found, strict=True):
        said = f"{int(n):,} answers, {percentage(sure)} sure on average: {percentage(right)} correct"
        place = f'cx="{a:.1f}" cy="{b:.1f}" r="4"'
        made = f'<circle class="{css(style)}" style="stroke-dasharray: none" {place}/>'
        if bars:
            tall = (_BARS - 8) * n / found.rows.max()
            high = bottom + 22 + _BARS - tall
            made += f'<rect class="bar" x="{a - 5:.1f}" y="{high:.1f}" width="10" height="{tall:.1f}"/>'
        parts.append(f"<g><title>{said}</title>{made}</g>")
    return parts
