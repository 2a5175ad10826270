"""`thalweg label-errors`: the rows of a stream whose labels look wrong."""

from typing import Annotated, Any

import typer

from thalweg._learner_text import make_learner
from thalweg.commands import options
from thalweg.commands.file_options import with_file_options
from thalweg.commands.outputs import check_writable
from thalweg.commands.progress import Bar


@with_file_options(keep=True, order=True)
def label_errors(
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
    csv_safe: options.CsvSafe = False,
    json: options.Json = False,
    data: options.Data = None,
    file_options: Any = None,
) -> None:
    """List the rows of a stream whose labels look wrong, and say how many there are.

    Nothing needs to be trained before. Learners read the rows forwards and backwards and say, before they
    are told a label, how likely it is; up to 50,000 rows, a forest grown on other rows says so too. The row,
    its label, the label that is believed instead and the cells of the file are listed, the likeliest
    to be wrong first: columns named by `--keep`, or else those that hold ids, before the others.

    SOURCE is as for `thalweg run`; all its rows are held in memory. Without `--learner`, AdaptiveStacking
    reads, or beyond 50,000 rows AdaptiveRandomForest and LogisticMixture, which are faster.

    Examples:

        thalweg label-errors visits.csv --target bought --report label_errors.html --save label_errors.csv

        thalweg label-errors elec2 --data ~/streams --top 100 --json
    """
    from thalweg.commands.label_errors_results import show_and_write
    from thalweg.evaluation.wrong_labels.find import label_errors_in_stream
    from thalweg.streams.named import open_stream

    check_writable(save, page=report, inputs=[source], data=data)
    made = [make_learner(name, [], seed) for name in learner or []] or None
    stream = open_stream(source, rows=rows, seed=seed, data=data, **file_options)
    with Bar(f"reading {source}", "{}", "", json, unit="models") as bar:
        found = label_errors_in_stream(
            stream, made, seed, lambda done, total: bar.show(done, total, ""), rows
        )
    show_and_write(found, stream, source, top, report, save, json, csv_safe)
