"""Marks below the axis of a chart: a tick for each row, or their density where there are many."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._escaping import in_html
from thalweg.evaluation.formatting import count

MOST_TICKS, N_BINS = 60, 80


@dataclass
class Lane:
    """Rows to mark below the axis, what each is, such as "drift", with " found" after it, and their style."""

    what: str
    style: str
    rows: NDArray[Any]
    after: str = ""

    def caption(self) -> str:
        """Return how many rows there are of what."""
        return count(len(self.rows), self.what) + self.after


def lanes_of(
    lanes: Sequence[Lane], left: float, across: float, n_rows: int, top: float
) -> tuple[list[str], int]:
    """Return the SVG of the lanes that have marks, and the vertical position below them."""
    parts, y = [], top
    for lane in lanes:
        if not len(lane.rows):
            continue
        parts.append(f'<text x="{left}" y="{y + 13:.0f}">{in_html(lane.caption())}</text>')
        draw = _ticks if len(lane.rows) <= MOST_TICKS else _density
        parts += draw(lane, left, across, n_rows, y + 18)
        y += 38
    return parts, int(y) + 4


def _ticks(lane: Lane, left: float, across: float, _n_rows: int, y: float) -> list[str]:
    parts = []
    for row in np.asarray(lane.rows).tolist():
        x = left + row * across
        line = f'<line class="{lane.style}" x1="{x:.1f}" x2="{x:.1f}" y1="{y:.0f}" y2="{y + 12:.0f}"/>'
        parts.append(f"<g><title>{in_html(lane.what + lane.after)} at row {row:,}</title>{line}</g>")
    return parts


def _density(lane: Lane, left: float, across: float, n_rows: int, y: float) -> list[str]:
    """Return bins of rows, darker the more marks they have."""
    counts, edges = np.histogram(lane.rows, bins=N_BINS, range=(0, max(1, n_rows)))
    parts = []
    for i in np.flatnonzero(counts):
        opacity = 0.15 + 0.85 * counts[i] / counts.max()
        said = f"{counts[i]:,} from row {int(edges[i]):,} to {int(edges[i + 1]):,}"
        x, width = left + edges[i] * across, (edges[i + 1] - edges[i]) * across
        parts.append(
            f'<g><title>{in_html(lane.what + lane.after)}: {said}</title><rect class="{lane.style} density" '
            f'x="{x:.1f}" y="{y:.0f}" width="{width:.1f}" height="12" fill-opacity="{opacity:.2f}"/></g>'
        )
    return parts
