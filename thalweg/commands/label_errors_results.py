"""Rows whose labels look wrong: shown in the terminal, and written to a page and a CSV file."""

import csv
import json as jsons
from itertools import accumulate
from typing import TYPE_CHECKING

from thalweg._atomic_file import replacing_text
from thalweg._escaping import in_spreadsheet
from thalweg.commands.options import command_line
from thalweg.commands.outputs import column_lines, do_all, terminal, write_file
from thalweg.commands.wording import word_for_command
from thalweg.evaluation.pages import label_errors_page
from thalweg.evaluation.wrong_labels.find import LabelErrors
from thalweg.evaluation.wrong_labels.row_cells import as_text
from thalweg.evaluation.wrong_labels.words import ASSUMPTION, Lines, headline
from thalweg.streams.base import Stream
from thalweg.streams.files.kept_cells import free_names

if TYPE_CHECKING:
    from rich.table import Table

SHOWN, SHOWN_COLUMNS, SHOWN_CHARACTERS, LEAST_CHARACTERS = 20, 5, 30, 10
TITLES_SHOWN = ("row", "doubt", "label", "believed")
TITLES = ("row", "doubt", "likelihood", "label", "believed")


def show_and_write(
    found: LabelErrors, stream: Stream, source: str, top: int | None, page: str | None, save: str | None,
    json: bool, csv_safe: bool = False,
) -> None:
    """Print the label errors in words or as JSON; write the CSV file and the page if there are paths."""
    lines = Lines(found, stream, top)
    word_for_command(lines)

    def write_page(path: str) -> None:
        label_errors_page.write(lines, source, path, command_line())

    saved = f"{len(lines.rows):,} rows saved: {save}"
    do_all(
        lambda: print_rows(lines, json),
        lambda: write_file(save, lambda path: write_csv(lines, path, csv_safe), saved, json),
        lambda: write_file(page, write_page, f"Page: {page}", json),
    )


def print_rows(lines: Lines, json: bool) -> None:
    """Print the label errors in words or as JSON."""
    if json:
        print(jsons.dumps(lines.to_plain()))
        return
    console = terminal()
    console.print(headline(lines.label_errors))
    if len(lines.rows):
        console.print(table(lines, console.width))
    for line in (ASSUMPTION, closing(lines)):
        console.print(line)
    for line in column_lines(lines.columns):
        console.print(line, soft_wrap=True)


def table(lines: Lines, width: int) -> "Table":
    """Return the likeliest label errors as a table of `width` characters.

    It has the columns that are kept, uncut, and as many of the others as there is room for.
    """
    from rich.table import Table

    n, doubt = min(len(lines.rows), SHOWN), lines.label_errors.doubt
    n_whole = len(TITLES_SHOWN) + lines.n_kept
    most = len(TITLES_SHOWN) + max(SHOWN_COLUMNS, lines.n_kept)
    texts = [[*TITLES_SHOWN, *lines.shown_names]]
    texts += [
        [f"{lines.numbers[i]:,}", f"{doubt[i]:.2f}", lines.label(i), lines.believed(i), *lines.texts(i)]
        for i in lines.rows[:n]
    ]
    columns = [[shortened(text) for text in column] for column in zip(*texts, strict=True)][:most]
    widths = [max(map(len, column)) for column in columns]
    widths[n_whole:] = [min(width, LEAST_CHARACTERS) for width in widths[n_whole:]]
    n_fitting = sum(total < width for total in accumulate(each + 3 for each in widths))
    shown = Table(title=f"The {n} likeliest label errors" if n > 1 else "The likeliest label error")
    columns = columns[: max(n_whole, n_fitting)]
    for j, column in enumerate(columns):
        shown.add_column(column[0], min_width=widths[j])
    for row in list(zip(*columns, strict=True))[1:]:
        shown.add_row(*row)
    return shown


def shortened(text: str) -> str:
    """Return a text of one line that a terminal has room for."""
    text = " ".join(text.split())
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[: SHOWN_CHARACTERS - 1]}…"


def closing(lines: Lines) -> str:
    """Return the line below the table."""
    found = lines.label_errors
    weights = ", ".join(f"{name} {weight:.1f}" for name, weight in found.weights.items())
    return f"{lines.counted} in {found.seconds:.2f} s; weights of the models: {weights}."


def write_csv(lines: Lines, path: str, csv_safe: bool = False) -> None:
    """Write the label errors, the likeliest first, with all cells of the file."""
    escape = in_spreadsheet if csv_safe else str
    doubt, likelihood = lines.label_errors.doubt, lines.label_errors.likelihood
    with replacing_text(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*TITLES, *map(escape, free_names(lines.names, TITLES))])
        for i in lines.rows:
            numbers = [lines.numbers[i], f"{doubt[i]:.4f}", f"{likelihood[i]:.4g}"]
            texts = lines.label(i), lines.believed(i), *map(as_text, lines.cells(i).values())
            writer.writerow([*numbers, *map(escape, texts)])
