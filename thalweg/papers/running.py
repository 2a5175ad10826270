"""Runs a paper's tasks on all processors, keeping each result in a cache folder under its settings."""

import hashlib
import inspect
import json
import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field

from thalweg.streams.openml import cache_folder


@dataclass(frozen=True)
class Task:
    """A call that can be repeated: `run(**settings)` returns what JSON can hold."""

    name: str
    run: Callable
    settings: dict = field(default_factory=dict)


def run_tasks(paper, tasks, workers=None, fresh=False, quiet=True):
    """Return {task's name: its result}, from the cache where it has been run with these settings before."""
    places = {task.name: _place(paper, task) for task in tasks}
    results = {} if fresh else {name: _read(place) for name, place in places.items() if place.is_file()}
    missing = [task for task in tasks if task.name not in results]
    for name, result in _progress(_run(missing, workers or os.cpu_count() or 1), len(missing), paper, quiet):
        places[name].parent.mkdir(parents=True, exist_ok=True)
        places[name].write_text(json.dumps(result), encoding="utf-8")
        results[name] = result
    return results


def _run(tasks, workers):
    if workers == 1 or len(tasks) < 2:
        for task in tasks:
            yield task.name, task.run(**task.settings)
        return
    # Fresh processes: a forked one may hang on locks that threads of this one hold.
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        running = {pool.submit(task.run, **task.settings): task.name for task in tasks}
        try:
            for done in as_completed(running):
                yield running[done], done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _place(paper, task):
    # A changed experiment is another one, and so is one of another version of the library.
    from thalweg import __version__ as version

    source = inspect.getsource(inspect.getmodule(task.run))
    key = json.dumps([version, source, task.run.__qualname__, task.settings], sort_keys=True)
    return cache_folder() / "papers" / paper / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"


def _read(place):
    return json.loads(place.read_text(encoding="utf-8"))


def _progress(results, total, paper, quiet):
    if quiet or not total:
        yield from results
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(results, paper, total, console=Console(stderr=True), transient=True)
