"""What a command does when its figures are computed: print them, then write files."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def check_writable(*paths: str | None) -> None:
    """Raise ValueError if one of the files cannot be written, before hours of work are lost."""
    for path in paths:
        if path is None:
            continue
        if Path(path).is_dir():
            raise ValueError(f"{path} is a folder: give the name of a file")
        folder = Path(path).resolve().parent
        if not folder.is_dir():
            raise ValueError(f"{path}: there is no folder {folder}")


def column_lines(columns: Any, pipeline: str | None = None) -> list[str]:
    """Return what the columns of a file were taken for, a line for each kind, and warnings."""
    if columns is None:
        return []
    lines = [f"{kind:9} {names}" for kind, names in columns.in_words()]
    lines += [f"pipeline  {pipeline}"] if pipeline else []
    return lines + [f"warning   {warning}" for warning in columns.warnings]


def do_all(*steps: Callable[[], object]) -> None:
    """Call each step, also if one before it failed; raise afterwards what was raised.

    A full disk or a closed pipe then costs one step, not the results. Several errors are an ExceptionGroup.
    """
    errors: list[Exception] = []
    ended: SystemExit | None = None
    for step in steps:
        try:
            step()
            sys.stdout.flush()
        except Exception as error:
            errors.append(error)
        except SystemExit as error:  # rich raises it when a pipe was closed
            ended = error
    if len(errors) > 1:
        raise ExceptionGroup("several files could not be written", errors)
    if errors:
        raise errors[0]
    if ended is not None:
        raise ended
