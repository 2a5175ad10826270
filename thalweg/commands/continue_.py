"""`thalweg continue`: a saved learner goes on learning from another file."""

from typing import Annotated, Any

import typer

from thalweg.commands import options
from thalweg.commands.file_options import with_file_options
from thalweg.commands.outputs import INTERRUPTED, check_writable
from thalweg.commands.progress import Bar
from thalweg.commands.wording import word_for_command
from thalweg.evaluation.formatting import percentage


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
    label_share: options.LabelShare = "1",
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
    from thalweg.evaluation import prequential

    save = save or model
    check_writable(save, page=report)
    learner, schema, runs = model_files.load(model)
    stream = model_files.open_with_schema(source, learner, schema, model, rows, seed, data, **file_options)
    title = f"{type(learner).__name__} on {source}"
    with Bar(title, "accuracy {}", percentage(float("nan")), json) as bar:
        run = prequential(
            stream,
            learner,
            delay=options.read_delay(delay),
            label_share=options.read_share(label_share),
            seed=seed,
            rows=rows,
            progress=lambda done, total, accuracy: bar.show(done, total, percentage(accuracy)),
            resume=True,
        )
    run.command = options.command_line()
    word_for_command(run)
    show_and_write(run, learner, stream, source, save, report, json, runs)
    if run.interrupted:
        raise typer.Exit(INTERRUPTED)
