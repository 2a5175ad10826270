"""`thalweg continue`: a saved learner goes on learning from another file."""

from typing import Annotated, Any

import typer

from thalweg.commands import options
from thalweg.commands.entry import INTERRUPTED
from thalweg.commands.file_options import with_file_options
from thalweg.commands.outputs import check_writable, columns_are_shown
from thalweg.commands.progress import Bar
from thalweg.commands.wording import word_for_command
from thalweg.evaluation.formatting import percentage

UNKNOWN = percentage(float("nan"))


@with_file_options(
    model=True, order=True, target="Column of the label; else the one the model learned."
)
def continue_(
    model: options.Model,
    source: Annotated[str, options.SOURCE],
    save: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write here instead of over MODEL.")
    ] = None,
    rows: options.Rows = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of a generated stream and of the labels.")] = 0,
    delay: options.Delay = "0",
    label_share: options.LabelShare = "1",
    label_budget: options.LabelBudget = None,
    positive: options.Positive = None,
    report: options.Report = None,
    json: options.Json = False,
    data: options.Data = None,
    file_options: Any = None,
) -> None:
    """Go on learning with a saved model, testing each row before it is learned.

    SOURCE must have the columns that the model was trained on, found by their names; others are left out. The
    model is written back to its file, or to `--save`. If it is interrupted, what was learned so far is saved.

    Examples:

        thalweg continue model.tw tomorrow.csv

        thalweg continue model.tw tomorrow.parquet --save newer.tw --report page.html
    """
    from thalweg.commands import model_files
    from thalweg.commands.run_results import show_and_write

    save = save or model
    check_writable(save, page=report, inputs=[source], data=data)
    check_writable(page=report, inputs=[model])
    loaded = model_files.load(model)
    title = f"{type(loaded.learner_).__name__} on {source}"
    with columns_are_shown(), Bar(title, "accuracy {}", UNKNOWN, json) as bar:
        run = loaded.prequential(
            source,
            delay=options.read_delay(delay),
            label_share=options.read_share(label_share),
            label_budget=options.read_budget(label_budget),
            seed=seed,
            rows=rows,
            positive=positive,
            progress=lambda done, total, accuracy: bar.show(done, total, percentage(accuracy)),
            data=data,
            **file_options,
        )
    run.command = options.command_line()
    word_for_command(run)
    show_and_write(run, loaded, save, report, json)
    if run.interrupted:
        raise typer.Exit(INTERRUPTED)
