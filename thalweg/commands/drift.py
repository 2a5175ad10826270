"""What `thalweg drift` does: opens the stream, watches it, shows what changed."""

import json as jsons
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from thalweg import drift
from thalweg._misspelt import hint
from thalweg.commands.options import command_line
from thalweg.commands.outputs import column_lines, do_all
from thalweg.commands.progress import Bar
from thalweg.commands.wording import word_for_command
from thalweg.evaluation.drift.report import DriftReport, Finding
from thalweg.evaluation.drift.whole_days import DayOfRow, days_in
from thalweg.streams.base import Stream
from thalweg.streams.columns.columns import CATEGORY, DATE, FLAG, NUMBER, TEXT
from thalweg.streams.files.stream import FileStream
from thalweg.streams.named import is_file, open_stream

if TYPE_CHECKING:
    from rich.table import Table

WINDOW, LEAST_WINDOW, N_WINDOWS = 1000, 50, 20
LEAST_SPANS, MOST_ROWS = 4, 500_000  # windows of days or weeks: how many, and rows that are in memory
OF_COLUMNS = {"target", "labels", "categorical", "numeric", "date", "text", "ignore", "classes", "n_words",
              "date_parts", "scan_labels"}
METHODS = {"hellinger": "HellingerMonitor", "ks": "KolmogorovSmirnovMonitor", "psi": "StabilityMonitor"}


def watch(
    source: str, labels: bool, reference: str | None, window: str | None, method: str, false_alarms: float,
    rows: int | None, seed: int, data: str | None, file_options: dict[str, Any], quiet: bool,
    other: str | None = None,
) -> DriftReport:
    """Return the DriftReport of `source`, or of `other` compared with it, all given as a person writes it."""
    from thalweg.evaluation import watch

    if method not in METHODS:
        raise ValueError(f"--method {method}: there is no such method; {hint(method, METHODS, 'methods')}")
    if other is not None and reference is not None:
        raise ValueError(f"--reference {reference}: all rows of {source} are the reference of {other}")
    if is_file(source):
        # A text has too many inputs to watch each.
        usual = {"labels": labels, "date_parts": ("elapsed", "time", "weekday")}
        file_options = usual | ({} if "text" in file_options else {"n_words": 0}) | file_options
    stream = open_stream(source, rows=rows, seed=seed, data=data, **file_options)
    flags_as_numbers(stream)
    left_out: dict[str, str] = {}
    first: Stream | None = None
    if other is not None:
        first = stream
        stream, left_out = second_stream(other, first, rows, seed, data, file_options)
    span, n_rows, n_reference = lengths(window, reference, stream, first, rows)
    monitor = drift.monitor_registry.load(METHODS[method])(
        reference=n_reference, window=n_rows, false_alarms=false_alarms
    )
    chosen = first if first is not None else reference if span and reference else None
    with Bar(f"watching {other or source}", "{} changed", 0, quiet) as bar:
        report = watch(stream, monitor, labels, rows, bar.show, reference=chosen, windows=span)
    report.left_out |= left_out
    report.command = command_line()
    return report


def lengths(
    window: str | None, reference: str | None, stream: Any, first: Any, rows: int | None
) -> tuple[str | None, int, int]:
    """Return the span of windows if it is one of days, and the rows of a window and of the reference."""
    span = n_reference = None
    if window is None and reference is None:
        span = usual_span(stream, first, rows)
    elif window is not None and days_in(window):
        span = window
    n_rows = None if span or window is None else read_rows("--window", window, 20)
    if reference is not None and not (span and days_in(reference)):
        if span:
            raise ValueError(f"--reference {reference}: give days or weeks, as --window {window} does")
        n_reference = read_rows("--reference", reference, 40)
    n_rows = n_rows or usual_window(rows or stream.n_rows or length_if_short(stream))
    return span, n_rows, n_reference or 2 * n_rows


def read_rows(option: str, text: str, least: int) -> int:
    """Return a number of rows given as text."""
    if not text.strip().isdigit() or int(text) < least:
        raise ValueError(f"{option} {text}: give a number of rows, at least {least}, or day, week, 2 weeks")
    return int(text)


def second_stream(
    other: str, first: Any, rows: int | None, seed: int, data: str | None, file_options: dict[str, Any]
) -> tuple[Stream, dict[str, str]]:
    """Return the stream `other` with the columns of the first one, and why some of these are left out."""
    if other == "-":
        raise ValueError("standard input can be the reference, the first stream, but not the second")
    if not is_file(other):
        return open_stream(other, rows=rows, seed=seed, data=data), {}
    reading = {name: value for name, value in file_options.items() if name not in OF_COLUMNS}
    alone: Any = open_stream(other, rows=rows, seed=seed, data=data, labels=False, **reading)
    flags_as_numbers(alone)
    found = alone.columns.kinds | {column.name: column.kind for column in alone.inputs}
    told = {*file_options.get("numeric", ()), *file_options.get("date", ())}
    schema, left_out = first.schema(), {}
    for column in schema["columns"]:
        kind = found.get(column["name"]) if column["name"] not in told else column["kind"]
        if column["kind"] in (NUMBER, DATE) and kind in {NUMBER, CATEGORY, DATE, TEXT} - {column["kind"]}:
            left_out[column["name"]] = f"{column['kind']} in {first.name}, {kind} in {other}"
    kept = [each for each in schema["columns"] if each["name"] in found and each["name"] not in left_out]
    if not kept:
        raise ValueError(f"{other} has no column that can be compared with {first.name}")
    labels = file_options.get("labels", True)
    stream = open_stream(
        other, rows=rows, seed=seed, data=data, like=schema | {"columns": kept}, labels=labels, **reading
    )
    return stream, left_out


