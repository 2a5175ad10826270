"""Messages of the library in the words of the command: options instead of parameters."""

import ast
import re
from dataclasses import replace
from typing import Any

from thalweg.commands.file_options import FILE_OPTIONS
from thalweg.errors import ParameterError

# Functions behind commands: their parameters are options of the same names.
FUNCTIONS = ("chunked", "compare", "from_file", "open_stream", "prequential", "tune")
PASSED = re.compile(rf"pass ({'|'.join(FILE_OPTIONS)})=(\[[^]]*\]|'[^']*'|\"[^\"]*\"|True|False)")
OF_THE_SHELL = re.compile(r"[\s'\"$`\\;&|<>()*?!#~]")


def option(parameter: str) -> str:
    """Return the option for a parameter of a function."""
    return f"--{parameter.replace('_', '-')}"


def in_options(text: str) -> str:
    """Return a message in which `pass ignore=['a', 'b']` is written as `pass --ignore a,b`."""
    return PASSED.sub(lambda found: f"pass {_setting(found[1], found[2])}", text)


def _setting(parameter: str, written: str) -> str:
    if written in ("True", "False"):
        return option(parameter) if written == "True" else f"--no-{option(parameter)[2:]}"
    if "…" in written:
        return f"{option(parameter)} a,b,…"
    try:
        value = ast.literal_eval(written)
    except (SyntaxError, ValueError):  # a name with a bracket in it
        return f"{option(parameter)} {written.strip('[]')}"
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    quoted = '"' + re.sub(r'(["$`\\])', r"\\\1", text) + '"'
    return f"{option(parameter)} {quoted if OF_THE_SHELL.search(text) else text}"


def error_text(error: Exception) -> str:
    """Return the message of an error with options instead of parameters."""
    if isinstance(error, ParameterError) and error.parameter and error.owner in FUNCTIONS:
        start = f"{error.context}: " if error.context else ""
        return f"{start}{option(error.parameter)} {error.problem}"
    return in_options(str(error))


def word_for_command(found: Any) -> None:
    """Word the warnings and messages of a Run, or of another result with `columns`, for the command.

    The terminal, the page and the JSON then say the same.
    """
    if found.columns is not None:
        warnings = tuple(map(in_options, found.columns.warnings))
        found.columns = replace(found.columns, warnings=warnings)
    if hasattr(found, "messages"):
        found.messages = list(map(in_options, found.messages))
