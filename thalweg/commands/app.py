"""The command `thalweg`: its subcommands, and what it says when one fails."""

import os
import sys
from importlib import import_module
from typing import Annotated, NoReturn

import typer

from thalweg.commands import wording
from thalweg.commands.entry import INTERRUPTED, is_interruption
from thalweg.commands.options import Commands, OnceCommand
from thalweg.commands.outputs import prepare_streams, say

# The name of each command, and its module in this package, which has a function of the same name: the
# parameters of the function are the options, its docstring is the help.
COMMANDS = {
    "run": "run",
    "predict": "predict",
    "continue": "continue_",
    "inspect": "inspect",
    "compare": "compare",
    "tune": "tune",
    "drift": "drift",
    "label-errors": "label_errors",
    "estimate": "estimate",
    "list": "list_",
    "reproduce": "reproduce",
    "serve": "serve",
    "live": "live",
    "keyed": "keyed",
}

app = typer.Typer(
    name="thalweg",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    cls=Commands,
)
for _name, _module in COMMANDS.items():
    _function = getattr(import_module(f"thalweg.commands.{_module}"), _module)
    app.command(_name, cls=OnceCommand)(_function)


def _print_version(wanted: bool) -> None:
    if wanted:
        import thalweg

        say(f"thalweg {thalweg.__version__}")
        raise typer.Exit


VERSION = typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)


@app.callback()
def about(version: Annotated[bool, VERSION] = False) -> None:
    """Classifiers for data streams whose rules keep changing.

    Start with `thalweg run FILE.csv --target COLUMN`, or without a file with `thalweg run sea`. Each command
    explains itself: `thalweg run --help`.
    """


def main() -> NoReturn:
    """Run the command; an error is one line on standard error and exit code 2."""
    # joblib's processes warn about what they clean up after Ctrl-C.
    os.environ.setdefault("PYTHONWARNINGS", "ignore:resource_tracker:UserWarning")
    prepare_streams()
    try:
        code = app(prog_name="thalweg", standalone_mode=False)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except Exception as error:
        code = INTERRUPTED if is_interruption(error) else 2
        if code == 2:
            for each in error.exceptions if isinstance(error, ExceptionGroup) else [error]:
                say(f"thalweg: {_one_line(each)}", error=True)
    if code == INTERRUPTED:
        say("thalweg: interrupted", error=True)
    sys.exit(code)


def _one_line(error: Exception) -> str:
    # Usage errors carry format_message; what a user can mend is a ValueError or an OSError of ours.
    if hasattr(error, "format_message"):
        return " ".join(error.format_message().split())
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename else str(error)
    if isinstance(error, ValueError):
        return " ".join(wording.error_text(error).split())
    if isinstance(error, MemoryError):
        return f"not enough memory: {error}"
    return _bug(error)


def _bug(error: Exception) -> str:
    """Return a line about an error that is our mistake; THALWEG_TRACEBACK=1 prints where it comes from."""
    import traceback

    import thalweg

    if os.environ.get("THALWEG_TRACEBACK"):
        traceback.print_exception(error)
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else "?"
    said = " ".join(str(error).split())[:200]
    return (
        f"a mistake in thalweg {thalweg.__version__}, not in your data: {type(error).__name__} at {place}: "
        f"{said}. Please report this line with the command; THALWEG_TRACEBACK=1 shows the details"
    )
