"""`thalweg estimate`: how good a model is now, though most labels are missing."""

import warnings
from typing import Annotated, Any

import typer

from thalweg._parameters import one_of
from thalweg.commands import options
from thalweg.commands.file_options import with_file_options
from thalweg.commands.outputs import check_writable, say
from thalweg.errors import ColumnWarning

WORSE = 1  # the exit code if the model is worse than --worse-than
METRICS = ("accuracy", "precision", "recall", "f1")
READING = ("target", "classes", "missing", "header", "delimiter", "decimal", "encoding")


@with_file_options(
    only=READING, target="Column of the label; an empty cell is a label that has not come.",
    classes="The labels in the order of --probability; of one column, the label it is of last.",
)
def estimate(
    source: Annotated[str, typer.Argument(help="A file of predictions, in the order they were made.")],
    probability: Annotated[
        list[str], typer.Option(help="Column of the probability of a label; repeat it for several labels.")
    ],
    prediction: Annotated[
        str | None, typer.Option(help="Column of the answer, if it is not always the most probable label.")
    ] = None,
    time: Annotated[str | None, typer.Option(help="Column of the time of the prediction.")] = None,
    label_time: Annotated[str | None, typer.Option(help="Column of the time when the label came.")] = None,
    delay: Annotated[
        int | None, typer.Option(min=0, help="Rows a label is late; else as many as the latest one is.")
    ] = None,
    learns: Annotated[bool, typer.Option("--learns", help="The model learned from the labels.")] = False,
    metric: Annotated[str, typer.Option(help="accuracy, precision, recall or f1.")] = "accuracy",
    label: Annotated[
        str | None, typer.Option(help="The label whose precision, recall or f1 is meant.")
    ] = None,
    window: Annotated[int, typer.Option(min=10, help="Rows of a window.")] = 1000,
    worse_than: Annotated[
        float | None, typer.Option(help="End with exit code 1 if the interval is wholly below, such as 0.85.")
    ] = None,
    report: options.Report = None,
    save: Annotated[str | None, typer.Option(help="Write the windows to this CSV file.")] = None,
    json: options.Json = False,
    file_options: Any = None,
) -> None:
    """Say how good a model is now, though most labels are missing, and since when it is worse.

    SOURCE is a file (CSV, JSON lines, Parquet, Arrow) with the probabilities that any model gave, and the
    labels that have come. `--probability p_yes` is of the label yes. The estimate for the rows without labels
    follows from how often such answers were right lately; its interval from how wrong earlier estimates were.

    The exit code is 0, or 1 if `--worse-than` is given and the whole interval of the latest window is below
    it, or 2 after an error.

    Examples:

        thalweg estimate predictions.csv --probability p_yes --target paid --report page.html

        thalweg estimate predictions.csv --probability p_yes --target paid --worse-than 0.85

        thalweg estimate scores.parquet --probability p_a --probability p_b --probability p_c --target kind

        thalweg estimate predictions.csv --probability p_yes --target paid --time asked --label-time answered
    """
    check_writable(save, page=report, inputs=[source])
    if metric == "cost":
        raise ValueError("--metric cost needs a table of costs: use AccuracyEstimate(costs=…) in Python")
    one_of("estimate", "metric", metric, METRICS)
    if worse_than is not None and not 0 <= worse_than <= 1:
        raise ValueError(f"--worse-than {worse_than:g}: give a share from 0 to 1, such as 0.85 for 85 %")
    if "target" not in file_options:
        raise ValueError("--target is missing: name the column of the labels")
    from thalweg.commands.estimate_results import Found, show_and_write
    from thalweg.trust import AccuracyEstimate

    target, classes = file_options.pop("target"), file_options.pop("classes", None)
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always", ColumnWarning)
        made = AccuracyEstimate.from_table(
            source, probability=probability, target=target, classes=classes, prediction=prediction, time=time,
            label_time=label_time, delay=delay, learns=learns, window=window, reading=file_options,
        )  # fmt: skip
    for each in noted:
        say(f"warning   {each.message}", error=True)
    known = {str(each): each for each in made.classes_.tolist()}
    if label is not None and label not in known:
        raise ValueError(f"--label {label}: there is no such label; there are {', '.join(known)}")
    found = Found.of(made, source, metric, None if label is None else known[label], worse_than)
    show_and_write(found, report, save, json)
    if found.is_worse:
        raise typer.Exit(WORSE)
