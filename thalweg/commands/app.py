"""The command: parse, call, print."""

import os
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from thalweg.commands import (
    compare as compare_command,
)
from thalweg.commands import (
    continue_ as continue_command,
)
from thalweg.commands import (
    inspect as inspect_command,
)
from thalweg.commands import (
    options,
    wording,
)
from thalweg.commands import (
    predict as predict_command,
)
from thalweg.commands import (
    tune as tune_command,
)
from thalweg.commands.file_options import with_file_options
from thalweg.commands.options import Commands, OnceCommand
from thalweg.commands.outputs import check_writable, do_all

if TYPE_CHECKING:
    from thalweg.papers.reports import Report

INTERRUPTED = 130  # the exit code after Ctrl-C

app = typer.Typer(
    name="thalweg",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    cls=Commands,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        import thalweg

        print(f"thalweg {thalweg.__version__}")
        raise typer.Exit


VERSION = typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)


@app.callback()
def about(version: Annotated[bool, VERSION] = False) -> None:
    """Classifiers for data streams whose rules keep changing.

    Start with `thalweg run FILE.csv --target COLUMN`, or without a file with `thalweg run sea`. Each command
    explains itself: `thalweg run --help`.
    """


RUN_HELP = """
Test a learner on a stream, row by row, and learn as it goes.

SOURCE is a file (CSV, JSON lines, ARFF, Parquet, Arrow; `-` for standard input), a generator such as `sea`,
or a public dataset such as `elec2`: see `thalweg list streams`. Without `--learner`, AdaptiveStacking is
used: learners of different kinds, weighed by how much each tells.

Examples:

    thalweg run sea --report report.html --save model.tw

    thalweg run prices.csv --target direction --learner NaiveBayes --json

    thalweg run elec2 --data ~/streams --delay 48 --labels 0.5

    zcat log.csv.gz | thalweg run - --target ok --on-error skip

    thalweg run sea --learner "LeveragingBagging(HoeffdingTree(grace_period=50), n_members=20)"
"""


@app.command(help=RUN_HELP, cls=OnceCommand)
@with_file_options()
def run(
    source: Annotated[str, options.SOURCE],
    learner: Annotated[
        str | None, typer.Option(help="Learner, with arguments if need be: see `thalweg list learners`.")
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="A parameter, such as n_members=20; repeatable.")
    ] = None,
    rows: options.Rows = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the stream, the learner and the labels.")] = 0,
    delay: options.Delay = "0",
    labels: Annotated[
        str, typer.Option(help="Share of rows whose label arrives, 0 to 1; with --chunk also all or first.")
    ] = "1",
    chunk: Annotated[int | None, typer.Option(min=1, help="Test whole chunks of this many rows.")] = None,
    totals: Annotated[
        bool, typer.Option("--totals", help="Keep totals only: constant memory, no AUC.")
    ] = False,
    importance: options.Importance = False,
    report: options.Report = None,
    save: Annotated[
        str | None, typer.Option(metavar="FILE", help="Keep the trained learner here, such as model.tw.")
    ] = None,
    json: options.Json = False,
    data: options.Data = None,
    file_options: Any = None,
) -> None:
    """Test a learner on a stream, row by row, and learn as it goes."""
    outcome = None
    try:
        from thalweg.commands import run as run_command

        check_writable(save, report)
        outcome = run_command.evaluate(
            source,
            learner,
            parameters=set_ or [],
            rows=rows,
            seed=seed,
            delay=delay,
            labels=labels,
            chunk=chunk,
            data=data,
            file_options=file_options,
            quiet=json,
            totals=totals,
            explain=bool(report),
            importance=importance,
            save=bool(save),
        )
        evaluated, trained, stream = outcome
        do_all(
            lambda: run_command.show(evaluated, json),
            lambda: run_command.save(trained, evaluated, stream, source, save, json),
            lambda: run_command.write_page(evaluated, report, json),
        )
    except KeyboardInterrupt:
        if outcome is None or not outcome.run.interrupted:
            print("thalweg: interrupted", file=sys.stderr)
        _end_after_ctrl_c()
    if evaluated.interrupted:
        _end_after_ctrl_c()


