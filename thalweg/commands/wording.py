"""Messages of the library in the words of the command: options instead of parameters."""

import re
from dataclasses import replace
from typing import Any

from thalweg.errors import Advice, Message, ParameterError, StreamError

# Functions behind commands: their parameters are options of the same names, but for a few.
FUNCTIONS = (
    "AccuracyEstimate", "Model", "chunked", "compare", "from_file", "open_stream", "prequential", "reproduce",
    "run", "serve", "tune",
)  # fmt: skip
OTHER_NAMES = {"n_jobs": "jobs"}
OF_THE_SHELL = re.compile(r"[\s'\"$`\\;&|<>()*?!#~]")


def option(parameter: str) -> str:
    """Return the option for a parameter of a function."""
    return f"--{OTHER_NAMES.get(parameter, parameter).replace('_', '-')}"


def in_options(text: str) -> str:
    """Return a message with options: `pass --ignore a,b` where it is `pass ignore=['a', 'b']` in Python."""
    return text.worded(_setting) if isinstance(text, Message) else text


def _setting(advice: Advice) -> str:
    name, value = option(advice.parameter), advice.value
    if isinstance(value, bool):
        return name if value else f"--no-{name[2:]}"
    if value == [...]:
        return f"{name} a,b,…"
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    quoted = '"' + re.sub(r'(["$`\\])', r"\\\1", text) + '"'
    return f"{name} {quoted if OF_THE_SHELL.search(text) else text}"


def error_text(error: Exception) -> str:
    """Return the message of an error with options instead of parameters."""
    if isinstance(error, ParameterError) and error.parameter and error.owner in FUNCTIONS:
        start = f"{error.context}: " if error.context else ""
        return f"{start}{option(error.parameter)} {error.problem}"
    return in_options(error.message) if isinstance(error, StreamError) else str(error)


def word_for_command(result: Any) -> None:
    """Word the warnings and messages of a Run, or of another result with `columns`, for the command.

    The terminal, the page and the JSON then say the same.
    """
    if result.columns is not None:
        warnings = tuple(map(in_options, result.columns.warnings))
        result.columns = replace(result.columns, warnings=warnings)
    if hasattr(result, "messages"):
        result.messages = list(map(in_options, result.messages))
