"""Changes found by `thalweg drift`: shown in the terminal, and written to a page and a CSV file."""

import json as jsons
from collections.abc import Sequence
from typing import TYPE_CHECKING

from thalweg.commands.outputs import column_lines, do_all, terminal, write_file
from thalweg.commands.wording import word_for_command
from thalweg.evaluation.drift import words as drift_words
from thalweg.evaluation.drift.report import DriftReport, Finding
from thalweg.evaluation.formatting import without_label

if TYPE_CHECKING:
    from rich.table import Table


def show_and_write(
    report: DriftReport, page: str | None, json: bool, save: str | None = None, csv_safe: bool = False
) -> None:
    """Print a DriftReport in words or as JSON; write its CSV file and its page if there are paths."""
    word_for_command(report)

    def write_table(path: str) -> None:
        from thalweg.evaluation.drift import table  # it takes scikit-learn

        table.write(report, path, csv_safe)

    def write_page(path: str) -> None:
        from thalweg.evaluation.pages import drift_page

        drift_page.write(report, path)

    do_all(
        lambda: print_report(report, json),
        lambda: write_file(save, write_table, f"Findings: {save}", json),
        lambda: write_file(page, write_page, f"Page with pictures: {page}", json),
    )


def print_report(report: DriftReport, json: bool) -> None:
    """Print a DriftReport in words or as JSON."""
    if json:
        print(jsons.dumps(drift_words.to_plain(report)))
        return
    console = terminal()
    console.print(drift_words.headline(report))
    if report.findings:
        console.print(table(report, report.findings))
    for line in closing(report):
        console.print(line)
    for line in column_lines(report.columns):
        console.print(line, soft_wrap=True)


def table(report: DriftReport, findings: Sequence[Finding], most: int = 30) -> "Table":
    """Return what changed as a table, the surest first."""
    from rich.table import Table

    title = f"The {most} surest of {len(findings):,} changes" if len(findings) > most else None
    shown = Table("", "when, and how", "distance", "by chance", "p", title=title)
    for column in shown.columns[2:]:
        column.justify = "right"
    for each in findings[:most]:
        words = [str(each.watched), drift_words.sentence(each, report)]
        numbers = [f"{each.distance:.3f}", f"{each.expected:.3f}", drift_words.p_value_text(each.p_value)]
        shown.add_row(*words, *numbers)
    return shown


def closing(report: DriftReport) -> list[str]:
    """Return the lines below the table: the rate, how much was read, what went wrong."""
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
