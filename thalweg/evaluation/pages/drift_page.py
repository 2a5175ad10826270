"""A self-contained HTML page about what a monitor found: text, a heat map, histograms."""

from os import PathLike
from pathlib import Path

import numpy as np

from thalweg.drift.bins import MISSING
from thalweg.drift.distances import shares
from thalweg.evaluation.drift import words as drift_words
from thalweg.evaluation.drift.report import DriftReport, Finding
from thalweg.evaluation.formatting import percentage, without_label
from thalweg.evaluation.pages.heat_map import MOST_COLUMNS, NARROW, STYLE, bar_pairs, heat_map
from thalweg.evaluation.pages.page import STOPPED, Markup, made_by, note, pairs, table, text, write_page

MOST_LINES, MOST_ROWS, MOST_PICTURES = 60, 200, 6
DISTANCES = {
    "HellingerMonitor": ("Hellinger distance", " (0: the same, 1: nothing in common)"),
    "KolmogorovSmirnovMonitor": ("Kolmogorov–Smirnov distance", " (0: the same, 1: nothing in common)"),
    "StabilityMonitor": ("population stability index", " (0: the same)"),
}


def write(report: DriftReport, path: str | PathLike[str]) -> Path:
    """Write a self-contained HTML page about a DriftReport; return its path."""
    findings = report.findings
    parts = [f"<style>{STYLE}</style>", note(drift_words.headline(report), "lead")]
    parts.append(note(STOPPED if report.interrupted else "", "warning"))
    if report.unlabelled:
        parts.append(note(f"{without_label(report.unlabelled)}.", "warning"))
    if report.skipped:
        parts.append(note(f"{report.skipped:,} unreadable rows were skipped.", "warning"))
    parts += map(note, drift_words.notes(report))
    if report.columns is not None:
        parts += [note(warning, "warning") for warning in report.columns.warnings]
        parts.append(pairs(report.columns.in_words(most=100)))
    if len(report.stops):
        picture = _map(report, findings)
        parts.append(f"<h2>Distance from the reference over time</h2><figure>{picture}</figure>")
        parts.append(note(_map_note(report, findings)))
    if findings:
        parts.append(f"<h2>What changed</h2>{_table(report, findings)}")
        pictures = findings[:MOST_PICTURES]
        parts.append(f"<h2>Before and after: the {len(pictures)} smallest p-values</h2>")
        parts += [_picture(report, finding) for finding in pictures]
    parts += ["<h2>False alarms</h2>", note(drift_words.rate(report)), _settings(report)]
    return write_page(path, f"Drift in {report.stream}", "".join(parts))


def short(report: DriftReport) -> str:
    """Return the HTML of a DriftReport for a notebook: sentences and the table of changes."""
    said = [drift_words.headline(report), f"{drift_words.compared(report)}.", *drift_words.notes(report)]
    findings = report.findings
    return "".join(f"<p>{text(each)}</p>" for each in said) + (_table(report, findings) if findings else "")


def _map(report: DriftReport, findings: list[Finding]) -> str:
    lines = _lines(report, findings)
    names = [str(report.watched[k]) for k in lines]
    distances, alarms = report.distances[:, lines], report.alarms[:, lines]
    title, _ = DISTANCES.get(type(report.monitor).__name__, ("distance", ""))
    return heat_map(names, distances, alarms, report.starts, report.stops, title)


def _lines(report: DriftReport, findings: list[Finding]) -> list[int]:
    """Return the distributions to show: those that changed, then inputs that did not."""
    position = {watched: k for k, watched in enumerate(report.watched)}
    changed = [position[finding.watched] for finding in findings][:MOST_LINES]
    known = set(changed)
    quiet = [k for k in range(report.monitor.n_features_) if k not in known]
    return sorted([*changed, *quiet[: MOST_LINES - len(changed)]])


def _map_note(report: DriftReport, findings: list[Finding]) -> str:
    shown, total = len(_lines(report, findings)), len(report.watched)
    words = f"A line for each input, a cell for each of {drift_words.windows_of(report)}"
    if len(report.stops) > MOST_COLUMNS[NARROW]:
        words += " (a cell that covers several windows shows the largest distance)"
    if report.monitor.classes_ is not None:
        words += "; “a | b” is the input a among rows labelled b"
    return f"{words}. {shown:,} of {total:,} distributions are shown." if shown < total else f"{words}."


def _table(report: DriftReport, findings: list[Finding]) -> str:
    rows = [["", "how", "first in", "windows", "distance", "by chance", "p"]]
    for each in findings[:MOST_ROWS]:
        windows = f"{each.n_changed:,} of {each.n_windows:,}"
        windows += f", {each.scale} together" if each.scale > 1 else ""
        place = drift_words.first_window(each, report)
        numbers = [place, windows, f"{each.distance:.3f}", f"{each.expected:.3f}"]
        words = drift_words.what(each, report)
        rows.append([str(each.watched), words, *numbers, drift_words.p_value_text(each.p_value)])
    n_more = len(findings) - MOST_ROWS
    more = note(f"{n_more:,} more are not listed." if n_more > 0 else "")
    about = (
        "The first window that differs; windows that differ, out of those from it on, and how "
        "many had to be taken together if none differs alone; the "
        "largest distance, or that of all rows together if these differ from another file, and the distance "
        "expected there by chance; the probability that a stream without "
        "change ever gives an alarm with a p-value as small as the smallest one."
    )
    return table(rows, kind="words") + more + note(about)


def _picture(report: DriftReport, finding: Finding) -> str:
    k = report.watched.index(finding.watched)
    before, after = shares(report.monitor.reference_histogram(k)), shares(report.counts_after(k))
    names = drift_words.bin_names(finding.watched, report)
    if names is None:
        names = drift_words.numeric_bin_names(drift_words.edges_of(finding.watched, report))
    names = ["missing", *names]
    kept = np.flatnonzero((before + after)[: len(names)] > 0)
    title = f"{finding.watched}: {drift_words.sentence(finding, report)}"
    legend = ("reference", "all rows") if report.reference else ("before", "in the windows that differ")
    picture = bar_pairs([names[i] for i in kept], before[kept], after[kept], title, legend)
    only = "" if before[MISSING] + after[MISSING] < 1.99 else " Nothing but missing values."
    words = text(drift_words.sentence(finding, report) + only)
    return note(Markup(f"<b>{text(finding.watched)}</b>: {words}")) + f"<figure>{picture}</figure>"


def _settings(report: DriftReport) -> str:
    monitor = report.monitor
    entries = {
        "stream": report.stream,
        "rows": f"{report.n_rows:,}, read and compared in {report.seconds:.2f} s",
        "compared": f"{drift_words.compared(report)}; a quarter of the reference only defines the bins",
        "distance": "".join(DISTANCES.get(type(monitor).__name__, (type(monitor).__name__, ""))),
        "watched": f"{len(report.watched):,} distributions",
        "false-alarm rate": f"{percentage(monitor.false_alarms, 'g')} of streams without change",
    }
    return pairs([*entries.items(), *made_by(report.command, report.date)])
