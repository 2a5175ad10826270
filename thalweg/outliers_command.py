"""What `thalweg outliers` does: opens the stream, looks for labels that look wrong, shows and saves them."""

import csv
import json as jsons
from pathlib import Path

from thalweg.options import command_line
from thalweg.outputs import do_all
from thalweg.progress_bar import Bar
from thalweg.streams.named import open_stream
from thalweg.wording import word_for_command

SHOWN, SHOWN_INPUTS = 20, 5


def look(source, learners, rows, seed, data, file_options, quiet):
    """Return the Suspicions of a stream and the stream, all given as a person writes it."""
    from thalweg.evaluation.suspicions import suspicious_in_stream
    from thalweg.run_command import make_learner

    made = [make_learner(name, [], seed) for name in learners] or None
    stream = open_stream(source, rows=rows, seed=seed, data=data, **file_options)
    with Bar(f"reading {source}", "{}", "", quiet, unit="opinions") as bar:
        return suspicious_in_stream(
            stream, made, seed, lambda done, total: bar.show(done, total, ""), rows
        ), stream


def show(found, stream, source, top, page, save, json):
    """Print the suspicious rows in words or as JSON; then write the CSV file and the page if asked."""
    from thalweg.evaluation.suspicious_rows import Lines

    lines = Lines(found, stream, top)
    word_for_command(lines)
    do_all(
        lambda: print_rows(lines, json),
        lambda: save_rows(lines, save, json),
        lambda: write_page(lines, source, page, json),
    )


def save_rows(lines, path, json):
    """Write the CSV file if there is a path, and say where it is."""
    if path:
        write_csv(lines, path)
        if not json:
            print(f"{len(lines.rows):,} rows saved: {path}")


def write_page(lines, source, path, json):
    """Write the page if there is a path, and say where it is."""
    if path:
        from thalweg.evaluation import outliers_page

        outliers_page.write(lines, source, path, command_line())
        if not json:
            print(f"Page: {path}")


def print_rows(lines, json):
    """Print the suspicious rows in words or as JSON."""
    from thalweg.evaluation.suspicious_rows import headline, reliability
    from thalweg.run_command import column_lines

    found = lines.found
    if json:
        print(jsons.dumps(lines.to_plain()))
        return
    from rich.console import Console

    console = Console()
    console.print(headline(found), highlight=False, markup=False)
    if len(lines.rows):
        console.print(table(lines))
    for line in (reliability(found), closing(lines)):
        console.print(line, highlight=False, markup=False)
    for line in column_lines(lines.columns):
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def table(lines):
    """Return the most suspicious rows as a table."""
    from rich.markup import escape
    from rich.table import Table

    names = lines.names[:SHOWN_INPUTS]
    n, doubt = min(len(lines.rows), SHOWN), lines.found.doubt
    title = f"The {n} most suspicious" if n > 1 else "The most suspicious"
    shown = Table("row", "doubt", "label", "believed", *map(escape, names), title=title)
    for i in lines.rows[:n]:
        cells = [f"{i + 1:,}", f"{doubt[i]:.2f}", lines.label(i), lines.believed(i)]
        shown.add_row(*map(escape, cells + lines.values(i)[:SHOWN_INPUTS]))
    return shown


def closing(lines):
    """Return the line below the table."""
    found = lines.found
    opinions = ", ".join(f"{name} {weight:.1f}" for name, weight in found.weights.items())
    return f"{len(found.codes):,} rows in {found.seconds:.2f} s; weights of the opinions: {opinions}."


def write_csv(lines, path):
    """Write the suspicious rows, most suspicious first, with their inputs."""
    doubt, likelihood = lines.found.doubt, lines.found.likelihood
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["row", "doubt", "likelihood", "label", "believed", *lines.names])
        for i in lines.rows:
            figures = [f"{doubt[i]:.4f}", f"{likelihood[i]:.4g}"]
            writer.writerow([i + 1, *figures, lines.label(i), lines.believed(i), *lines.values(i)])
