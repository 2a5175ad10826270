"""What a monitor found, as text and as JSON."""

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from thalweg._types import Floats
from thalweg.drift.bins import MISSING, OTHER, Bins
from thalweg.drift.changes import Watched
from thalweg.drift.distances import shares
from thalweg.errors import first_of
from thalweg.evaluation.drift.new_categories import NewCategory
from thalweg.evaluation.drift.report import DriftReport, Finding
from thalweg.evaluation.formatting import count, percentage

_names = partial(first_of, most=8)
_percentage = partial(percentage, form=".3g")
SHIFTED = 0.05                          # least distance from one half of the share of larger values


def headline(report: DriftReport) -> str:
    """Return a sentence about the number of inputs that changed."""
    n_inputs = report.monitor.n_features_
    found = [finding.watched for finding in report.findings]
    changed = {watched.input for watched in found if watched.input is not None and watched.label is None}
    if not len(report.stops) and not report.is_whole_compared:
        return _too_few(report)
    if not found:
        return f"None of the {count(n_inputs, 'input')} changed."
    words = f"{len(changed):,} of" if changed else "None of the"
    words += f" {count(n_inputs, 'input')} changed"
    if any(watched.input is None for watched in found):
        words += "; the shares of the labels changed"
    given = {watched.input for watched in found if watched.label is not None}
    if given:
        words += f"; {len(given):,} changed among rows of the same label"
    return words + "."


def _too_few(report: DriftReport) -> str:
    if report.days is not None:
        needed = "a whole window" if report.reference else "a reference and a window of whole days"
        return f"Too few days: {report.n_rows:,} rows were read, but there is not {needed} in them."
    needed = f"{report.monitor.reference + report.monitor.window:,}"
    return f"Too few rows: {report.n_rows:,} were read, a reference and a window need {needed}."


def windows_of(report: DriftReport) -> str:
    """Return how many windows there are, and how long they are."""
    return f"{count(len(report.stops), 'window')} of {_length(report)}"


