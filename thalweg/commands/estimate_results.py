"""How good a model is now: shown in the terminal, and written to a page and a CSV file."""

import csv
import json as jsons
from typing import TYPE_CHECKING, Any

from thalweg._atomic_file import replacing_text
from thalweg.commands.options import command_line
from thalweg.commands.outputs import do_all, terminal, write_file
from thalweg.evaluation.estimate_words import Found, headline, notes
from thalweg.evaluation.formatting import percentage
from thalweg.evaluation.pages import estimate_page

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["Found", "show_and_write"]
SHOWN = 12


def show_and_write(found: Found, page: str | None, save: str | None, json: bool) -> None:
    """Print an estimate in words or as JSON; write the CSV file and the page if there are paths."""
    do_all(
        lambda: print_found(found, json),
        lambda: write_file(save, lambda path: write_csv(found, path), f"Windows: {save}", json),
        lambda: write_file(
            page, lambda path: estimate_page.write(found, path, command_line()), f"Page: {page}", json
        ),
    )


def print_found(found: Found, json: bool) -> None:
    """Print an estimate in words or as JSON."""
    if json:
        print(jsons.dumps(found.to_plain()))
        return
    console = terminal()
    console.print(headline(found))
    for line in notes(found):
        console.print(line)
    console.print(table(found))


def table(found: Found) -> "Table":
    """Return the latest windows as a table."""
    from rich.table import Table

    windows = found.windows
    n = min(SHOWN, len(windows))
    shown = Table("rows", "labels", "estimate", "interval", "labels say", title=f"The latest {n} windows")
    for column in shown.columns:
        column.justify = "right"
    for i in range(len(windows) - n, len(windows)):
        ends = f"{percentage(windows.low[i], '.1f')} to {percentage(windows.high[i], '.1f')}"
        rows = f"{windows.start[i] + 1:,} to {windows.stop[i]:,}"
        known = percentage(windows.accuracy[i], ".1f")
        shown.add_row(rows, f"{windows.known[i]:,}", percentage(windows.estimate[i], ".1f"), ends, known)
    return shown


def write_csv(found: Found, path: str) -> None:
    """Write a line for each window; an empty cell is a number that is not known."""
    lines: list[dict[str, Any]] = found.windows.to_plain()
    with replacing_text(path) as file:
        writer = csv.DictWriter(file, [*lines[0]], lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
