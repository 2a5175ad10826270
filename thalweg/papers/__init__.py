"""The papers behind the learners: their experiments run again, their claims beside what we measure.

A paper `x` has three modules:

    x.py           a docstring with a one-line summary, TITLE, REFERENCE, and tasks(quick, data): the Tasks to
                   run; `data` is the folder of the public datasets, or None; if TAKES_FILES is set, a third
                   argument has files of the user to run as well
    x_tables.py    report(results): a Report on {task's key: its result}
    x_figures.py   draw(results, folder): writes the paper's figures into `folder`, yields their paths

What would make one of them long is beside it: x_claims.py has the claims, x_runs.py and x_results.py how
results are made or looked up. Results are cached by the source of the module whose function makes them.
"""

import importlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from thalweg._misspelt import hint

if TYPE_CHECKING:
    from thalweg.papers.reports import Report

NAMES = ("forgetting", "huwrs", "iboost", "particle-filter", "robust")
__all__ = ["reproduce", "summaries"]


def summaries() -> list[tuple[str, str]]:
    """Return (name, one line about it) of each paper, without importing it."""
    folder = Path(__file__).parent
    texts = ((name, (folder / f"{_module(name)}.py").read_text(encoding="utf-8")) for name in NAMES)
    return [(name, text.split('"""')[1].splitlines()[0]) for name, text in texts]


def reproduce(
    name: str, quick: bool = False, *, data: str | Path | None = None, figures: str | Path | None = None,
    n_jobs: int | None = -1, fresh: bool = False, quiet: bool = True, files: Sequence[str | Path] = (),
) -> "Report":
    """Run a paper's experiments and return the Report.

    Parameters
    ----------
    name : str
        One of the names `summaries` lists.
    quick : bool
        Fewer repetitions: a look, not a result.
    data : str or Path, optional
        Folder of the public datasets; else THALWEG_DATA.
    figures : str or Path, optional
        Folder to draw the paper's figures into (needs matplotlib).
    n_jobs : int or None
        Number of processes: -1 for all cores, -2 for all but one, None for 1.
    fresh : bool
        Measure again even what is in the cache.
    quiet : bool
        Show no progress.
    files : sequence of str or Path
        Files of your own to run the methods on, where the paper allows it.
    """
    if name not in NAMES:
        raise ValueError(f"there is no paper {name!r}; {hint(name, NAMES, 'papers')}")
    if figures is not None:
        Path(figures).mkdir(parents=True, exist_ok=True)
    from thalweg.papers.running import run_tasks

    module = f"thalweg.papers.{_module(name)}"
    paper, tables, drawing = (importlib.import_module(module + end) for end in ("", "_tables", "_figures"))
    if files and not getattr(paper, "TAKES_FILES", False):
        raise ValueError(f"the experiments of {name!r} cannot be run on files of your own")
    folder = None if data is None else str(data)
    tasks = paper.tasks(quick, folder, files) if files else paper.tasks(quick, folder)
    results = run_tasks(name, tasks, n_jobs, fresh, quiet)
    report: Report = tables.report(results)
    report.notes += ["Quick: too few runs for a result."] if quick else []
    report.drawing = partial(drawing.draw, results)
    if figures is not None:
        report.draw(figures)
    return report


def _module(name: str) -> str:
    return name.replace("-", "_")
