"""Windows of whole days or weeks: which day each row belongs to, and the rows of each span of days."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from thalweg._types import Block, Floats, Ints
from thalweg.evaluation.drift.inputs import weekday
from thalweg.evaluation.inputs.columns import InputColumns
from thalweg.streams.base import Stream, stream_name

DAY, MINUTES = 86_400.0, 1440  # seconds, and minutes of a day
NEEDED = {"elapsed", "weekday"}
SPAN = re.compile(r"(?:(\d+) )?(day|week)s?")
MISSED = 0.02  # most of the rows of a usual day that a whole first or last day may lack
DISORDER = 0.05  # most rows that may be more than a day older than one before them


class Span(NamedTuple):
    """The rows of some whole days: the number of the first row, the rows, and the codes of their labels."""

    start: int
    X: Floats
    codes: Ints


def days_in(text: str) -> int | None:
    """Return the number of days of a span such as "day", "week" or "2 weeks"; None if it is none."""
    found = SPAN.fullmatch(text.strip())
    if found is None or found[1] == "0":
        return None
    return int(found[1] or 1) * (7 if found[2] == "week" else 1)


class DayOfRow:
    """Says which day each row of a stream belongs to, by its first column of dates that has days."""

    def __init__(self, stream: Stream) -> None:
        columns = InputColumns(stream)
        found = [group for group in columns.columns if self._places(columns, group.inputs).keys() >= NEEDED]
        if not found:
            raise ValueError(
                f"{stream_name(stream)}: windows of days need a column of dates, read with the parts "
                f"{' and '.join(sorted(NEEDED))}"
            )
        self.name = found[0].name
        places = self._places(columns, found[0].inputs)
        self._elapsed, self._hour = places["elapsed"][0], places.get("time", [None])[0]
        self._weekday = places["weekday"]
        self._origin = float(columns.origin(self._elapsed).column["origin"]) / DAY
        self._latest = -np.inf
        self._by_minute = np.zeros(MINUTES + 1, dtype=np.int64)
        self._first = self._last = np.nan

    @staticmethod
    def _places(columns: InputColumns, inputs: tuple[int, ...]) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for j in inputs:
            places.setdefault(columns.origin(j).part, []).append(j)
        return places

    def of(self, X: Floats) -> Floats:
        """Return days since 1970 for consecutive rows, never falling; without a date, that of the row before.

        Raise ValueError if too many rows are older than rows before them.
        """
        hours = np.zeros(len(X)) if self._hour is None else X[:, self._hour]
        near = self._origin + X[:, self._elapsed] - hours / 24  # off by the time zone
        day = weekday(X[:, self._weekday]) - 3  # 1970 began on a Thursday
        day += 7 * np.rint((near - day) / 7)
        known = ~np.isnan(day)
        latest = np.maximum.accumulate(np.append(self._latest, np.where(known, day, -np.inf)))
        if np.count_nonzero(day[known] < latest[1:][known] - 1) > DISORDER * len(X):
            raise ValueError(f"{self.name}: rows are not in the order of time; give windows a number of rows")
        self._latest = latest[-1]
        if known.any():
            minutes = (60 * hours[known]).astype(np.intp)
            self._by_minute += np.bincount(minutes, minlength=MINUTES + 1)
            self._first = minutes[0] if np.isnan(self._first) else self._first
            self._last = minutes[-1]
        return latest[1:]

    def starts_whole(self) -> bool:
        """Return whether few rows so far have an earlier time of day than the first one."""
        return bool(self._by_minute[: int(self._first)].sum() <= MISSED * self._by_minute.sum())

    def ends_whole(self) -> bool:
        """Return whether few rows so far have a later time of day than the last one."""
        return bool(self._by_minute[int(self._last) + 1 :].sum() <= MISSED * self._by_minute.sum())


def whole_spans(blocks: Iterable[Block], day_of: DayOfRow, days: int) -> Iterator[Span]:
    """Yield the rows of each span of so many days, from the first whole day on; the last only if it is whole.

    The first and last days are whole if few rows of other days (2 %) lie before or after their time; for the
    first one the rows of the first block count.

    Memory: the rows of one span.
    """
    kept: list[Block] = []
    first, number, row, start = None, -1, 0, 0
    last_day = -np.inf
    for X, codes in blocks:
        day = day_of.of(X)
        if first is None and np.isfinite(day[-1]):
            first = day[np.isfinite(day)][0] + (not day_of.starts_whole())
        numbers = np.full(len(X), -1.0) if first is None else np.floor((day - first) / days)
        edges = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(X)]
        for a, b in pairwise(edges):
            if a < b and numbers[a] != number:
                if number >= 0:
                    yield _joined(start, kept)
                kept, number, start = [], numbers[a], row + a
            if number >= 0:
                kept.append((X[a:b], codes[a:b]))
        row, last_day = row + len(X), day[-1]
    is_last_day = first is not None and (last_day - first) % days == days - 1
    if kept and is_last_day and day_of.ends_whole():
        yield _joined(start, kept)


def _joined(start: int, kept: list[Block]) -> Span:
    X, codes = (np.concatenate(part) for part in zip(*kept, strict=True))
    return Span(start, X, codes)
