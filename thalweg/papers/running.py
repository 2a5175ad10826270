"""Runs a paper's tasks on all processors, keeping each result in a cache folder under its settings."""

import hashlib
import inspect
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from thalweg.evaluation.comparison.parallel import Call, run_calls
from thalweg.streams.openml import cache_folder

SECONDS_BETWEEN_LINES = 10

Result: TypeAlias = dict[str, Any]
"""What a task returned, where it is a dict."""

Results: TypeAlias = dict[str, Any]
"""What each task returned, by its name."""


@dataclass(frozen=True)
class Task:
    """A call that can be repeated: `run(**settings)` returns what JSON can hold."""

    name: str
    run: Callable[..., Any]
    settings: dict[str, Any] = field(default_factory=dict)


def run_tasks(
    paper: str, tasks: Iterable[Task], workers: int | None = None, fresh: bool = False, quiet: bool = True
) -> Results:
    """Return {task's name: its result}, from the cache where it has been run with these settings before."""
    calls = {task.name: Call(task.run, task.settings, _place(paper, task)) for task in tasks}
    return dict(_progress(run_calls(calls, workers, fresh), len(calls), paper, quiet))


def _place(paper: str, task: Task) -> Path:
    # A changed experiment is another one, and so is one of another version of the library.
    from thalweg import __version__ as version

    source = inspect.getsource(sys.modules[task.run.__module__])
    key = json.dumps([version, source, task.run.__qualname__, task.settings], sort_keys=True)
    return cache_folder() / "papers" / paper / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"


def _progress(
    results: Iterator[tuple[str, Any]], total: int, paper: str, quiet: bool
) -> Iterator[tuple[str, Any]]:
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


def _lines(results: Iterator[tuple[str, Any]], total: int, paper: str) -> Iterator[tuple[str, Any]]:
    start = said = time.monotonic()
    for done, result in enumerate(results, start=1):
        now = time.monotonic()
        if done == total or now - said >= SECONDS_BETWEEN_LINES:
            print(f"{paper}: {done} of {total} runs done in {now - start:.0f} s", file=sys.stderr, flush=True)
            said = now
        yield result
