"""Runs many calls on all processors and keeps what they return in files."""

import json
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from thalweg._atomic_file import replacing


class Call(NamedTuple):
    """A function and its arguments, and the file that keeps what it returns, if any.

    The result must be what JSON can hold. Whatever it depends on belongs in the name of the file. A dict with
    the key "error" is not kept: what was missing may be there next time.
    """

    function: Callable[..., Any]
    arguments: dict[str, Any]
    place: Path | None = None


def run_calls(
    calls: Mapping[str, Call], workers: int | None = None, fresh: bool = False
) -> Iterator[tuple[str, Any]]:
    """Yield (name, result) of each call: first what is kept, then the others as they end.

    Parameters
    ----------
    calls : dict of str to Call
        The calls by name.
    workers : int or None
        Number of processes; by default one for each processor.
    fresh : bool
        Run also what is kept already.
    """
    missing = dict(calls)
    for name, call in calls.items():
        kept = None if fresh or call.place is None else _read(call.place)
        if kept is not None:
            del missing[name]
            yield name, kept
    for name, result in _run(missing, workers or os.cpu_count() or 1):
        place = missing[name].place
        if place is not None and not (isinstance(result, dict) and "error" in result):
            _write(place, result)
        yield name, result


def _run(calls: Mapping[str, Call], workers: int) -> Iterator[tuple[str, Any]]:
    if workers == 1 or len(calls) < 2:
        for name, call in calls.items():
            yield name, call.function(**call.arguments)
        return
    from joblib import Parallel, delayed

    # Fresh processes: a forked one may hang on locks that threads of this one hold.
    pool = Parallel(
        workers, backend="loky", return_as="generator_unordered", pre_dispatch="all", batch_size=1
    )
    results = pool(delayed(_named)(name, call.function, call.arguments) for name, call in calls.items())
    while True:
        # loky warns when it replaces a worker that has grown large, which changes no result.
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=UserWarning, module="joblib")
            try:
                result = next(results)
            except StopIteration:
                return
        yield result


def _named(name: str, function: Callable[..., Any], arguments: dict[str, Any]) -> tuple[str, Any]:
    return name, function(**arguments)


def _read(place: Path) -> Any:
    try:
        return json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _write(place: Path, result: Any) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with replacing(place) as file:
        file.write(json.dumps(result).encode())
