"""The windows of `thalweg drift`: rows, days or weeks."""

import numpy as np

from thalweg.evaluation.drift.whole_days import DayOfRow, days_in
from thalweg.streams.base import Stream

WINDOW, LEAST_WINDOW, N_WINDOWS = 1000, 50, 20
LEAST_SPANS, MOST_ROWS = 4, 500_000  # windows of days or weeks: how many, and rows that are in memory


def lengths(
    window: str | None, reference: str | None, stream: Stream, first: Stream | None, rows: int | None
) -> tuple[str | None, int, int]:
    """Return the span of windows if it is one of days, and the rows of a window and of the reference."""
    span = n_reference = None
    if window is None and reference is None:
        span = usual_span(stream, first, rows)
    elif window is not None and days_in(window):
        span = window
    n_rows = None if span or window is None else read_rows("--window", window, 20)
    if reference is not None and not (span and days_in(reference)):
        if span:
            raise ValueError(f"--reference {reference}: give days or weeks, as --window {window} does")
        n_reference = read_rows("--reference", reference, 40)
    n_rows = n_rows or usual_window(rows or stream.n_rows or length_if_short(stream))
    return span, n_rows, n_reference or 2 * n_rows


def read_rows(option: str, text: str, least: int) -> int:
    """Return a number of rows given as text."""
    if not text.strip().isdigit() or int(text) < least:
        raise ValueError(f"{option} {text}: give a number of rows, at least {least}, or day, week, 2 weeks")
    return int(text)


def usual_span(stream: Stream, first: Stream | None, rows: int | None) -> str | None:
    """Return "week" or "day" if the rows have dates and enough of these for windows of them, else None."""
    spans = [days_covered(each, rows) for each in (stream, first) if each is not None]
    known = [span for span in spans if span is not None]
    if len(known) < len(spans):
        return None
    for name, days in (("week", 7), ("day", 1)):
        least = days * (LEAST_SPANS if first is None else LEAST_SPANS // 2)
        if all(n >= least and LEAST_WINDOW <= days * per_day <= MOST_ROWS for n, per_day in known):
            return name
    return None


def days_covered(stream: Stream, rows: int | None) -> tuple[float, float] | None:
    """Return about how many days a stream covers and how many rows it has a day; None without dates."""
    if stream.is_once:
        return None
    try:
        day_of_row = DayOfRow(stream)
        X = next(stream.coded_blocks(WINDOW * N_WINDOWS), (np.empty((0, stream.n_features)),))[0]
        days = day_of_row.of(X)
    except ValueError:  # no dates, rows that are not in their order, or a bad row, which is reported later
        return None
    n_rows = rows or stream.n_rows or stream.expected_rows(len(X))
    days = days[np.isfinite(days)]
    if not len(days) or n_rows is None:
        return None
    per_day = len(X) / (days[-1] - days[0] + 1)
    return n_rows / per_day, per_day


def usual_window(n_rows: int | None) -> int:
    """Return 1000 rows, or a twentieth of a short stream."""
    return WINDOW if n_rows is None else max(LEAST_WINDOW, min(WINDOW, n_rows // N_WINDOWS))


def length_if_short(stream: Stream) -> int | None:
    """Return the number of rows if a look at the first ones finds the end; None if not or if it cannot."""
    if stream.is_once:
        return None
    n_rows = len(next(stream.coded_blocks(WINDOW * N_WINDOWS), ((), ()))[0])
    return n_rows if n_rows < WINDOW * N_WINDOWS else None
