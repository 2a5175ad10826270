"""A self-contained page about the estimate for a table of predictions, and the part of a run's page."""

from os import PathLike
from pathlib import Path
from time import strftime

import numpy as np

from thalweg.evaluation.curves import Line
from thalweg.evaluation.estimate_words import Found, headline, notes
from thalweg.evaluation.estimating import judged
from thalweg.evaluation.formatting import DATE, points
from thalweg.evaluation.pages.page import made_by, note, pairs, table, write_page
from thalweg.evaluation.pages.svg import both, line_chart, plain_scale
from thalweg.evaluation.pages.svg_lanes import Lane
from thalweg.evaluation.run import Run

MOST_ROWS = 200
ABOUT = (
    "Estimate: what can be said now, with the labels that have come. Said then: what could be said at the "
    "end of the window. Labels say: the rows whose labels have come. Rows are counted from 1."
)


def write(found: Found, path: str | PathLike[str], command: str = "") -> Path:
    """Write one HTML page about an estimate; it needs no network and no script. Return its path."""
    windows = found.windows
    parts = [note(headline(found), "lead"), *(note(each) for each in notes(found)[1:])]
    lines = [
        Line("estimate", "line0", windows.stop, windows.estimate),
        Line("labels that have come", "line1", windows.stop, windows.accuracy),
        Line("low", "line7", windows.stop, windows.low),
        Line("high", "line7", windows.stop, windows.high),
    ]
    if found.limit is not None:
        ends = np.array([0, found.n_rows])
        lines.append(Line("limit", "line2", ends, np.full(2, found.limit)))
    alarms = [] if found.worse is None else [found.worse.row]
    title = f"{found.name} of each window"
    if found.is_cost:
        lanes = [Lane("drift", "alarm", np.asarray(alarms), " found")]
        scale = plain_scale(np.concatenate([line.y for line in lines]))
        picture = both(lines, found.n_rows, lanes, title, scale)
    else:
        picture = line_chart(lines, found.n_rows, alarms=alarms, y_title=title)
    parts.append(f"<h2>Over time</h2><figure>{picture}</figure>")
    parts.append(f"<h2>Windows</h2>{_windows(found)}")
    said = [("rows", f"{found.n_rows:,}"), ("labels", f"{found.n_labels:,}"), ("file", found.source)]
    parts.append(f"<h2>Origin</h2>{pairs([*said, *made_by(command, strftime(DATE))])}")
    return write_page(path, f"Estimated {found.name}: {found.source}", "".join(parts))


def _windows(found: Found) -> str:
    windows, shown = found.windows, found.shown
    rows: list[list[object]] = [["rows", "labels", "estimate", "interval", "said then", "labels say"]]
    for i in range(max(0, len(windows) - MOST_ROWS), len(windows)):
        ends = f"{shown(windows.low[i])} to {shown(windows.high[i])}"
        place = f"{windows.start[i] + 1:,} to {windows.stop[i]:,}"
        numbers = [shown(each[i]) for each in (windows.estimate, windows.said, windows.accuracy)]
        rows.append([place, f"{windows.known[i]:,}", numbers[0], ends, *numbers[1:]])
    n_more = len(windows) - MOST_ROWS
    more = f" {n_more:,} earlier windows are not listed." if n_more > 0 else ""
    return table(rows) + note(ABOUT + more)


def of_run(run: Run) -> str:
    """Return the HTML of the accuracy estimated during a run, beside what it was; nothing if none is."""
    found = judged(run)
    if found is None or not len(found.rows):
        return ""
    lines = [
        Line("estimated", "line0", found.rows, found.said),
        Line("known later", "line1", found.rows, found.truth),
        Line("low", "line7", found.rows, found.low),
        Line("high", "line7", found.rows, found.high),
    ]
    picture = line_chart(lines, run.end_row, run.drifts, y_title="accuracy of each window, said at its end")
    n = int(found.covered.sum())
    words = (
        f"At the end of each of {len(found.rows):,} windows, from the labels that had come by then: "
        f"{points(found.error)} points off on average, and {n:,} intervals contain what was known later."
    )
    return f"<figure>{picture}</figure>" + note(words)
