"""Errors of live models and of the library as refused requests."""

import logging
import re

from thalweg.errors import ParameterError, StateError, StreamError, WaitingError
from thalweg.live.errors import LiveError, LiveStopped, QueueFull, Recovering, RowError
from thalweg.service.request_error import RequestError

log = logging.getLogger("thalweg.service")
RETRY_SECONDS = 1.0
# How the readers of files name a cell: "records, data row 1, column 'price': 'much' is not a number; pass …".
_PLACE = re.compile(r"records, (?:data row (?P<row>\d+), )?column '(?P<column>.*?)': (?P<problem>.*)", re.S)


def as_request_error(error: BaseException, is_one: bool = True) -> RequestError:
    """Return the refusal for an error; one that is a mistake of ours is logged and becomes status 500.

    `is_one` says that the client sent one row: then the answer does not number it.
    """
    if isinstance(error, RequestError):
        return error
    if isinstance(error, QueueFull):
        return RequestError("queue_full", f"{error}", retry_after=RETRY_SECONDS)
    if isinstance(error, Recovering):
        return RequestError("recovering", f"{error}", retry_after=RETRY_SECONDS)
    if isinstance(error, RowError):
        return _wrong_row(error, is_one)
    if isinstance(error, LiveStopped):
        return RequestError("stopped", f"{error}")
    if isinstance(error, LiveError):
        return RequestError("read_only" if type(error).__name__ == "ReadOnly" else "conflict", f"{error}")
    if isinstance(error, StreamError | WaitingError | ParameterError) and not isinstance(error, StateError):
        return RequestError("wrong_row", f"{error}")
    log.error("a request failed: %s", error, exc_info=error)
    return RequestError("internal", "a mistake in the service, not in the request; its log says more")


def _wrong_row(error: RowError, is_one: bool) -> RequestError:
    """Return the refusal of a row, with its place as data and without advice about files."""
    row, column, problem = error.row, error.column, error.problem
    found = _PLACE.match(problem)
    if found:
        row = row if found["row"] is None else int(found["row"]) - 1
        column, problem = found["column"], found["problem"].partition("; ")[0]
    row = None if is_one else row
    where = "" if row is None else f"row {row}: "
    return RequestError("wrong_row", f"{where}{'' if column is None else f'{column}: '}{problem}",
                        field=column, row=row)  # fmt: skip