app.command(help=predict_command.HELP, cls=OnceCommand)(predict_command.predict)
app.command("continue", help=continue_command.HELP, cls=OnceCommand)(continue_command.continue_)
app.command(help=inspect_command.HELP, cls=OnceCommand)(inspect_command.inspect)
app.command(help=compare_command.HELP, cls=OnceCommand)(compare_command.compare)
app.command(help=tune_command.HELP, cls=OnceCommand)(tune_command.tune)

DRIFT_HELP = """
Say which columns of a stream changed, when, how much and how sure that is.

The first rows are the reference; each window of rows after them is compared with it, column by column. With
OTHER, all rows of SOURCE are the reference, and the rows of OTHER are compared with it, as a whole and in
windows. SOURCE is as for `thalweg run`; without `--target` or `--labels` every column of a file counts as an
input. Windows are whole weeks or days if rows have dates in their order; only then times and weekdays are
compared.

Examples:

    thalweg drift visits.csv --report drift.html

    thalweg drift prices.parquet --target direction --reference 5000 --window 500

    thalweg drift last_month.csv this_month.csv --save changes.csv

    thalweg drift elec2 --data ~/streams --labels --json
"""


@app.command(help=DRIFT_HELP, cls=OnceCommand)
@with_file_options(target="Column of the label: watch it, and each input given each label.")
def drift(
    source: Annotated[str, options.SOURCE],
    other: Annotated[
        str | None, typer.Argument(help="A second stream, whose rows are compared with all rows of SOURCE.")
    ] = None,
    labels: Annotated[
        bool, typer.Option("--labels", help="Watch the labels; the last column if no --target names it.")
    ] = False,
    reference: Annotated[
        str | None, typer.Option(help="Rows to compare with, the first ones, or days; else two windows.")
    ] = None,
    window: Annotated[
        str | None,
        typer.Option(help="Rows of a window, or day, week, 2 weeks; else by the dates, or 1000 rows."),
    ] = None,
    method: Annotated[str, typer.Option(help="Distance: hellinger, ks or psi.")] = "hellinger",
    false_alarms: Annotated[
        float, typer.Option("--false-alarms", help="Share of streams without change that get any alarm.")
    ] = 0.01,
    rows: options.Rows = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of a generated stream.")] = 0,
    report: options.Report = None,
    save: Annotated[str | None, typer.Option(help="Write the findings to this CSV file.")] = None,
    json: options.Json = False,
    data: options.Data = None,
    file_options: Any = None,
) -> None:
    """Say which columns of a stream changed, when, how much and how sure that is."""
    from thalweg.commands import drift as drift_command

    check_writable(report, save)
    found = drift_command.watch(
        source,
        labels=labels or "target" in file_options,
        reference=reference,
        window=window,
        method=method,
        false_alarms=false_alarms,
        rows=rows,
        seed=seed,
        data=data,
        file_options=file_options,
        quiet=json,
        other=other,
    )
    drift_command.show(found, report, json, save)
    if found.interrupted:
        raise typer.Exit(INTERRUPTED)


OUTLIERS_HELP = """
List the rows of a stream whose labels look wrong, and say how many there are.

Nothing needs to be trained before. Learners read the rows forwards and backwards and say, before they are
told a label, how likely it is; up to 50,000 rows, a forest grown on other rows says so too. The row, its
label, the label that is believed instead and the cells of the file are listed, the most suspicious first:
columns named by `--keep`, or else those that hold ids, before the others.

SOURCE is as for `thalweg run`; all its rows are held in memory. Without `--learner`, AdaptiveStacking reads,
or beyond 50,000 rows AdaptiveRandomForest and LogisticMixture, which are faster.

Examples:

    thalweg outliers visits.csv --target bought --report suspicious.html --save suspicious.csv

    thalweg outliers elec2 --data ~/streams --top 100 --json
"""


@app.command(help=OUTLIERS_HELP, cls=OnceCommand)
@with_file_options(keep=True)
def outliers(
    source: Annotated[str, options.SOURCE],
    learner: Annotated[
        list[str] | None, typer.Option(help="Learner to ask: see `thalweg list learners`; repeatable.")
    ] = None,
    top: Annotated[
        int | None, typer.Option(min=1, help="Rows to list and save; else as many as seem to be wrong.")
    ] = None,
    rows: options.Rows = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of a generated stream and of the learners.")] = 0,
    report: options.Report = None,
    save: Annotated[str | None, typer.Option(help="Write the rows to this CSV file.")] = None,
    json: options.Json = False,
    data: options.Data = None,
    file_options: Any = None,
) -> None:
    """List the rows of a stream whose labels look wrong, and say how many there are."""
    from thalweg.commands import label_errors as outliers_command

    check_writable(report, save)
    found, stream = outliers_command.look(source, learner or [], rows, seed, data, file_options, quiet=json)
    outliers_command.show(found, stream, source, top, report, save, json)


