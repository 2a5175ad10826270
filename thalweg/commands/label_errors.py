"""What `thalweg outliers` does: opens the stream, looks for labels that look wrong, shows and saves them."""

import csv
import json as jsons
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thalweg.commands.options import command_line
from thalweg.commands.outputs import column_lines, do_all
from thalweg.commands.progress import Bar
from thalweg.commands.wording import word_for_command
from thalweg.evaluation.label_errors.find import Suspicions
from thalweg.evaluation.label_errors.words import Lines
from thalweg.streams.base import Stream
from thalweg.streams.files.kept_cells import free_names
from thalweg.streams.named import open_stream

if TYPE_CHECKING:
    from rich.table import Table

SHOWN, SHOWN_COLUMNS, SHOWN_CHARACTERS, LEAST_CHARACTERS = 20, 5, 30, 10
FIGURES_SHOWN = 4  # row, doubt, label, believed
FIGURES = ("row", "doubt", "likelihood", "label", "believed")


def look(
    source: str, learners: Sequence[str], rows: int | None, seed: int, data: str | None,
    file_options: dict[str, Any], quiet: bool,
) -> tuple[Suspicions, Stream]:
    """Return the Suspicions of a stream and the stream, all given as a person writes it."""
    from thalweg.commands.run import make_learner
    from thalweg.evaluation.label_errors.find import suspicious_in_stream

    made = [make_learner(name, [], seed) for name in learners] or None
    stream = open_stream(source, rows=rows, seed=seed, data=data, **file_options)
    with Bar(f"reading {source}", "{}", "", quiet, unit="models") as bar:
        return suspicious_in_stream(
            stream, made, seed, lambda done, total: bar.show(done, total, ""), rows
        ), stream


def show(
    found: Suspicions, stream: Stream, source: str, top: int | None, page: str | None, save: str | None,
    json: bool,
) -> None:
    """Print the suspicious rows in words or as JSON; then write the CSV file and the page if asked."""
    from thalweg.evaluation.label_errors.words import Lines

    lines = Lines(found, stream, top)
    word_for_command(lines)
    do_all(
        lambda: print_rows(lines, json),
        lambda: save_rows(lines, save, json),
        lambda: write_page(lines, source, page, json),
    )


def save_rows(lines: Lines, path: str | None, json: bool) -> None:
    """Write the CSV file if there is a path, and say where it is."""
    if path:
        write_csv(lines, path)
        if not json:
            print(f"{len(lines.rows):,} rows saved: {path}")


def write_page(lines: Lines, source: str, path: str | None, json: bool) -> None:
    """Write the page if there is a path, and say where it is."""
    if path:
        from thalweg.evaluation.pages import label_errors_page as outliers_page

        outliers_page.write(lines, source, path, command_line())
        if not json:
            print(f"Page: {path}")


def print_rows(lines: Lines, json: bool) -> None:
    """Print the suspicious rows in words or as JSON."""
    from thalweg.evaluation.label_errors.words import ASSUMPTION, headline

    found = lines.suspicions
    if json:
        print(jsons.dumps(lines.to_plain()))
        return
    from rich.console import Console

    console = Console()
    console.print(headline(found), highlight=False, markup=False)
    if len(lines.rows):
        console.print(table(lines, console.width))
    for line in (ASSUMPTION, closing(lines)):
        console.print(line, highlight=False, markup=False)
    for line in column_lines(lines.columns):
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def table(lines: Lines, width: int) -> "Table":
    """Return the most suspicious rows as a table of `width` characters.

    It has the columns that are kept, uncut, and as many of the others as there is room for.
    """
    from rich.markup import escape
    from rich.table import Table

    n, doubt = min(len(lines.rows), SHOWN), lines.suspicions.doubt
    most = FIGURES_SHOWN + max(SHOWN_COLUMNS, lines.n_kept)
    texts = [["row", "doubt", "label", "believed", *lines.shown_names]]
    texts += [
        [f"{lines.numbers[i]:,}", f"{doubt[i]:.2f}", lines.label(i), lines.believed(i), *lines.texts(i)]
        for i in lines.rows[:n]
    ]
    columns = [[shortened(text) for text in column] for column in zip(*texts, strict=True)][:most]
    n_whole = FIGURES_SHOWN + lines.n_kept
    widths = [max(map(len, column)) for column in columns]
    widths[n_whole:] = [min(width, LEAST_CHARACTERS) for width in widths[n_whole:]]
    n_fitting = sum(total < width for total in accumulate(each + 3 for each in widths))
    shown = Table(title=f"The {n} most suspicious" if n > 1 else "The most suspicious")
    columns = columns[: max(n_whole, n_fitting)]
    for j, column in enumerate(columns):
        shown.add_column(escape(column[0]), min_width=widths[j])
    for cells in list(zip(*columns, strict=True))[1:]:
        shown.add_row(*map(escape, cells))
    return shown


def shortened(text: str) -> str:
    """Return a text of one line that a terminal has room for."""
    text = " ".join(text.split())
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[: SHOWN_CHARACTERS - 1]}…"


def closing(lines: Lines) -> str:
    """Return the line below the table."""
    found = lines.suspicions
    weights = ", ".join(f"{name} {weight:.1f}" for name, weight in found.weights.items())
    return f"{lines.counted} in {found.seconds:.2f} s; weights of the models: {weights}."


def write_csv(lines: Lines, path: str) -> None:
    """Write the suspicious rows, most suspicious first, with all cells of the file."""
    from thalweg.evaluation.label_errors.row_cells import as_text

    doubt, likelihood = lines.suspicions.doubt, lines.suspicions.likelihood
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*FIGURES, *free_names(lines.names, FIGURES)])
        for i in lines.rows:
            figures = [lines.numbers[i], f"{doubt[i]:.4f}", f"{likelihood[i]:.4g}"]
            cells = map(as_text, lines.cells(i).values())
            writer.writerow([*figures, lines.label(i), lines.believed(i), *cells])
