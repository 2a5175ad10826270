"""Run many jobs on all processors and cache their results in files."""

import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from thalweg._atomic_file import replacing

Key = TypeVar("Key")


class Job(NamedTuple):
    """A function and its arguments, and the file that caches its result, if any.

    The result must be what JSON can hold. Whatever it depends on belongs in the name of the file. A dict with
    the key "error" is not cached: what was missing may be there next time.
    """

    function: Callable[..., Any]
    arguments: dict[str, Any]
    cache_file: Path | None = None


def run_jobs(
    jobs: Mapping[Key, Job], n_processes: int, fresh: bool = False
) -> Iterator[tuple[Key, Any]]:
    """Yield (key, result) of each job: first the cached ones, unless `fresh`, then the others as they end.

    `n_processes` of them run at a time.
    """
    missing = dict(jobs)
    for key, job in jobs.items():
        cached = None if fresh or job.cache_file is None else _read(job.cache_file)
        if cached is not None:
            del missing[key]
            yield key, cached
    can_write = True
    for key, result in _run(missing, n_processes):
        file = missing[key].cache_file
        if can_write and file is not None and not (isinstance(result, dict) and "error" in result):
            can_write = _write(file, result)
        yield key, result


def _run(jobs: Mapping[Key, Job], n_processes: int) -> Iterator[tuple[Key, Any]]:
    if n_processes == 1 or len(jobs) < 2:
        for key, job in jobs.items():
            yield key, job.function(**job.arguments)
        return
    from joblib import Parallel, delayed

    # Fresh processes: a forked one may hang on locks that threads of this one hold.
    pool = Parallel(
        n_processes, backend="loky", return_as="generator_unordered", pre_dispatch="all", batch_size=1
    )
    results = pool(delayed(_with_key)(key, job.function, job.arguments) for key, job in jobs.items())
    while True:
        # loky warns when it replaces a worker that has grown large, which changes no result.
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=UserWarning, module="joblib")
            try:
                result = next(results)
            except StopIteration:
                return
        yield result


def _with_key(key: Key, function: Callable[..., Any], arguments: dict[str, Any]) -> tuple[Key, Any]:
    return key, function(**arguments)


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _write(path: Path, result: Any) -> bool:
    """Write a result to its file; return whether that was possible, and warn if it was not."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(json.dumps(result).encode())
    except OSError as error:
        reason = f"{error.strerror or error}; set THALWEG_CACHE to another folder"
        warnings.warn(f"runs are not kept for later: cannot write {path}: {reason}", stacklevel=2)
        return False
    return True
