"""`thalweg drift`: which columns of a stream changed, and when."""

from typing import Annotated, Any

import typer

from thalweg import drift as detection
from thalweg._misspelt import hint
from thalweg.commands import options
from thalweg.commands.entry import INTERRUPTED
from thalweg.commands.file_options import with_file_options
from thalweg.commands.outputs import check_writable
from thalweg.commands.progress import Bar

METHODS = {"hellinger": "HellingerMonitor", "ks": "KolmogorovSmirnovMonitor", "psi": "StabilityMonitor"}


@with_file_options(order=True, target="Column of the label: watch it, and each input given each label.")
def drift(
    source: Annotated[str, options.SOURCE],
    other: Annotated[
        str | None, typer.Argument(help="A second stream, whose rows are compared with all rows of SOURCE.")
    ] = None,
    with_labels: Annotated[
        bool, typer.Option("--with-labels", help="Watch the labels; the last column if no --target names it.")
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
    longest: Annotated[
        int, typer.Option(min=1, help="Most windows compared together, for small changes that stay; 1: none.")
    ] = 64,
    rows: options.Rows = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of a generated stream.")] = 0,
    report: options.Report = None,
    save: Annotated[str | None, typer.Option(help="Write the findings to this CSV file.")] = None,
    csv_safe: options.CsvSafe = False,
    json: options.Json = False,
    data: options.Data = None,
    file_options: Any = None,
) -> None:
    """Say which columns of a stream changed, when, how much and how sure that is.

    The first rows are the reference; each window of rows after them is compared with it, column by column,
    and the last 2, 4, 8, … windows together with all rows before them.
    With OTHER, all rows of SOURCE are the reference, and the rows of OTHER are compared with it, as a whole
    and in windows. SOURCE is as for `thalweg run`; without `--target` or `--with-labels` every column of a
    file counts as an input. Windows are whole weeks or days if rows have dates in their order; only then
    times and weekdays are compared.

    Examples:

        thalweg drift visits.csv --report drift.html

        thalweg drift prices.parquet --target direction --reference 5000 --window 500

        thalweg drift last_month.csv this_month.csv --save changes.csv

        thalweg drift elec2 --data ~/streams --with-labels --json
    """
    check_writable(save, page=report, inputs=[source, other], data=data)
    if method not in METHODS:
        raise ValueError(f"--method {method}: there is no such method; {hint(method, METHODS, 'methods')}")
    if other is not None and reference is not None:
        raise ValueError(f"--reference {reference}: all rows of {source} are the reference of {other}")
    from thalweg.commands.drift_results import show_and_write
    from thalweg.commands.drift_streams import open_streams
    from thalweg.commands.drift_windows import lengths
    from thalweg.evaluation import detect_drift

    with_labels = with_labels or "target" in file_options
    stream, first, left_out = open_streams(source, other, with_labels, rows, seed, data, file_options)
    span, n_rows, n_reference = lengths(window, reference, stream, first, rows)
    kind = detection.monitor_registry.load(METHODS[method])
    monitor = kind(reference=n_reference, window=n_rows, false_alarms=false_alarms, longest=longest)
    compared = first if first is not None else reference if span else None
    with Bar(f"watching {other or source}", "{} changed", 0, json) as bar:
        found = detect_drift(
            stream, monitor, with_labels=with_labels, rows=rows, progress=bar.show, reference=compared,
            windows=span,
        )
    found.left_out |= left_out
    found.command = options.command_line()
    show_and_write(found, report, json, save, csv_safe)
    if found.interrupted:
        raise typer.Exit(INTERRUPTED)
