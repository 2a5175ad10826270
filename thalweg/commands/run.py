"""What `thalweg run` does: opens the stream, makes the learner, evaluates, shows the result."""

import json as jsons
import math
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from thalweg._types import Ints
from thalweg.commands import model_files
from thalweg.commands.learner_expressions import read_learner, read_value
from thalweg.commands.options import command_line
from thalweg.commands.outputs import column_lines
from thalweg.commands.progress import Bar
from thalweg.commands.wording import word_for_command
from thalweg.errors import first_of
from thalweg.evaluation import notable
from thalweg.evaluation.baselines import BASELINES
from thalweg.evaluation.formatting import percentage, points, without_label
from thalweg.evaluation.history import History
from thalweg.evaluation.inputs.permutation import TITLES
from thalweg.evaluation.run import Run
from thalweg.evaluation.summary import SUMMARY_METRICS, rate_error, shown
from thalweg.streams.base import Stream
from thalweg.streams.named import open_stream

if TYPE_CHECKING:
    from rich.table import Table

MOST_OF_A_NAME = 27  # characters of a learner's name that 80 columns have room for
MOST_ROWS_IN_A_HURRY = 200_000  # whose metrics take less than half a second


class Outcome(NamedTuple):
    """A run, the learner after it, and the stream that it learned from."""

    run: Any
    learner: Any
    stream: Any


def evaluate(
    source: str, learner: str | None, parameters: Sequence[str], rows: int | None, seed: int, delay: str,
    labels: str, chunk: int | None, data: str | None, file_options: dict[str, Any], quiet: bool,
    save: bool = False, totals: bool = False, explain: bool = False, importance: bool = False,
) -> Outcome:
    """Return the Outcome of a learner on a stream, all given as a person writes them.

    A learner that is to be saved and cannot be is an error before the first row. If the run is interrupted, a
    line on standard error says how far it came.
    """
    from thalweg.evaluation import Explanations, PermutationImportance, chunked, prequential

    made: Any = learner and make_learner(learner, parameters, seed)
    late = read_delay(delay)
    share = labels if chunk and labels in ("all", "first") else read_share(labels, chunk)
    if chunk and late != 0:
        raise ValueError("--delay and --chunk exclude each other: a chunk's labels come at its end")
    stream = open_stream(source, rows=rows, seed=seed, data=data, **file_options)
    is_default = made is None
    made = default_learner(parameters, seed) if is_default else made
    if save:
        model_files.check_can_be_saved(made)
    title, unknown = f"{type(made).__name__} on {source}", percentage(float("nan"))
    with Bar(title, "accuracy {}", unknown, quiet) as bar:

        def progress(done: int, total: int | None, accuracy: float) -> None:
            if is_default and not quiet and not done:
                print(about_default(made), file=sys.stderr)
            bar.show(done, total, percentage(accuracy))

        settings: dict[str, Any] = {"labels": share, "seed": seed, "rows": rows, "progress": progress}
        settings["keep"] = "totals" if totals else "rows"
        settings["watch"] = [*explain * [Explanations()], *importance * [PermutationImportance(seed=seed)]]
        if chunk:
            run = chunked(stream, made, chunk, **settings)
        else:
            run = prequential(stream, made, delay=late, **settings)
    run.command = command_line()
    word_for_command(run)
    if is_default and not quiet:
        print(f"Members behind recent predictions: {made.describe()}", file=sys.stderr)
    if run.interrupted:
        far = f"{run.n_rows:,} rows, accuracy so far {bar.figure}"
        print(f"thalweg: interrupted after {far}", file=sys.stderr, flush=True)
    return Outcome(run, made, stream)


def default_learner(parameters: Sequence[str], seed: int) -> Any:
    """Return the learner to use if none is named."""
    if not any(text.startswith("n_jobs=") for text in parameters):
        parameters = [*parameters, "n_jobs=-1"]
    return make_learner("AdaptiveStacking", parameters, seed)


def about_default(made: Any) -> str:
    """Return a line about the default learner, which has begun, and a faster one (see docs/stacking.md)."""
    fast = "LogisticMixture" if "LogisticMixture" in ", ".join(made.member_names_) else "LinearLogistic"
    combined = f"AdaptiveStacking combines {len(made.members_)} learners"
    return f"{combined}. Faster, mostly less accurate: --learner {fast}."


def make_learner(text: str, parameters: Sequence[str], seed: int) -> Any:
    """Return the learner that `text` describes, with more parameters given as key=value texts."""
    chosen = {}
    for pair in parameters:
        key, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"--set {pair}: expected key=value")
        if key in chosen:
            raise ValueError(f"--set {key}=…: given twice")
        chosen[key] = read_value(value)
    return read_learner(text, chosen, seed)


