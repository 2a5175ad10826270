"""`thalweg compare`: several learners on several streams."""

import json as jsons
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thalweg._learner_text import make_learner
from thalweg.commands import options
from thalweg.commands.costs_file import read_costs
from thalweg.commands.file_options import with_file_options
from thalweg.commands.outputs import (
    PAGE_SUFFIXES,
    check_writable,
    columns_are_shown,
    do_all,
    terminal,
    write_file,
)
from thalweg.commands.progress import Bar
from thalweg.commands.wording import in_options

if TYPE_CHECKING:
    from rich.table import Table

    from thalweg._types import Floats
    from thalweg.evaluation import Comparison


@with_file_options(order=True)
def compare(
    learners: Annotated[list[str], typer.Argument(help="Two or more learners.", show_default=False)],
    on: Annotated[
        list[str], typer.Option(metavar="SOURCE", help="A stream, as for `thalweg run`; repeatable.")
    ],
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each learner on each stream.")] = 1,
    jobs: options.Jobs = -1,
    limit: Annotated[float | None, typer.Option(min=0, help="Stop each run after this many seconds.")] = None,
    rows: options.Rows = None,
    delay: options.Delay = "0",
    label_share: options.LabelShare = "1",
    label_budget: options.LabelBudget = None,
    report: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write an HTML page here; or a table, as .csv, .md or .tex."),
    ] = None,
    costs: options.Costs = None,
    positive: options.Positive = None,
    csv_safe: options.CsvSafe = False,
    json: options.Json = False,
    data: options.Data = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run again what earlier calls kept.")] = False,
    file_options: Any = None,
) -> None:
    """Compare learners on streams: accuracy, cost, ranks and tests.

    LEARNERS are names, with arguments if need be: see `thalweg list learners`. Classifiers of scikit-learn
    and River are written with their modules: `sklearn.linear_model.Perceptron()`. The trivial baselines are
    always there. Runs that have ended are kept in the cache folder (THALWEG_CACHE) and not run again.

    Examples:

        thalweg compare NaiveBayes HoeffdingTree AdaptiveRandomForest --on sea --on led --seeds 3

        thalweg compare LogisticMixture "NearestNeighbours(n_neighbours=5)" --on prices.csv --report page.html
    """
    from thalweg import evaluation
    from thalweg.evaluation.comparison.files import check_ending

    check_writable(report, inputs=[*on, costs], data=data)
    if report:
        check_ending(report)
    made = {_short(text, learners): make_learner(text, [], 0) for text in learners}
    with columns_are_shown(), Bar("comparing", "{}", "", json, unit="runs") as bar:
        comparison = evaluation.compare(
            made,
            {_name(source, on): source for source in on},
            file_options=file_options,
            seeds=seeds,
            delay=options.read_delay(delay),
            label_share=options.read_share(label_share),
            label_budget=options.read_budget(label_budget),
            rows=rows,
            limit=limit,
            n_jobs=jobs,
            fresh=fresh,
            data=data,
            progress=bar.show,
            costs=read_costs(costs),
            positive=positive,
        )
    comparison.command = options.command_line()
    for result in comparison.results.values():
        result |= {"error": in_options(result["error"])} if "error" in result else {}
    is_page = report is not None and report.lower().endswith(PAGE_SUFFIXES)
    message = f"{'Page with pictures' if is_page else 'Table'}: {report}"
    do_all(
        lambda: show(comparison, json),
        lambda: write_file(report, lambda path: comparison.write(path, csv_safe=csv_safe), message, json),
    )
    if comparison.errors():
        raise typer.Exit(1)


def show(comparison: "Comparison", json: bool) -> None:
    """Print a Comparison as tables or as JSON."""
    if json:
        print(jsons.dumps(comparison.summary()))
        return
    from thalweg.evaluation.comparison import words
    from thalweg.evaluation.formatting import without_label
    from thalweg.evaluation.stretches import ACCURACY, about_sorted

    console = terminal()
    accuracies = words.accuracy_rows(comparison, lambda each: f"{each} *" if each.is_best else str(each))
    for part in _cut(accuracies, console.width):
        console.print(grid("Accuracy, per cent", part))
    console.print(f"{words.about_errors(comparison)} * marks the best.")
    console.print(grid("Cost", _costs(comparison)))
    tests, notes = comparison.tests(), []
    if tests["wins"] is not None:
        rows = words.pair_rows(comparison, tests)[: len(comparison.learners)]
        console.print(grid("The best against the others, by streams", rows))
        notes = [words.about_few_streams(comparison)]
    missing = comparison.unlabelled().items()
    unlabelled = [f"{name}: {without_label(n)}, not scored" for name, n in missing]
    notes = [*notes, words.about_kept(comparison, "--fresh"), words.verdict(comparison), *unlabelled]
    notes += [f"{name}: {about_sorted(ACCURACY)}." for name in comparison.sorted_by_label()]
    for line in filter(None, notes):
        console.print(line)
    for name, message in comparison.errors().items():
        console.print(f"{name} failed: {message}")


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


def _costs(comparison: "Comparison") -> list[list[str]]:
    from thalweg.evaluation.comparison.words import KEPT_MARK
    from thalweg.evaluation.formatting import formatted

    speed, memory = comparison.table("rows_per_second"), comparison.table("memory")
    kept = comparison.kept()
    rows = [["", "rows/s, slowest", "fastest", "memory, most, kB"]]
    for m, name in enumerate(comparison.learners):
        costs = *_least_and_most(speed[:, m]), _least_and_most(memory[:, m])[1] / 1e3
        texts = [formatted(value, ",.0f") for value in costs]
        if kept[:, m].any():
            texts[:2] = [f"{text} {KEPT_MARK}" for text in texts[:2]]
        rows.append([name, *texts])
    return rows


def _least_and_most(values: "Floats") -> tuple[float, float]:
    """Return the smallest and the largest of the values that are known; NaN if none is."""
    known = values[values == values]
    return (known.min(), known.max()) if len(known) else (math.nan, math.nan)


def _cut(rows: list[list[str]], width: int) -> list[list[list[str]]]:
    """Cut a table into tables of at most `width` characters; each repeats the first column."""
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
    for i, name in enumerate(rows[0]):
        made.add_column(name, justify="left" if i == 0 else "right")
    for row in rows[1:]:
        made.add_row(*row)
    return made
