"""`thalweg compare`: several learners on several streams."""

import json as jsons
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thalweg.commands import options
from thalweg.commands.file_options import with_file_options
from thalweg.commands.options import command_line
from thalweg.commands.outputs import check_writable, do_all
from thalweg.commands.wording import in_options

if TYPE_CHECKING:
    from rich.table import Table

    from thalweg._types import Floats
    from thalweg.evaluation import Comparison

HELP = """
Compare learners on streams: accuracy, cost, ranks and tests.

LEARNERS are names, with arguments if need be: see `thalweg list learners`. Classifiers of scikit-learn and
River are written with their modules: `sklearn.linear_model.Perceptron()`. The trivial baselines are always
there. Runs that have ended are kept in the cache folder (THALWEG_CACHE) and not run again.

Examples:

    thalweg compare NaiveBayes HoeffdingTree AdaptiveRandomForest --on sea --on led --seeds 3

    thalweg compare LogisticMixture "NearestNeighbours(n_neighbours=5)" --on prices.csv --report page.html
"""


@with_file_options()
def compare(
    learners: Annotated[list[str], typer.Argument(help="Two or more learners.", show_default=False)],
    on: Annotated[
        list[str], typer.Option(metavar="SOURCE", help="A stream, as for `thalweg run`; repeatable.")
    ],
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each learner on each stream.")] = 1,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes; else one for each processor.")] = None,
    limit: Annotated[float | None, typer.Option(min=0, help="Stop each run after this many seconds.")] = None,
    rows: options.Rows = None,
    delay: options.Delay = "0",
    labels: options.LabelShare = "1",
    report: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write an HTML page here; or a table, as .csv, .md or .tex."),
    ] = None,
    json: options.Json = False,
    data: options.Data = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run again what earlier calls kept.")] = False,
    file_options: Any = None,
) -> None:
    """Compare learners on streams: accuracy, cost, ranks and tests."""
    check_writable(report)
    if report:
        from thalweg.evaluation.comparison.files import check_ending

        check_ending(report)
    found = run(learners, on, seeds, jobs, delay, labels, rows, limit, data, file_options, fresh, quiet=json)
    for result in found.results.values():
        result |= {"error": in_options(result["error"])} if "error" in result else {}
    do_all(lambda: show(found, json), lambda: write_page(found, report, json))
    if found.errors():
        raise typer.Exit(1)


def run(
    learners: Sequence[str], sources: Sequence[str], seeds: int, jobs: int | None, delay: str, labels: str,
    rows: int | None, limit: float | None, data: str | None, file_options: dict[str, Any], fresh: bool,
    quiet: bool,
) -> "Comparison":
    """Return the Comparison of learners on streams, all given as a person writes them."""
    from thalweg.commands.progress import Bar
    from thalweg.commands.run import make_learner, read_delay, read_share
    from thalweg.evaluation import compare

    made = {_short(text, learners): make_learner(text, [], 0) for text in learners}
    with Bar("comparing", "{}", "", quiet, unit="runs") as bar:
        return compare(
            made,
            {_name(source, sources): source for source in sources},
            file_options=file_options,
            seeds=seeds,
            delay=read_delay(delay),
            labels=read_share(labels, None),
            rows=rows,
            limit=limit,
            jobs=jobs,
            fresh=fresh,
            data=data,
            progress=bar.show,
        )


def write_page(found: "Comparison", path: str | None, json: bool) -> None:
    """Write the page of a Comparison if there is a path, and say where it is."""
    if path:
        found.command = command_line()
        found.write(path)
        if not json:
            print(f"{'Page with pictures' if path.lower().endswith(('html', 'htm')) else 'Table'}: {path}")


def show(found: "Comparison", json: bool) -> None:
    """Print a Comparison as tables or as JSON."""
    if json:
        print(jsons.dumps(found.summary()))
        return
    from rich.console import Console

    from thalweg.evaluation.comparison.words import (
        about_errors,
        about_few_streams,
        about_kept,
        accuracy_rows,
        pair_rows,
        verdict,
    )
    from thalweg.evaluation.formatting import without_label

    console = Console()
    accuracies = accuracy_rows(found, lambda each: f"{each} *" if each.is_best else str(each))
    for part in _cut(accuracies, console.width):
        console.print(grid("Accuracy, per cent", part))
    console.print(f"{about_errors(found)} * marks the best.", highlight=False)
    console.print(grid("Cost", _costs(found)))
    tests, notes = found.tests(), []
    if tests["wins"] is not None:
        rows = pair_rows(found, tests)[: len(found.learners)]
        console.print(grid("The best against the others, by streams", rows))
        notes = [about_few_streams(found)]
    unlabelled = [f"{name}: {without_label(n)}, not scored" for name, n in found.unlabelled().items()]
    notes = [*notes, about_kept(found, "--fresh"), verdict(found), *unlabelled]
    for line in filter(None, notes):
        console.print(line, highlight=False, markup=False)
    for name, message in found.errors().items():
        console.print(f"{name} failed: {message}", highlight=False, markup=False)


def _short(text: str, texts: Sequence[str]) -> str:
    """Return the name of a learner without its module and arguments, if no other has it."""
    name = _bare(text)
    return name if sum(_bare(other) == name for other in texts) == 1 else text


def _bare(text: str) -> str:
    return text.partition("(")[0].strip().rpartition(".")[2]


def _name(source: str, sources: Sequence[str]) -> str:
    """Return the file name of a path, if no other source has it."""
    name = source.replace("\\", "/").rpartition("/")[2]
    return name if sum(other.replace("\\", "/").endswith(name) for other in sources) == 1 else source


def _costs(found: "Comparison") -> list[list[str]]:
    from thalweg.evaluation.comparison.words import KEPT_MARK
    from thalweg.evaluation.formatting import formatted

    speed, memory, kept = found.table("rows_per_second"), found.table("memory"), found.kept()
    rows = [["", "rows/s, slowest", "fastest", "memory, most, kB"]]
    for m, name in enumerate(found.learners):
        figures = *_least_and_most(speed[:, m]), _least_and_most(memory[:, m])[1] / 1e3
        cells = [formatted(value, ",.0f") for value in figures]
        if kept[:, m].any():
            cells[:2] = [f"{cell} {KEPT_MARK}" for cell in cells[:2]]
        rows.append([name, *cells])
    return rows


def _least_and_most(values: "Floats") -> tuple[float, float]:
    """Return the smallest and the largest of the values that are known; NaN if none is."""
    known = values[values == values]
    return (known.min(), known.max()) if len(known) else (math.nan, math.nan)


def _cut(rows: list[list[str]], width: int) -> list[list[list[str]]]:
    """Return a table as several beside which the names of the learners are repeated, each at most `width`."""
    widths = [max(len(row[j]) for row in rows) + 3 for j in range(len(rows[0]))]
    parts: list[list[int]] = [[]]
    used = widths[0] + 1
    for j in range(1, len(widths)):
        if parts[-1] and used + widths[j] > width:
            parts, used = [*parts, []], widths[0] + 1
        parts[-1].append(j)
        used += widths[j]
    return [[[row[0], *(row[j] for j in part)] for row in rows] for part in parts]


def grid(title: str, rows: list[list[str]]) -> "Table":
    """Return a table for the terminal; the first of `rows` has the titles of the columns."""
    from rich.table import Table

    made = Table(title=title, title_justify="left")
    for i, cell in enumerate(rows[0]):
        made.add_column(cell, justify="left" if i == 0 else "right")
    for row in rows[1:]:
        made.add_row(*row)
    return made