@app.command("list", cls=OnceCommand)
def list_(
    what: Annotated[
        str | None, typer.Argument(help="learners, streams, detectors, monitors or metrics.")
    ] = None,
) -> None:
    """List learners, streams, detectors, monitors or metrics, one line each."""
    from thalweg.commands import list_ as listing

    for line in listing.lines(what):
        print(line)


REPRODUCE_HELP = """
Run a paper's experiments again: its claims beside what is measured here.

Results are kept in the cache folder (THALWEG_CACHE) under their settings: a second call only shows them.

Examples:

    thalweg reproduce --list

    thalweg reproduce forgetting --quick

    thalweg reproduce forgetting --data ~/streams --figures figures
"""


@app.command(help=REPRODUCE_HELP, cls=OnceCommand)
def reproduce(
    paper: Annotated[str | None, typer.Argument(help="The paper: see --list.")] = None,
    list_papers: Annotated[bool, typer.Option("--list", help="List the papers.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions: a look, not a result.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
    figures: Annotated[str | None, typer.Option(help="Draw the paper's figures into this folder.")] = None,
    data: Annotated[str | None, typer.Option(help="Folder of the public datasets.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; else one per processor.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure again what is kept.")] = False,
    files: Annotated[
        list[str] | None, typer.Option("--file", help="A file of your own to run on (huwrs); repeatable.")
    ] = None,
) -> None:
    """Run a paper's experiments again: its claims beside what is measured here."""
    from thalweg import papers

    if list_papers or paper is None:
        for name, text in papers.summaries():
            print(f"{name}  {text}")
        return
    if figures is not None:
        Path(figures).mkdir(parents=True, exist_ok=True)
    found = papers.reproduce(paper, quick, data, None, workers, fresh, quiet=json, files=files or ())
    draw = partial(_draw, found, figures, json)
    do_all(draw, lambda: print(found.to_json())) if json else do_all(found.show, draw)


def _draw(found: "Report", folder: str | None, json: bool) -> None:
    if folder is not None:
        for path in found.draw(folder):
            if not json:
                print(f"drawn: {path}")


def _end_after_ctrl_c() -> NoReturn:
    # At once: to take all modules apart, as Python does at its end, takes a good part of half a second.
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(INTERRUPTED)


def main() -> NoReturn:
    """Run the command; what goes wrong is one line on standard error and exit code 2."""
    # joblib's processes warn about what they clean up after Ctrl-C.
    os.environ.setdefault("PYTHONWARNINGS", "ignore:resource_tracker:UserWarning")
    try:
        code = app(prog_name="thalweg", standalone_mode=False)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except Exception as error:
        for each in error.exceptions if isinstance(error, ExceptionGroup) else [error]:
            print(f"thalweg: {_one_line(each)}", file=sys.stderr)
        code = 2
    if code == INTERRUPTED:
        print("thalweg: interrupted", file=sys.stderr)
    sys.exit(code)


def _one_line(error: Exception) -> str:
    # Usage errors carry format_message; what a user can mend is a ValueError or an OSError of ours.
    if hasattr(error, "format_message"):
        return error.format_message()
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename else str(error)
    if isinstance(error, ValueError):
        return " ".join(wording.error_text(error).split())
    if isinstance(error, MemoryError):
        return f"not enough memory: {error}"
    return _bug(error)


def _bug(error: Exception) -> str:
    """Return a line about an error that is our mistake; THALWEG_TRACEBACK=1 prints where it comes from."""
    import traceback

    import thalweg

    if os.environ.get("THALWEG_TRACEBACK"):
        traceback.print_exception(error)
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else "?"
    said = " ".join(str(error).split())[:200]
    return (
        f"a mistake in thalweg {thalweg.__version__}, not in your data: {type(error).__name__} at {place}: "
        f"{said}. Please report this line with the command; THALWEG_TRACEBACK=1 shows the details"
    )
