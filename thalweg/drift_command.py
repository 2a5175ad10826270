"""What `thalweg drift` does: opens the stream, watches it, shows what changed."""

import json as jsons

from thalweg import drift
from thalweg._misspelt import hint
from thalweg.options import command_line
from thalweg.outputs import do_all
from thalweg.progress_bar import Bar
from thalweg.streams.columns import FLAG, NUMBER
from thalweg.streams.named import is_file, open_stream
from thalweg.wording import word_for_command

WINDOW, LEAST_WINDOW, N_WINDOWS = 1000, 50, 20
METHODS = {"hellinger": "HellingerMonitor", "ks": "KolmogorovSmirnovMonitor", "psi": "StabilityMonitor"}


def watch(source, labels, reference, window, method, false_alarms, rows, seed, data, file_options, quiet):
    """Return the DriftReport of a stream, all given as a person writes it."""
    from thalweg.evaluation import watch

    if method not in METHODS:
        raise ValueError(f"--method {method}: there is no such method; {hint(method, METHODS, 'methods')}")
    if is_file(source):
        # Elapsed time and months always change, and a text has too many inputs to watch each.
        usual = {"labels": labels, "date_parts": ("time", "weekday")}
        file_options = usual | ({} if "text" in file_options else {"n_words": 0}) | file_options
    stream = open_stream(source, rows=rows, seed=seed, data=data, **file_options)
    flags_as_numbers(stream)
    window = window or usual_window(rows or stream.n_rows or length_if_short(stream))
    monitor = drift.monitor_registry.load(METHODS[method])(
        reference=reference or 2 * window, window=window, false_alarms=false_alarms
    )
    with Bar(f"watching {source}", "{} changed", 0, quiet) as bar:
        return watch(stream, monitor, labels=labels, rows=rows, progress=bar.show)


def usual_window(n_rows):
    """Return 1000 rows, or a twentieth of a short stream."""
    return WINDOW if n_rows is None else max(LEAST_WINDOW, min(WINDOW, n_rows // N_WINDOWS))


def length_if_short(stream):
    """Return the number of rows if a look at the first ones finds the end; None if not or if it cannot."""
    if stream.source.once:
        return None
    n_rows = len(next(stream.coded_blocks(WINDOW * N_WINDOWS), ((), ()))[0])
    return n_rows if n_rows < WINDOW * N_WINDOWS else None


def flags_as_numbers(stream):
    """Let columns of 0 and 1 be numbers: another value is a change to be reported, not a mistake."""
    for column in getattr(stream, "inputs", ()):
        column.kind = NUMBER if column.kind == FLAG else column.kind


def show(report, page, json):
    """Print a DriftReport in words or as JSON, then write its page if asked."""
    word_for_command(report)
    do_all(lambda: print_report(report, json), lambda: write_page(report, page, json))


def write_page(report, page, json):
    """Write the page of a DriftReport if there is a path, and say where it is."""
    if page:
        from thalweg.evaluation import drift_page

        report.command = command_line()
        drift_page.write(report, page)
        if not json:
            print(f"Page with pictures: {page}")


def print_report(report, json):
    """Print a DriftReport in words or as JSON."""
    from thalweg.evaluation import drift_words

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


def table(report, findings, most=30):
    """Return what changed as a table, the surest first."""
    from rich.markup import escape
    from rich.table import Table

    from thalweg.evaluation import drift_words

    title = f"The {most} surest of {len(findings):,} changes" if len(findings) > most else None
    shown = Table("", "when, and how", "distance", "by chance", "p", title=title)
    for column in shown.columns[2:]:
        column.justify = "right"
    for each in findings[:most]:
        cells = [str(each.watched), drift_words.sentence(each, report)]
        figures = [f"{each.distance:.3f}", f"{each.expected:.3f}", drift_words.p_value_text(each.p_value)]
        shown.add_row(*map(escape, cells + figures))
    return shown


def closing(report):
    """Return the lines below the table: the rate, what was read, what went wrong."""
    from thalweg.evaluation import drift_words
    from thalweg.evaluation.figures import without_label

    monitor = report.monitor
    lines = [drift_words.rate(report)] if len(report.stops) else []
    lines.append(
        f"{report.n_rows:,} rows in {report.seconds:.2f} s: {len(report.stops):,} windows of "
        f"{monitor.window:,} rows, compared with the first {monitor.reference:,}."
    )
    if report.unlabelled:
        lines.append(f"{without_label(report.unlabelled)}.")
    if report.skipped:
        lines.append(f"{report.skipped:,} unreadable rows skipped.")
    if report.columns is not None:
        lines += [f"{kind:9} {names}" for kind, names in report.columns.in_words()]
        lines += [f"warning   {warning}" for warning in report.columns.warnings]
    if report.interrupted:
        lines.append("Interrupted: this is the result so far.")
    return lines
