"""What a command prints and writes when its results are there."""

import io
import os
import stat
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thalweg._escaping import printable
from thalweg.errors import ColumnWarning, LabelWarning, RowWarning

if TYPE_CHECKING:
    from thalweg._console import Console
    from thalweg.streams.files.column_report import ColumnReport

_formatted = warnings.formatwarning
PAGE_SUFFIXES = (".html", ".htm")


@contextmanager
def columns_are_shown() -> Iterator[None]:
    """Ignore warnings about columns and rows, which a command shows in its own words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ColumnWarning)
        warnings.simplefilter("ignore", RowWarning)
        yield


@contextmanager
def label_warnings_are_said() -> Iterator[None]:
    """Say warnings about labels on standard error, in a line each."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", LabelWarning)
        show = warnings.showwarning

        def said(message: Any, category: type[Warning], *where: Any) -> None:
            if issubclass(category, LabelWarning):
                say(f"thalweg: warning: {message}", error=True)
            else:
                show(message, category, *where)

        warnings.showwarning = said  # type: ignore[assignment]
        yield


def check_writable(
    *paths: str | None, page: str | None = None, inputs: Iterable[str | None] = (), data: str | None = None
) -> None:
    """Raise ValueError if a file cannot be written, before work is lost.

    Neither may it be one of the `inputs` (files, or datasets in the folder `data`), also by another name, nor
    may two outputs be one file, nor a page have a name that is not one of HTML.
    """
    outputs = [path for path in (*paths, page) if path is not None]
    read = [path for name in inputs if outputs and name is not None for path in _paths_of(name, data)]
    taken = [status for status in map(_status, read) if status is not None]
    for path in outputs:
        if Path(path).is_dir():
            raise ValueError(f"{path} is a folder: give the name of a file")
        folder = Path(path).resolve().parent
        if not folder.is_dir():
            raise ValueError(f"{path}: there is no folder {folder}")
        status = _status(path)
        if status is not None and any(os.path.samestat(status, other) for other in taken):
            raise ValueError(f"{path} is read by this command, which would overwrite it: give another name")
    places = [Path(path).resolve() for path in outputs if _status(path) or not Path(path).exists()]
    twice = next((place for i, place in enumerate(places) if place in places[:i]), None)
    if twice is not None:
        raise ValueError(f"{twice} is written twice by this command: give each output a name of its own")
    if page is not None and Path(page).suffix.lower() not in PAGE_SUFFIXES:
        raise ValueError(f"--report {page}: a report is an HTML page: give a name that ends in .html")


def _paths_of(name: str, data: str | None) -> Sequence[str | os.PathLike[str]]:
    if name == "-" or Path(name).is_file():
        return [name]
    from thalweg.streams.named import paths_of

    return paths_of(name, data)


def _status(path: str | os.PathLike[str]) -> os.stat_result | None:
    """Return which file is at a path, or is standard input; None for devices, pipes and what is not there."""
    try:
        found = os.fstat(0) if path == "-" else os.stat(path)
    except OSError:
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def write_file(path: str | None, write: Callable[[str], object], message: str, quiet: bool) -> None:
    """Write a file if there is a path, then print where it is, the `message`, unless `quiet`."""
    if path:
        write(path)
        if not quiet:
            say(message)


def column_lines(columns: "ColumnReport | None", pipeline: str | None = None) -> list[str]:
    """Return lines on the columns of a file: one for each kind, then the warnings."""
    if columns is None:
        return []
    lines = [f"{kind:9} {names}" for kind, names in columns.in_words()]
    lines += [f"pipeline  {pipeline}"] if pipeline else []
    return lines + [f"warning   {warning}" for warning in columns.warnings]


def terminal() -> "Console":
    """Return the terminal, which prints text as it is: brackets are no markup, numbers have no colours."""
    from thalweg._console import Console

    return Console()


def prepare_streams() -> None:
    """Let the standard streams take any text: closed ones are empty, and text is escaped in warnings, too.

    What the encoding of the output does not have, such as ± in cp437, is printed as a question mark.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free, which is this one
            os.set_inheritable(number, True)
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115, lasts as long as the process
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    warnings.formatwarning = _format_warning


def _format_warning(message: Warning | str, *place: Any, **more: Any) -> str:
    return _formatted(printable(str(message)), *place, **more)


def say(line: str, error: bool = False) -> None:
    """Print a line of text, or write it to standard error, with what a terminal obeys escaped."""
    print(printable(line), file=sys.stderr if error else sys.stdout, flush=True)


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
