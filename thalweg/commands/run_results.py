"""The results of a run: shown in the terminal, and written to a page and a model file."""

import json as jsons
import math
from typing import TYPE_CHECKING

from thalweg._types import Ints
from thalweg.commands.outputs import column_lines, do_all, say, terminal, write_file
from thalweg.errors import first_of
from thalweg.evaluation import notable, report, set_metrics
from thalweg.evaluation.baselines import BASELINES
from thalweg.evaluation.formatting import percentage, points, without_label
from thalweg.evaluation.history import History
from thalweg.evaluation.inputs.permutation import TITLES
from thalweg.evaluation.run import Run
from thalweg.evaluation.summary import SUMMARY_METRICS, cost_in_words, rare_in_words, rate_error, shown

if TYPE_CHECKING:
    from rich.table import Table

    from thalweg.model import Model

MOST_OF_A_NAME = 27  # characters of a learner's name that 80 columns have room for
MOST_ROWS_IN_A_HURRY = 200_000  # whose results take less than half a second


def show_and_write(
    run: Run, model: "Model", save: str | None, page: str | None, json: bool
) -> None:
    """Print a Run; write the model file and the page if there are paths for them."""
    if page is not None and in_a_hurry(run):
        say(f"no page: interrupted after more than {MOST_ROWS_IN_A_HURRY:,} rows", error=True)
        page = None
    saved = f"Model: {save}; see thalweg predict, continue and inspect"
    do_all(
        lambda: show(run, json),
        lambda: write_file(save, model.save, saved, json),
        lambda: write_file(page, lambda path: report.write(run, path), f"Page with pictures: {page}", json),
    )


def show(run: Run, json: bool) -> None:
    """Print a Run as a table or as JSON; after Ctrl-C, if that takes long, only how far it came, as JSON."""
    if in_a_hurry(run):
        if json:
            about = {"learner": run.learner, "stream": run.stream, "rows": run.n_rows}
            print(jsons.dumps(about | {"interrupted": True}))
        return
    if json:
        print(jsons.dumps(run.summary()))
        return
    console = terminal()
    console.print(table(run))
    console.print(sentence(run))
    asked = None if run.asked_labels is None else run.asked_labels.in_words()
    said = [asked, set_metrics.in_words(run), rare_in_words(run), cost_in_words(run)]
    for line in [*filter(None, said), *notable.in_words(run)]:
        console.print(line)
    lines = [*column_lines(run.columns, run.pipeline), *input_lines(run), *memory_lines(run)]
    for line in [*lines, *(f"skipped   {message}" for message in run.messages)]:
        console.print(line, soft_wrap=True)


def in_a_hurry(run: Run) -> bool:
    """Return whether a run was interrupted and is so long that its results take long to compute."""
    return run.interrupted and run.keeps_rows and run.n_rows > MOST_ROWS_IN_A_HURRY


def table(run: Run) -> "Table":
    """Return the results of the learner and of the baselines side by side."""
    from rich.table import Table


    answers = [None, *BASELINES]
    columns = [[metric.title_of(run) for metric in SUMMARY_METRICS], *(shown(run, name) for name in answers)]
    errors = [rate_error(run, name) for name in answers]
    result = Table(title=f"{run.learner} on {run.stream}")
    result.add_column("")
    result.add_column(run.learner, justify="right", no_wrap=len(run.learner) <= MOST_OF_A_NAME)
    for baseline in BASELINES.values():
        result.add_column(baseline.title, justify="right")
    for title, *cells in zip(*columns, strict=True):
        result.add_row(title, *cells)
        if title == "accuracy" and not all(map(math.isnan, errors)):
            result.add_row("± std. error", *("" if math.isnan(error) else points(error) for error in errors))
    return result


def sentence(run: Run) -> str:
    """Return the size and speed of a run, and its classes, in one line."""
    speed = f"{run.rows_per_second:,.0f} rows/s"
    parts = [f"{run.n_rows:,} rows in {run.seconds:.2f} s ({speed})", classes_in_words(run)]
    if len(run.drifts):
        parts.append(f"known drifts at rows {_places(run.drifts)}")
    if len(run.alarms):
        parts.append(f"the learner saw drift at rows {_places(run.alarms)}")
    if run.unlabelled:
        parts.append(f"{without_label(run.unlabelled)}, not scored")
    if run.skipped:
        parts.append(f"{run.skipped:,} unreadable rows skipped")
    if run.interrupted:
        parts.append("interrupted: this is the result so far")
    return "; ".join(parts)


def memory_lines(run: Run) -> list[str]:
    """Return a warning if the model is larger than the rows it was made from."""
    if not run.outgrows_data:
        return []
    sizes = f"the model takes {run.memory / 1e6:,.1f} MB, its rows {run.data_bytes / 1e6:,.1f} MB"
    bounds = "max_bytes" in run.parameters
    advice = "bound it with --set max_bytes=BYTES" if bounds else "try a smaller learner"
    return [f"memory    {sizes}: {advice}"]


def input_lines(run: Run, most: int = 10) -> list[str]:
    """Return the accuracy lost lately by shuffling a column, for the `most` important, if it was measured."""
    lines = []
    for each in run.explanations:
        if each.title == TITLES["accuracy"]:
            needed = list(each.wholes().latest())[:most]
            lines.append(f"inputs    {each.title}: {', '.join(_with_parts(each, name) for name in needed)}")
    return lines


def _with_parts(history: History, name: str) -> str:
    """Return a name with its latest value, and those of its parts in brackets."""
    latest = history.latest()
    parts = [part for part in latest if part in history.parts.get(name, ())]
    inside = ", ".join(f"{part.removeprefix(f'{name}: ')} {percentage(latest[part])}" for part in parts)
    return f"{name} {percentage(latest[name])}" + (f" ({inside})" if inside else "")


def classes_in_words(run: Run, most: int = 10) -> str:
    """Return the classes and their shares of rows, in words: all, or the `most` frequent."""
    shares = run.class_shares
    order = shares if len(shares) <= most else sorted(shares, key=lambda label: -shares[label])
    words = first_of([f"{label} {percentage(shares[label])}" for label in order], most)
    return f"{len(shares)} class{'es' if len(shares) > 1 else ''}: {words}"


def _places(rows: Ints) -> str:
    return first_of([f"{row:,}" for row in rows], 10)
