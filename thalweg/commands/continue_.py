"""`thalweg continue`: a saved learner goes on learning from another file."""

from typing import Annotated, Any

import typer

from thalweg.commands import options
from thalweg.commands.file_options import with_file_options
from thalweg.commands.outputs import check_writable, do_all
from thalweg.commands.wording import word_for_command

HELP = """
Go on learning with a saved model, testing each row before it is learned.

SOURCE must have the columns that the model was trained on, found by their names; others are left out. The
model is written back to its file, or to `--save`. If it is interrupted, what was learned so far is saved.

Examples:

    thalweg continue model.tw tomorrow.csv

    thalweg continue model.tw tomorrow.parquet --save newer.tw --report page.html
"""


@with_file_options(model=True, target="Column of the label; else the one the model learned.")
def continue_(
    model: options.Model,
    source: Annotated[str, options.SOURCE],
    save: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write here instead of over MODEL.")
    ] = None,
    rows: options.Rows = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of a generated stream and of the labels.")] = 0,
    delay: options.Delay = "0",
    labels: options.LabelShare = "1",
    report: options.Report = None,
    json: options.Json = False,
    data: options.Data = None,
    file_options: Any = None,
) -> None:
    """Go on learning with a saved model, testing each row before it is learned."""
    from thalweg.commands import model_files
    from thalweg.commands import run as run_command
    from thalweg.commands.progress import Bar
    from thalweg.evaluation import prequential
    from thalweg.evaluation.formatting import percentage

    save = save or model
    check_writable(save, report)
    learner, schema, runs = model_files.load(model)
    stream = model_files.open_like(source, learner, schema, model, rows, seed, data, **file_options)
    title = f"{type(learner).__name__} on {source}"
    with Bar(title, "accuracy {}", percentage(float("nan")), json) as bar:
        run = prequential(
            stream,
            learner,
            delay=run_command.read_delay(delay),
            labels=run_command.read_share(labels, None),
            seed=seed,
            rows=rows,
            progress=lambda done, total, accuracy: bar.show(done, total, percentage(accuracy)),
            resume=True,
        )
    run.command = options.command_line()
    word_for_command(run)
    do_all(
        lambda: run_command.show(run, json),
        lambda: run_command.save(learner, run, stream, source, save, json, runs),
        lambda: run_command.write_page(run, report, json),
    )
    if run.interrupted:
        raise typer.Exit(130)
