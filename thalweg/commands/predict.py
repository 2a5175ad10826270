"""`thalweg predict`: predictions of a saved learner for the rows of a file."""

import sys
from typing import Annotated, Any

import typer

from thalweg.commands import options
from thalweg.commands.file_options import with_file_options
from thalweg.commands.outputs import check_writable, columns_are_shown, say
from thalweg.commands.progress import Bar
from thalweg.commands.wording import in_options
from thalweg.evaluation.formatting import percentage


@with_file_options(model=True, keep=True, target="Column of the label; else the one the model learned.")
def predict(
    model: options.Model,
    source: Annotated[str, options.SOURCE],
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write here: .csv, .parquet or .jsonl (JSON lines).")
    ] = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Add a column with the probability of each class.")
    ] = False,
    csv_safe: options.CsvSafe = False,
    rows: options.Rows = None,
    data: options.Data = None,
    file_options: Any = None,
) -> None:
    """Predict the labels of a file's rows with a saved model, which stays as it is.

    SOURCE must have the columns that the model was trained on, found by their names; a label is not needed.
    Without `--out` the predictions are printed as CSV; `row` is the number of the row in SOURCE, from 1. If
    SOURCE has labels, a line on standard error says how many of them were predicted. Columns that hold ids
    are copied beside the predictions; `--keep` names other columns to copy.

    Examples:

        thalweg predict model.tw tomorrow.csv --out predictions.csv --probabilities

        thalweg predict model.tw tomorrow.csv --keep id,name

        thalweg predict model.tw tomorrow.parquet --out predictions.parquet
    """
    from thalweg.commands import model_files
    from thalweg.commands.prediction_files import predictions, write
    from thalweg.model.wording import worded
    from thalweg.streams.base import fewest
    from thalweg.streams.files.row_order import BACKWARDS

    check_writable(out, inputs=[model, source], data=data)
    loaded = model_files.load(model)
    with columns_are_shown():
        learner = loaded.freeze().learner_
        stream = loaded.stream(source, rows=rows, data=data, **file_options)
    blocks = predictions(learner, stream, rows, probabilities)
    is_mixed = out is None and sys.stdout.isatty()  # the predictions are printed where the bar is
    with Bar(f"{type(learner).__name__} on {source}", "{}", "", quiet=is_mixed) as bar:
        n, n_right, n_scored = write(
            blocks, out, lambda done: bar.show(done, fewest(rows, stream.expected_rows(done)), ""), csv_safe
        )
    words = f"{n:,} rows"
    if n_scored:
        words += f", {n_scored:,} of them with a label: {percentage(n_right / n_scored)} right"
    if stream.skipped:
        words += f"; {stream.skipped:,} rows that could not be read are left out"
    say(f"{words}{f'; written to {out}' if out else ''}", error=True)
    for message in stream.messages:
        say(f"skipped   {in_options(message)}", error=True)
    for warning in () if stream.columns is None else stream.columns.warnings:
        is_said = worded(warning) in loaded.columns.warnings  # of the first file, too: said then
        if not is_said and not warning.startswith(BACKWARDS):
            say(f"warning   {in_options(warning)}", error=True)
