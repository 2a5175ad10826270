"""What came out of a run by key: shown in the terminal, and written to a page and a file."""

import json as jsons
from pathlib import Path
from typing import Any

from thalweg.commands.options import command_line
from thalweg.commands.outputs import do_all, terminal, write_file
from thalweg.keyed import KeyedRun, page
from thalweg.keyed.figures import KeyFigures
from thalweg.keyed.sinks import write_file as write_table

SHOWN = 5


def show_and_write(
    run: KeyedRun, source: str, report: str | None, table: str | None, json: bool, csv_safe: bool = False
) -> None:
    """Print the figures of keys in words or as JSON; write the page and the table if there are paths."""
    figures = run.figures()
    do_all(
        lambda: print_figures(run, figures, json),
        lambda: write_file(
            table, lambda path: write_table(Path(path), [figures.table()], csv_safe), f"Figures: {table}",
            json,
        ),
        lambda: write_file(
            report, lambda path: page.write(run, figures, path, source, command_line()),
            f"Page: {report}", json,
        ),
    )


def print_figures(run: KeyedRun, figures: KeyFigures, json: bool) -> None:
    """Print the figures of keys in words or as JSON."""
    if json:
        print(jsons.dumps(to_plain(run, figures), default=str))
        return
    console = terminal()
    console.print(page.headline(run, figures))
    for status, n in run.counts.items():
        console.print(f"{status:10}{n:12,}  {page.MEANINGS[status]}")
    for problem in figures.problems:
        console.print(f"refused   {problem}")
    if figures.is_id:
        console.print(f"warning   {page.IS_ID}")
    for title, about, rows in page.parts_of(figures, SHOWN):
        if rows:
            console.print(_table(title, about, rows, figures))


def _table(title: str, about: str, rows: list[dict[str, Any]], figures: KeyFigures) -> Any:
    from rich.table import Table

    made = Table(*page.head_of(figures), title=title, caption=about)
    for column in made.columns[1:]:
        column.justify = "right"
    for row in rows:
        made.add_row(*page.cells_of(row, figures))
    return made


def to_plain(run: KeyedRun, figures: KeyFigures) -> dict[str, Any]:
    """Return the figures as plain data."""
    n_new, new = figures.new()
    n_silent, silent = figures.silent()
    return {
        "events": run.n_rows, "keys": run.n_keys, "statuses": run.counts,
        "key": list(run.operator.key_columns),
        "labels": int(figures.n_scored.sum()), **figures.overall(), "key_is_id": figures.is_id,
        "best": figures.best(), "worst": figures.worst(), "n_new": n_new, "new": new, "n_silent": n_silent,
        "silent": silent, "problems": figures.problems,
    }  # fmt: skip
