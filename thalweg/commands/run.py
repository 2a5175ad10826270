"""`thalweg run`: a learner tested on a stream."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, NoReturn

import typer

from thalweg._learner_text import DEFAULT_LEARNER, make_learner
from thalweg.commands import options
from thalweg.commands.costs_file import read_costs
from thalweg.commands.entry import INTERRUPTED
from thalweg.commands.file_options import with_file_options
from thalweg.commands.outputs import check_writable, columns_are_shown, say
from thalweg.commands.progress import Bar
from thalweg.commands.wording import word_for_command
from thalweg.evaluation.formatting import percentage

if TYPE_CHECKING:
    from thalweg.evaluation import Run
    from thalweg.model import Model


COSTS = {"small": 1, "medium": 4.5, "large": 10}  # in time, on most streams


@with_file_options(order=True)
def run(
    source: Annotated[str, options.SOURCE],
    learner: Annotated[
        str | None, typer.Option(help="Learner, with arguments if need be: see `thalweg list learners`.")
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(help="Of the default learner: small, medium or large; small is the fastest."),
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="A parameter, such as n_members=20; repeatable.")
    ] = None,
    coverage: Annotated[
        str | None,
        typer.Option(help="Answer with sets of classes that hold the label in this share of rows: 0.9."),
    ] = None,
    costs: options.Costs = None,
    positive: options.Positive = None,
    rows: options.Rows = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the stream, the learner and the labels.")] = 0,
    delay: options.Delay = "0",
    label_share: Annotated[
        str, typer.Option(help="Share of labels that come, 0 to 1; with --chunk, of chunks after the first.")
    ] = "1",
    label_budget: options.LabelBudget = None,
    chunk: Annotated[int | None, typer.Option(min=1, help="Test whole chunks of this many rows.")] = None,
    totals: Annotated[
        bool, typer.Option("--totals", help="Keep totals only: constant memory, no AUC.")
    ] = False,
    importance: options.Importance = False,
    report: options.Report = None,
    save: Annotated[
        str | None, typer.Option(metavar="FILE", help="Keep the trained model here, such as model.tw.")
    ] = None,
    json: options.Json = False,
    data: options.Data = None,
    file_options: Any = None,
) -> None:
    """Test a learner on a stream, row by row, and learn as it goes.

    SOURCE is a file (CSV, JSON lines, ARFF, Parquet, Arrow; `-` for standard input), a generator such as
    `sea`, or a public dataset such as `elec2`: see `thalweg list streams`. Without `--learner`,
    AdaptiveStacking is used: learners of different kinds, weighted by how well they predict.

    Examples:

        thalweg run sea --report report.html --save model.tw

        thalweg run prices.csv --target direction --learner NaiveBayes --json

        thalweg run elec2 --data ~/streams --delay 48 --label-share 0.5

        thalweg run claims.csv --target fraud --label-budget 0.05 --delay 200

        zcat log.csv.gz | thalweg run - --target ok --on-error skip

        thalweg run clicks.csv --target bought --size small

        thalweg run claims.csv --target fraud --costs costs.csv

        thalweg run elec2 --data ~/streams --coverage 0.9 --report report.html

        thalweg run sea --learner "LeveragingBagging(HoeffdingTree(grace_period=50), n_members=20)"
    """
    outcome = None
    try:
        check_writable(save, page=report, inputs=[source, costs], data=data)
        outcome = evaluate(
            source,
            learner,
            parameters=with_size(set_ or [], size, learner),
            rows=rows,
            seed=seed,
            delay=delay,
            label_share=label_share,
            label_budget=label_budget,
            chunk=chunk,
            data=data,
            file_options=file_options,
            quiet=json,
            totals=totals,
            explain=bool(report),
            importance=importance,
            save=bool(save),
            coverage=coverage,
            costs=costs,
            positive=positive,
        )
        from thalweg.commands.run_results import show_and_write

        show_and_write(*outcome, save, report, json)
    except KeyboardInterrupt:
        if outcome is None or not outcome.run.interrupted:
            say("thalweg: interrupted", error=True)
        _end_after_ctrl_c()
    if outcome.run.interrupted:
        _end_after_ctrl_c()


def _end_after_ctrl_c() -> NoReturn:
    # At once: Python takes about half a second to unload all modules at its end.
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(INTERRUPTED)


class Outcome(NamedTuple):
    """A run, and the model after it."""

    run: "Run"
    model: "Model"


def evaluate(
    source: str, learner: str | None, parameters: Sequence[str], rows: int | None, seed: int, delay: str,
    label_share: str, chunk: int | None, data: str | None, file_options: dict[str, Any], quiet: bool,
    save: bool = False, totals: bool = False, explain: bool = False, importance: bool = False,
    coverage: str | None = None, label_budget: str | None = None, costs: str | None = None,
    positive: str | None = None,
) -> Outcome:
    """Return the Outcome of a learner on a stream, all given as a person writes them.

    With `--save`, a learner that cannot be saved is an error before the first row. If the run is interrupted,
    a line on standard error says how far it came.
    """
    from thalweg.commands.model_files import check_can_be_saved, make_model
    from thalweg.evaluation import Explanations, PermutationImportance
    from thalweg.evaluation.history import inner_of

    is_default = learner is None
    made = default_learner(parameters, seed) if learner is None else make_learner(learner, parameters, seed)
    prices = read_costs(costs)
    if coverage is not None and prices is not None:
        raise ValueError("--coverage and --costs exclude each other: answers are sets, or cost least")
    made = made if coverage is None else with_sets(made, coverage)
    late, share = options.read_delay(delay), options.read_share(label_share)
    if chunk and late != 0:
        raise ValueError("--delay and --chunk exclude each other: a chunk's labels come at its end")
    budget = options.read_budget(label_budget)
    if chunk and budget:
        raise ValueError("--label-budget and --chunk exclude each other: a chunk's labels come together")
    model, reading = make_model(made, file_options, prices)
    if save:
        check_can_be_saved(made)
    title, unknown = f"{type(made).__name__} on {source}", percentage(float("nan"))
    with columns_are_shown(), Bar(title, "accuracy {}", unknown, quiet) as bar:

        def progress(done: int, total: int | None, accuracy: float) -> None:
            if is_default and not quiet and not done:
                say(about_default(inner_of(model.learner_)), error=True)
            bar.show(done, total, percentage(accuracy))

        settings: dict[str, Any] = {"label_share": share, "seed": seed, "rows": rows, "progress": progress}
        settings["positive"] = positive
        settings["keep"] = "totals" if totals else "rows"
        settings["observers"] = [
            *explain * [Explanations()],
            *importance * [PermutationImportance(seed=seed)],
        ]
        settings |= reading | {"data": data}
        if chunk:
            run = model.chunked(source, chunk, **settings)
        else:
            estimate = budget is None and (late != 0 or share < 1)
            run = model.prequential(source, delay=late, label_budget=budget, estimate=estimate, **settings)
    run.command = options.command_line()
    word_for_command(run)
    if is_default and not quiet:
        say(f"Members behind recent predictions: {_members_of(inner_of(model.learner_))}", error=True)
    if run.interrupted:
        far = f"{run.n_rows:,} rows, accuracy so far {bar.value}"
        say(f"thalweg: interrupted after {far}", error=True)
    return Outcome(run, model)


def default_learner(parameters: Sequence[str], seed: int) -> Any:
    """Return the learner to use if none is named."""
    if not any(text.startswith("n_jobs=") for text in parameters):
        parameters = [*parameters, "n_jobs=-1"]
    return make_learner(DEFAULT_LEARNER, parameters, seed)


def with_sets(learner: Any, coverage: str) -> Any:
    """Return prediction sets around a learner, of the coverage that was written."""
    from thalweg.trust import PredictionSets

    try:
        share = float(coverage)
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        raise ValueError(f"--coverage {coverage}: give a share between 0 and 1, such as 0.9")
    return PredictionSets(learner, coverage=share)


def with_size(parameters: Sequence[str], size: str | None, learner: str | None) -> Sequence[str]:
    """Return the parameters with the size of the default learner, if one is given."""
    if size is None:
        return parameters
    if learner is not None:
        raise ValueError("--size is that of the default learner: leave --learner out, or use --set")
    return [*parameters, f"size={size}"]


def _members_of(learner: Any) -> str:
    return str(learner.describe())


def about_default(made: Any) -> str:
    """Return a line about the default learner, which has begun, and what its other sizes cost."""
    if made.members is not None:
        return f"AdaptiveStacking combines {len(made.members_)} learners."
    sizes = [size for size in COSTS if size != made.size]
    others = ", ".join(f"{size} {_ratio(COSTS[size], COSTS[made.size])}" for size in sizes)
    combined = f"AdaptiveStacking ({made.size}) combines {len(made.members_)} learners"
    return f"{combined}. Time of other sizes (--size) beside it: {others}."


def _ratio(a: float, b: float) -> str:
    return f"{a / b:.0f}" if a > b else f"1/{b / a:.0f}"