def read_delay(text: str) -> Any:
    """Return a number of rows, or the frozen scipy.stats distribution that e.g. `poisson(50)` names."""
    if re.fullmatch(r"\d+", text):
        return int(text)
    found = re.fullmatch(r"(\w+)\(([-\d.eE, ]*)\)", text)
    if found:
        import scipy.stats

        law = getattr(scipy.stats, found[1], None)
        if isinstance(law, scipy.stats.rv_continuous | scipy.stats.rv_discrete):
            return law(*[float(part) for part in found[2].split(",") if part.strip()])
    raise ValueError(f"--delay {text}: give a whole number of rows or a scipy.stats law such as poisson(50)")


def read_share(text: str, chunk: int | None) -> float:
    """Return the share of labels that come."""
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        words = ", all or first" if chunk else ""
        raise ValueError(f"--labels {text}: give a share from 0 to 1{words}")
    return share


def show(run: Run, json: bool) -> None:
    """Print a Run as a table or as JSON; after Ctrl-C, only if that does not take long."""
    if in_a_hurry(run):
        return
    if json:
        print(jsons.dumps(run.summary()))
        return
    from rich.console import Console

    console = Console()
    console.print(table(run))
    console.print(sentence(run), highlight=False)
    for line in notable.in_words(run):
        console.print(line, highlight=False, markup=False)
    lines = [*column_lines(run.columns, run.pipeline), *input_lines(run), *memory_lines(run)]
    for line in [*lines, *(f"skipped   {message}" for message in run.messages)]:
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def in_a_hurry(run: Run) -> bool:
    """Return whether a run was interrupted and is so long that its metrics would keep a person waiting."""
    return run.interrupted and run.keeps_rows and run.n_rows > MOST_ROWS_IN_A_HURRY


def write_page(run: Run, path: str | None, json: bool) -> None:
    """Write the page of a Run if there is a path, and say where it is."""
    if path and not in_a_hurry(run):
        from thalweg.evaluation import report

        report.write(run, path)
        if not json:
            print(f"Page with pictures: {path}")


def save(
    learner: Any, run: Run, stream: Stream, source: str, path: str | None, json: bool,
    earlier: Sequence[dict[str, Any]] = (),
) -> None:
    """Write the learner to a model file if there is a path, and say where it is."""
    if path:
        model_files.save(learner, path, run, stream.schema(), source, earlier)
        if not json:
            print(f"Model: {path}; see thalweg predict, continue and inspect")


def table(run: Run) -> "Table":
    """Return the metrics of the learner and of the baselines side by side."""
    from rich.table import Table

    answers = [None, *BASELINES]
    columns = [[metric.title for metric in SUMMARY_METRICS], *(shown(run, name) for name in answers)]
    errors = [rate_error(run, name) for name in answers]
    result = Table(title=f"{run.learner} on {run.stream}")
    result.add_column("")
    result.add_column(run.learner, justify="right", min_width=min(len(run.learner), MOST_OF_A_NAME))
    for baseline in BASELINES.values():
        result.add_column(baseline.title, justify="right")
    for title, *cells in zip(*columns, strict=True):
        result.add_row(title, *cells)
        if title == "accuracy" and not all(map(math.isnan, errors)):
            result.add_row("± std. error", *("" if math.isnan(error) else points(error) for error in errors))
    return result


def sentence(run: Run) -> str:
    """Return the size and speed of a run, and the classes it found, in one line."""
    parts = [f"{run.n_rows:,} rows in {run.seconds:.2f} s ({run.rows_per_second:,.0f} rows/s)", found(run)]
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
    """Return what shuffling the values of a column cost lately, for the `most` needed columns, if asked."""
    lines = []
    for each in run.explanations:
        if each.title == TITLES["accuracy"]:
            needed = list(each.wholes().latest())[:most]
            lines.append(f"inputs    {each.title}: {', '.join(_with_parts(each, name) for name in needed)}")
    return lines


def _with_parts(history: History, name: str) -> str:
    """Return a name with its latest figure, and those of its parts in brackets."""
    latest = history.latest()
    parts = [part for part in latest if part in history.parts.get(name, ())]
    inside = ", ".join(f"{part.removeprefix(f'{name}: ')} {percentage(latest[part])}" for part in parts)
    return f"{name} {percentage(latest[name])}" + (f" ({inside})" if inside else "")


def found(run: Run, most: int = 10) -> str:
    """Return the classes that were found and their shares, in words: all, or the `most` frequent."""
    shares = run.class_shares
    order = shares if len(shares) <= most else sorted(shares, key=lambda label: -shares[label])
    words = first_of([f"{label} {percentage(shares[label])}" for label in order], most)
    return f"{len(shares)} class{'es' if len(shares) > 1 else ''}: {words}"


def _places(rows: Ints) -> str:
    return first_of([f"{row:,}" for row in rows], 10)
