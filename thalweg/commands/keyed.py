"""`thalweg keyed`: a model for every key, over a file, a folder of files or standard input."""

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from thalweg._learner_text import make_learner
from thalweg.commands import options
from thalweg.commands.entry import INTERRUPTED
from thalweg.commands.file_options import listed, with_file_options
from thalweg.commands.outputs import check_writable, columns_are_shown, label_warnings_are_said, say
from thalweg.commands.progress import Bar

LEARNER = "LogisticMixture"
READING = ("header", "delimiter", "encoding")


@with_file_options()
def keyed(
    source: Annotated[str, typer.Argument(help="A file, a folder of files, or - for standard input.")],
    key: Annotated[
        list[str],
        typer.Option(metavar="COLUMN", help="Column of the key; repeat it, or a,b, if several are the key."),
    ],
    learner: Annotated[
        str | None, typer.Option(help="What each key has, such as NaiveBayes; else LogisticMixture.")
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="A parameter of the learner; repeatable.")
    ] = None,
    start: Annotated[
        str | None, typer.Option(metavar="cold|copy|mix", help="How new keys begin: cold, or from --shared.")
    ] = None,
    shared: Annotated[
        str | None, typer.Option(metavar="FILE", help="The model they begin from, of earlier rows.")
    ] = None,
    order: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of the order of events; else as they come.")
    ] = None,
    id_: Annotated[
        str | None, typer.Option("--id", metavar="COLUMN", help="Column of ids, for labels that come later.")
    ] = None,
    weight: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of weights.")] = None,
    folder: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Keep states and outputs here, and go on from there.")
    ] = None,
    new_labels: Annotated[
        str | None,
        typer.Option(metavar="add|refuse", help="A label new after 10,000 rows: a class, or refused."),
    ] = None,
    jobs: options.Jobs = 1,
    buckets: Annotated[
        int | None, typer.Option(min=1, max=999, help="Buckets of keys in a new folder; else 8.")
    ] = None,
    follow: Annotated[
        float | None,
        typer.Option(min=0, metavar="SECONDS", help="Wait for new events until none came for so long."),
    ] = None,
    out: Annotated[
        str | None, typer.Option(help="Write outputs here: .csv, .parquet or .jsonl, or a folder.")
    ] = None,
    figures: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the figures of each key here, as --out.")
    ] = None,
    report: options.Report = None,
    csv_safe: options.CsvSafe = False,
    json: options.Json = False,
    file_options: Any = None,
) -> None:
    """Predict and learn events, each by the model of its key, and say which keys do well.

    SOURCE is a file (CSV, JSON lines, ARFF, Parquet, Arrow), a folder of such files, which are read in the
    order of their names, or `-`. Each row is predicted by the model of its key and then learned. A row that
    has no label and an id (`--id`) waits: a later row with its key, its id and a label has it learned.

    With `--folder` the run can be stopped at any moment, also by Ctrl-C, and continues where it stopped. A
    file that has grown, a folder with new files or another file is then read on by the same models.

    Examples:

        thalweg keyed orders.csv --key customer --target paid --report keys.html

        thalweg keyed orders.csv --key shop,customer --target paid --folder orders.keyed --jobs 2

        thalweg keyed incoming/ --key device --target fault --id event --folder faults.keyed --follow 60

        thalweg keyed orders.csv --key customer --start copy --shared earlier.tw --out predictions.csv
    """
    from thalweg.commands.keyed_results import show_and_write
    from thalweg.commands.model_files import load, make_model
    from thalweg.keyed import run
    from thalweg.keyed.sinks import FileSink, FolderSink, as_sink

    sink = as_sink(out, csv_safe)
    files = [out if isinstance(sink, FileSink) else None, figures]
    is_folder = Path(source).is_dir()
    read = map(str, Path(source).iterdir()) if is_folder else [source]
    check_writable(*files, page=report, inputs=[*read, shared])
    if is_folder and isinstance(sink, FolderSink) and sink.folder.samefile(source):
        raise ValueError(f"--out {out}: outputs there would be read as events: give another folder")
    names = [name for text in key for name in listed(text)]
    made = make_learner(learner or LEARNER, set_ or [], 0)
    model, reading = make_model(made, file_options)
    unused = [name for name in reading if name not in READING]
    if unused:
        name = unused[0].replace("_", "-")
        raise ValueError(f"--{name} is not used here: rows that cannot be read are reported")
    with ExitStack() as stack:
        place = folder or stack.enter_context(tempfile.TemporaryDirectory(prefix="thalweg-keyed-"))
        stack.enter_context(columns_are_shown())
        stack.enter_context(label_warnings_are_said())
        bar = stack.enter_context(Bar(f"a model for every {' and '.join(names)}", "{}", "", json))
        try:
            done = run(
                source, sink, folder=place, learner=model, key=names[0] if len(names) == 1 else names,
                order=order, id=id_, weight=weight, start=start, n_jobs=jobs, n_buckets=buckets,
                follow=follow, new_labels=new_labels, shared=None if shared is None else load(shared),
                **reading,
                progress=lambda n, share: bar.show(n, round(n / share) if share else None, f"{n:,} events"),
            )  # fmt: skip
        except KeyboardInterrupt:
            if folder is not None:
                say(f"thalweg: interrupted; the same command continues from {folder}", error=True)
                raise typer.Exit(INTERRUPTED) from None
            raise
        bar.bar.stop()
        show_and_write(done, source, report, figures, json, csv_safe)
        if done.n_rows and done.counts.get("refused") == done.n_rows:
            raise ValueError(f"{source}: none of its {done.n_rows:,} events could be read")