def usual_span(stream: Any, first: Any, rows: int | None) -> str | None:
    """Return "week" or "day" if the rows have dates and enough of these for windows of them, else None."""
    spans = [days_covered(each, rows) for each in (stream, first) if each is not None]
    known = [span for span in spans if span is not None]
    if len(known) < len(spans):
        return None
    for name, days in (("week", 7), ("day", 1)):
        least = days * (LEAST_SPANS if first is None else LEAST_SPANS // 2)
        if all(n >= least and LEAST_WINDOW <= days * per_day <= MOST_ROWS for n, per_day in known):
            return name
    return None


def days_covered(stream: Any, rows: int | None) -> tuple[float, float] | None:
    """Return about how many days a stream covers and how many rows it has a day; None without dates."""
    if stream.is_once:
        return None
    try:
        day_of_row = DayOfRow(stream)
        X = next(stream.coded_blocks(WINDOW * N_WINDOWS), (np.empty((0, stream.n_features)),))[0]
        days = day_of_row.of(X)
    except ValueError:  # no dates, rows that are not in their order, or a bad row, which is reported later
        return None
    n_rows = rows or stream.n_rows or stream.expected_rows(len(X))
    days = days[np.isfinite(days)]
    if not len(days) or n_rows is None:
        return None
    per_day = len(X) / (days[-1] - days[0] + 1)
    return n_rows / per_day, per_day


def usual_window(n_rows: int | None) -> int:
    """Return 1000 rows, or a twentieth of a short stream."""
    return WINDOW if n_rows is None else max(LEAST_WINDOW, min(WINDOW, n_rows // N_WINDOWS))


def length_if_short(stream: Any) -> int | None:
    """Return the number of rows if a look at the first ones finds the end; None if not or if it cannot."""
    if stream.is_once:
        return None
    n_rows = len(next(stream.coded_blocks(WINDOW * N_WINDOWS), ((), ()))[0])
    return n_rows if n_rows < WINDOW * N_WINDOWS else None


def flags_as_numbers(stream: Any) -> None:
    """Let columns of 0 and 1 be numbers: another value is a change to be reported, not a mistake."""
    for column in stream.inputs if isinstance(stream, FileStream) else ():
        column.kind = NUMBER if column.kind == FLAG else column.kind


def show(report: DriftReport, page: str | None, json: bool, save: str | None = None) -> None:
    """Print a DriftReport in words or as JSON, then write its page and the table of findings if asked."""
    word_for_command(report)
    do_all(
        lambda: print_report(report, json),
        lambda: write_table(report, save, json),
        lambda: write_page(report, page, json),
    )


def write_table(report: DriftReport, path: str | None, json: bool) -> None:
    """Write the findings of a DriftReport as CSV if there is a path, and say where they are."""
    if path:
        from thalweg.evaluation.drift import table as drift_table

        drift_table.write(report, path)
        if not json:
            print(f"Findings: {path}")


def write_page(report: DriftReport, page: str | None, json: bool) -> None:
    """Write the page of a DriftReport if there is a path, and say where it is."""
    if page:
        from thalweg.evaluation.pages import drift_page

        drift_page.write(report, page)
        if not json:
            print(f"Page with pictures: {page}")


def print_report(report: DriftReport, json: bool) -> None:
    """Print a DriftReport in words or as JSON."""
    from thalweg.evaluation.drift import words as drift_words

    if json:
        print(jsons.dumps(drift_words.to_plain(report)))
        return
    from rich.console import Console

    console = Console()
    console.print(drift_words.headline(report), highlight=False, markup=False)
    findings = report.findings
    if findings:
        console.print(table(report, findings))
    for line in closing(report):
        console.print(line, highlight=False, markup=False)
    for line in column_lines(report.columns):
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def table(report: DriftReport, findings: Sequence[Finding], most: int = 30) -> "Table":
    """Return what changed as a table, the surest first."""
    from rich.markup import escape
    from rich.table import Table

    from thalweg.evaluation.drift import words as drift_words

    title = f"The {most} surest of {len(findings):,} changes" if len(findings) > most else None
    shown = Table("", "when, and how", "distance", "by chance", "p", title=title)
    for column in shown.columns[2:]:
        column.justify = "right"
    for each in findings[:most]:
        cells = [str(each.watched), drift_words.sentence(each, report)]
        figures = [f"{each.distance:.3f}", f"{each.expected:.3f}", drift_words.p_value_text(each.p_value)]
        shown.add_row(*map(escape, cells + figures))
    return shown


def closing(report: DriftReport) -> list[str]:
    """Return the lines below the table: the rate, how much was read, what went wrong."""
    from thalweg.evaluation.drift import words as drift_words
    from thalweg.evaluation.formatting import without_label

    lines = drift_words.notes(report)
    lines += [drift_words.rate(report)] if len(report.stops) else []
    lines.append(f"{report.n_rows:,} rows in {report.seconds:.2f} s: {drift_words.compared(report)}.")
    if report.unlabelled:
        lines.append(f"{without_label(report.unlabelled)}.")
    if report.skipped:
        lines.append(f"{report.skipped:,} unreadable rows skipped.")
    if report.interrupted:
        lines.append("Interrupted: this is the result so far.")
    return lines
