"""`thalweg reproduce`: the experiments of a paper, run again."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thalweg.commands import options
from thalweg.commands.outputs import do_all, say

if TYPE_CHECKING:
    from thalweg.papers.reports import Report


def reproduce(
    paper: Annotated[str | None, typer.Argument(help="The paper: see --list.")] = None,
    list_papers: Annotated[bool, typer.Option("--list", help="List the papers.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions: a look, not a result.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
    figures: Annotated[str | None, typer.Option(help="Draw the paper's figures into this folder.")] = None,
    data: options.Data = None,
    jobs: options.Jobs = -1,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure again what is kept.")] = False,
    files: Annotated[
        list[str] | None, typer.Option("--file", help="A file of your own to run on (huwrs); repeatable.")
    ] = None,
) -> None:
    """Run a paper's experiments again: its claims beside what is measured here.

    Results are kept in the cache folder (THALWEG_CACHE) under their settings: a second call only shows them.

    Examples:

        thalweg reproduce --list

        thalweg reproduce forgetting --quick

        thalweg reproduce forgetting --data ~/streams --figures figures
    """
    from thalweg import papers

    if list_papers or paper is None:
        for name, text in papers.summaries():
            say(f"{name}  {text}")
        return
    if figures is not None:
        Path(figures).mkdir(parents=True, exist_ok=True)
    report = papers.reproduce(
        paper, quick, data=data, n_jobs=jobs, fresh=fresh, quiet=json, files=files or ()
    )
    draw = partial(_draw, report, figures, json)
    do_all(draw, lambda: print(report.to_json())) if json else do_all(report.show, draw)


def _draw(report: "Report", folder: str | None, json: bool) -> None:
    if folder is not None:
        for path in report.draw(folder):
            if not json:
                say(f"drawn: {path}")
