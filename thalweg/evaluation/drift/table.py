"""What a monitor found, as a table in a CSV file: a line for each change."""

import csv
from os import PathLike
from pathlib import Path
from typing import Any

from thalweg._atomic_file import replacing_text
from thalweg._escaping import in_spreadsheet
from thalweg.evaluation.drift import words as drift_words
from thalweg.evaluation.drift.report import DriftReport
from thalweg.evaluation.formatting import count

NAMES = (
    "kind", "input", "label", "words", "first_row", "first_window_end_row", "end_row", "windows_changed",
    "windows_since", "distance", "expected_by_chance", "largest_at_row", "p_value", "windows_together",
    "as_a_whole",
)


def write(report: DriftReport, path: str | PathLike[str], csv_safe: bool = False) -> Path:
    """Write the findings of a report to a CSV file, the surest first; return its path.

    The kind of a line is "input", "labels" or "input given label" for a distribution that changed, or "new
    category", "new label", "new column" or "missing column", which have no numbers. With `csv_safe` no text
    is a formula to a spreadsheet.
    """
    with replacing_text(path) as file:
        writer = csv.DictWriter(file, NAMES)
        writer.writeheader()
        for line in lines(report):
            writer.writerow({name: _cell(value, csv_safe) for name, value in line.items()})
    return Path(path)


def _cell(value: Any, csv_safe: bool) -> Any:
    return in_spreadsheet(value) if csv_safe and isinstance(value, str) else value


def lines(report: DriftReport) -> list[dict[str, Any]]:
    """Return the lines of the table."""
    found: list[dict[str, Any]] = list(drift_words.to_plain(report)["changed"])
    for each in report.new_categories:
        words = f"{each.name}, in {count(each.n_rows, 'row')}"
        line = {"kind": "new category", "input": each.input, "words": words, "first_row": each.first_row}
        found.append(line)
    found += [{"kind": "new label", "label": label} for label in report.new_labels]
    found += [{"kind": "new column", "input": name} for name in report.columns_new]
    found += [{"kind": "missing column", "input": name} for name in report.columns_missing]
    return found
