"""Run a paper's tasks on all processors; cache each result under its settings."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from thalweg._parameters import n_threads
from thalweg.errors import StreamError
from thalweg.evaluation.comparison.cache_keys import cache_file
from thalweg.evaluation.comparison.parallel import Job, run_jobs
from thalweg.streams import datasets

SECONDS_BETWEEN_LINES = 10

Result: TypeAlias = dict[str, Any]
"""The result of a task, where it is a dict."""

Results: TypeAlias = dict[tuple[Any, int], Any]
"""The result of each task, by its setting and its seed."""


@dataclass(frozen=True)
class Task:
    """A call that can be repeated: `run(**settings)` returns what JSON can hold.

    Its key, a setting and a seed, is what its result is looked up by.
    """

    key: tuple[Any, int]
    run: Callable[..., Any]
    settings: dict[str, Any] = field(default_factory=dict)


def run_tasks(
    paper: str, tasks: Iterable[Task], n_jobs: int | None = -1, fresh: bool = False, quiet: bool = True
) -> Results:
    """Return {task's key: its result}, from the cache where it has been run with these settings before."""
    jobs = {task.key: Job(task.run, task.settings, _cache_file(paper, task)) for task in tasks}
    return dict(_progress(run_jobs(jobs, n_threads("reproduce", n_jobs), fresh), len(jobs), paper, quiet))


def by_setting(results: Results) -> dict[Any, list[Any]]:
    """Return the results of each setting, in the order of their seeds, so that settings can be paired."""
    found: dict[Any, dict[int, Any]] = {}
    for (setting, seed), result in results.items():
        found.setdefault(setting, {})[seed] = result
    return {setting: [of_seed[seed] for seed in sorted(of_seed)] for setting, of_seed in found.items()}


def has_dataset(name: str, data: str | None) -> bool:
    """Return whether a public dataset can be read, from the folder `data` or else from the usual places."""
    try:
        datasets.load(name, data=data)
    except StreamError:
        return False
    return True


def _cache_file(paper: str, task: Task) -> Path | None:
    files = [Path(task.settings["file"])] if task.settings.get("file") else []
    if "data" in task.settings:
        data = task.settings["data"]
        files += [path for name in datasets.names() for path in datasets.places(name, data)]
    return cache_file(f"papers/{paper}", [task.run, task.settings], files)


def _progress(
    results: Iterator[tuple[Any, Any]], total: int, paper: str, quiet: bool
) -> Iterator[tuple[Any, Any]]:
    """Yield the results; show how far they are on standard error: a bar, or without a terminal some lines."""
    if quiet:
        yield from results
        return
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    if console.is_terminal:
        yield from track(results, paper, total, console=console, transient=True)
    else:
        yield from _lines(results, total, paper)


def _lines(results: Iterator[tuple[Any, Any]], total: int, paper: str) -> Iterator[tuple[Any, Any]]:
    start = said = time.monotonic()
    for done, result in enumerate(results, start=1):
        now = time.monotonic()
        if done == total or now - said >= SECONDS_BETWEEN_LINES:
            print(f"{paper}: {done} of {total} runs done in {now - start:.0f} s", file=sys.stderr, flush=True)
            said = now
        yield result