def _length(report: DriftReport) -> str:
    if report.days is None:
        return count(report.monitor.window, "row")
    return count(report.days // 7, "week") if report.days % 7 == 0 else count(report.days, "day")


def compared(report: DriftReport) -> str:
    """Return what was compared with what."""
    if report.reference:
        other = f"the {report.reference_rows:,} rows of {report.reference}"
        together = "all rows" if report.days is None else "all of these"
        return f"{windows_of(report)} and {together} together, compared with {other}"
    first = f"compared with the first {report.reference_rows:,} rows"
    if report.monitor.longest == 1 or len(report.stops) < 2:
        return f"{windows_of(report)}, {first}"
    return f"{windows_of(report)}, each {first}, and several together with all rows before them"


def notes(report: DriftReport) -> list[str]:
    """Return sentences about what is not compared, and about columns, categories and labels that are new."""
    lines = []
    if report.columns_missing:
        lines.append(f"Columns of {report.reference} that are missing: {_names(report.columns_missing)}.")
    if report.columns_new:
        lines.append(f"New columns, not compared: {_names(report.columns_new)}.")
    cycles = [name for name, why in report.left_out.items() if why == "cycle"]
    if cycles:
        reason = "windows do not cover whole days or weeks"
        option = "--window week" if report.command else 'windows="week"'
        lines.append(f"Not compared, as {reason}: {_names(cycles)}; {option} compares rows in order of time.")
    others = [f"{name} ({why})" for name, why in report.left_out.items() if why not in ("cycle", "elapsed")]
    if others:
        lines.append(f"Not compared: {_names(others)}.")
    if report.new_labels:
        lines.append(f"New labels: {_names(report.new_labels)}.")
    by_input: dict[str, list[NewCategory]] = {}
    for each in report.new_categories:
        by_input.setdefault(each.input, []).append(each)
    for name, found in by_input.items():
        new = _names([f"{each.name} ({count(each.n_rows, 'row')})" for each in found])
        lines.append(f"New in {name}: {new}, first in row {min(each.first_row for each in found):,}.")
    return lines


def rate(report: DriftReport) -> str:
    """Return what the rate of false alarms means, in a few sentences."""
    share, longest = report.monitor.false_alarms, report.monitor.longest
    together = f", in one window or in up to {longest} together" if longest > 1 else ""
    return (
        f"If rows are independent, at most {_percentage(share)} of streams without change ever give an "
        f"alarm, however long they are{together}. Where rows resemble their neighbours (seasons, trends), "
        "more do. p is the probability that a stream without change ever gives an alarm with a p-value this "
        "small."
    )


def sentence(finding: Finding, report: DriftReport) -> str:
    """Return a sentence about one finding: where and how the distribution changed."""
    return f"{_when(finding, report)}; {what(finding, report)}"


def first_window(finding: Finding, report: DriftReport) -> str:
    """Return where the change was found first: the rows of a window, or the day or week and its first row."""
    if report.days is None or finding.scale > 1:
        return f"rows {finding.start:,} to {finding.stop - 1:,}"
    return f"the {_length(report).removeprefix('1 ')} from row {finding.start:,}"


def _when(finding: Finding, report: DriftReport) -> str:
    place = first_window(finding, report)
    if finding.whole:
        if not finding.n_changed:
            fewer = f"; {_when_together(finding, place)}" if finding.scale > 1 else ", but in no window alone"
            return f"in all rows together{fewer}"
        windows = f"and in {count(finding.n_changed, 'window')}"
        return f"in all rows together {windows}, first in {place}"
    if finding.scale > 1:
        return _when_together(finding, place)
    if finding.n_changed == 1:
        return f"in {place} only"
    when = _since(finding, place)
    windows = count(finding.n_windows, "window")
    if finding.n_changed == finding.n_windows:
        return f"{when}, in all {windows} from there on"
    return f"{when}, in {finding.n_changed:,} of the {windows} from there on"


def _when_together(finding: Finding, place: str) -> str:
    return f"{_since(finding, place)}, in {finding.scale} windows together, but in no window alone"


def _since(finding: Finding, place: str) -> str:
    ended = finding.ended
    return f"between rows {finding.start:,} and {ended - 1:,}" if ended else f"first in {place}"


def what(finding: Finding, report: DriftReport) -> str:
    """Return how a distribution changed: missing values, the median, or the category that changed most."""
    k = report.watched.index(finding.watched)
    before, after = shares(report.monitor.reference_histogram(k)), shares(report.counts_after(k))
    words = []
    if abs(after[MISSING] - before[MISSING]) > 0.02 or before[MISSING] + after[MISSING] >= 0.99:
        words.append(f"missing {_percentage(before[MISSING])} → {_percentage(after[MISSING])}")
    names = bin_names(finding.watched, report)
    present = [(a[1:] / a[1:].sum() if a[1:].sum() else a[1:]) for a in (before, after)]
    if names is None:
        words.append(_moved(present[0], present[1], edges_of(finding.watched, report)))
    else:
        place = OTHER + int(np.argmax(np.abs(present[1] - present[0])[: len(names)]))
        words.append(f"“{names[place - 1]}” {_percentage(before[place])} → {_percentage(after[place])}")
        new = [each.name for each in report.new_categories if each.position == finding.watched.position]
        if place == OTHER and new and finding.watched.input is not None:
            words.append(f"new: {_names([f'“{name}”' for name in new], most=3)}")
    return ", ".join(filter(None, words))


def numeric_bin_names(edges: Floats) -> list[str]:
    """Return the names of the bins of a numeric input, from bin 1 on; some bins hold a single value."""
    if not len(edges):
        return ["any"]
    single = len(edges) > 1 and np.nextafter(edges[0], np.inf) >= edges[1]
    names = [f"< {_edge(edges[1])}" if single else f"≤ {_edge(edges[0])}"]
    for low, high in pairwise(edges):
        names.append(f"= {_edge(high)}" if np.nextafter(low, np.inf) >= high else f"to {_edge(high)}")
    return [*names, f"> {_edge(edges[-1])}"]


def _edge(value: float) -> str:
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e7 else f"{value:.3g}"


def bin_names(watched: Watched, report: DriftReport) -> list[str] | None:
    """Return the names of the bins of categories or labels, from bin 1 on; None for numbers."""
    if watched.input is None:
        classes = report.monitor.classes_
        return ["other", *map(str, [] if classes is None else classes)]
    bins, j = _bins_and_position(watched, report)
    kept = bins.kept[j]
    if kept is None:
        return None
    known = report.category_names[j]
    return ["other categories", *(known[code] if code < len(known) else str(code) for code in kept)]


def edges_of(watched: Watched, report: DriftReport) -> Floats:
    """Return the edges of the bins of a numeric input."""
    bins, j = _bins_and_position(watched, report)
    return bins.edges[j]


def _bins_and_position(watched: Watched, report: DriftReport) -> tuple[Bins, int]:
    bins, position = report.monitor.bins_, watched.position
    if bins is None or position is None:
        raise ValueError(f"there are no bins for {watched}")
    return bins, position


def p_value_text(p_value: float) -> str:
    """Return a p-value as text."""
    return "< 1e-12" if p_value < 1e-12 else f"{p_value:.1g}"


def to_plain(report: DriftReport) -> dict[str, Any]:
    """Return everything found as a dict of numbers, strings and lists, for JSON."""
    monitor = report.monitor
    return {
        "stream": report.stream,
        "monitor": type(monitor).__name__,
        "rows": report.n_rows,
        "unlabelled": report.unlabelled,
        "skipped": report.skipped,
        "columns": None if report.columns is None else report.columns.to_plain(),
        "reference": report.reference_rows,
        "window": monitor.window,
        "windows": len(report.stops),
        "most_windows_together": monitor.longest,
        "window_days": report.days,
        "reference_stream": report.reference or None,
        "false_alarms": monitor.false_alarms,
        "inputs": monitor.n_features_,
        "seconds": report.seconds,
        "interrupted": report.interrupted,
        "not_compared": report.left_out,
        "columns_missing": report.columns_missing,
        "columns_new": report.columns_new,
        "new_labels": report.new_labels,
        "new_categories": [
            {"input": each.input, "value": each.name, "first_row": each.first_row, "rows": each.n_rows}
            for each in report.new_categories
        ],
        "changed": [_plain(finding, report) for finding in report.findings],
    }


def _plain(finding: Finding, report: DriftReport) -> dict[str, Any]:
    return {
        "input": finding.watched.input,
        "label": None if finding.watched.label is None else str(finding.watched.label),
        "kind": kind(finding.watched),
        "first_row": finding.start,
        "first_window_end_row": finding.stop,
        "end_row": finding.ended,
        "windows_changed": finding.n_changed,
        "windows_since": finding.n_windows,
        "distance": round(finding.distance, 6),
        "expected_by_chance": round(finding.expected, 6),
        "largest_at_row": finding.at,
        "p_value": finding.p_value,
        "windows_together": finding.scale,
        "as_a_whole": finding.whole if report.reference else None,
        "words": sentence(finding, report),
    }


def kind(watched: Watched) -> str:
    """Return what `watched` is: "input", "labels" or "input given label"."""
    if watched.input is None:
        return "labels"
    return "input" if watched.label is None else "input given label"


def _moved(before: Floats, after: Floats, edges: Floats) -> str:
    """Return how a number changed, from the shares of its bins."""
    if len(edges) == 2 and before[1] > 0.999:
        now = f"now {_percentage(after[0])} of rows lower and {_percentage(after[2:].sum())} higher"
        return f"{edges[1]:.4g} in every row before, {now}"
    larger = float((after * (np.cumsum(before) - before / 2)).sum())
    # A pure shift moves it by 0.7 of the largest distance of the distribution functions, a small one too.
    if abs(larger - 0.5) <= min(SHIFTED, 0.4 * np.abs(np.cumsum(before - after)).max()):
        return "about as high as before, but spread differently"
    word = "higher" if larger > 0.5 else "lower"
    low, high = _median(before, edges), _median(after, edges)
    return word if low == high else f"{word} (median {low} → {high})"


def _median(shares_of_bins: Floats, edges: Floats) -> str:
    """Return the median as text, interpolated within its bin; a bound in the outermost bins."""
    place = int(np.searchsorted(np.cumsum(shares_of_bins), 0.5 - 1e-9))
    if not len(edges):
        return "unknown"
    if place == 0:
        return f"at most {edges[0]:.4g}"
    if place >= len(edges):
        return f"above {edges[-1]:.4g}"
    done = np.cumsum(shares_of_bins)[place - 1]
    inside = (0.5 - done) / shares_of_bins[place]
    return f"{edges[place - 1] + inside * (edges[place] - edges[place - 1]):.4g}"
