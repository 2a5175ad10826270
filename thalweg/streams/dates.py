"""Dates and times in files: how they are written, and the inputs that they become."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from thalweg._kernels.step_dates import date_inputs
from thalweg._types import Floats
from thalweg.streams.columns import Problems, as_texts, distinct, shown
from thalweg.streams.date_parts import PARTS, part_inputs
from thalweg.streams.moments import DAY, Moments, of_arrow, of_numbers, of_text

WRONG, WRONG_IF_TOLD = 0.05, 0.5  # most values of a column of dates that are none


class Layout(NamedTuple):
    """How dates are written: its name for messages, and what is before the time, as a regular expression."""

    name: str
    day: str


YEAR_FIRST = Layout("year-month-day", r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})")
DAY_FIRST = Layout("day.month.year", r"(?P<d>\d{1,2})[-/.](?P<m>\d{1,2})[-/.](?P<y>\d{4})")
MONTH_FIRST = Layout("month/day/year", r"(?P<m>\d{1,2})[-/.](?P<d>\d{1,2})[-/.](?P<y>\d{4})")
CLOCK = Layout("a time of day", "")
NUMBER = Layout("seconds since 1970", "")
ARROW = Layout("dates", "")
LAYOUTS = (
    YEAR_FIRST,
    DAY_FIRST,
    MONTH_FIRST,
    Layout("day month year", r"(?P<d>\d{1,2})[- .]+(?P<b>[A-Za-z]{3,9})[- .,]+(?P<y>\d{4})"),
    Layout("month day, year", r"(?P<b>[A-Za-z]{3,9})[- .]+(?P<d>\d{1,2})[ ,]+(?P<y>\d{4})"),
    CLOCK,
)
SHORT_LAYOUTS = (  # too much like numbers and versions to be found without being asked for
    Layout("yearmonthday", r"(?P<y>(?:19|20|21)\d{2})(?P<m>\d{2})(?P<d>\d{2})"),
    Layout("day.month.yy", r"(?P<d>\d{1,2})[-/.](?P<m>\d{1,2})[-/.](?P<y>\d{2})"),
    Layout("month/day/yy", r"(?P<m>\d{1,2})[-/.](?P<d>\d{1,2})[-/.](?P<y>\d{2})"),
    NUMBER,
)


@dataclass(frozen=True)
class Dates:
    """Reads a column of dates as inputs.

    `elapsed` are days since `origin`, the first date of the file; the time of day, weekday and month are each
    a sine and a cosine, so that 23:59 is next to 0:00 and December next to January. The time is also a number
    of hours, which trees can split once. The time, weekday and month are those that the file states; elapsed
    days take time zones into account.
    """

    layout: Layout
    origin: float
    parts: tuple[str, ...]
    is_ambiguous: bool = False

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs within the column."""
        return tuple(name for part in self.parts for name in part_inputs(part))

    @classmethod
    def named(cls, layout: str, origin: float, parts: tuple[str, ...]) -> "Dates":
        """Return how to read dates whose layout has this name."""
        found = {each.name: each for each in (*LAYOUTS, *SHORT_LAYOUTS, ARROW)}
        return cls(found[layout], origin, parts)

    def to_plain(self) -> dict[str, Any]:
        """Return its part of a schema."""
        return {"layout": self.layout.name, "origin": self.origin, "parts": list(self.parts)}

    def read(self, array: Any) -> tuple[Floats, Problems]:
        """Return rows × inputs, NaN if missing, and a list of (position, error message)."""
        moments, missing, values = _moments(array, self.layout)
        hint = f"is not a date as the first rows have them ({self.layout.name}); for text, pass categorical"
        wrong = np.flatnonzero(np.isnan(moments.wall) & ~missing).tolist()
        X = date_inputs(moments.wall, moments.utc, self.origin, self.parts)
        return X, [(i, f"{shown(values[i].as_py())} {hint}") for i in wrong]


def find_dates(arrays: list[Any], wanted: Sequence[str], told: bool) -> Dates | None:
    """Return how to read a column whose first rows are `arrays` as dates; None if these are not dates.

    A few values may be wrong, which are errors when their rows are read. `wanted` are the parts that may
    become inputs; `told` says whether the user names the column as one of dates. Where day and month could be
    swapped, the order is used in which dates run backwards less often, then the one in which they span less
    time.
    """
    if pa.types.is_temporal(arrays[0].type):
        return _dates(ARROW, _joined(arrays, ARROW)[0], wanted)
    if not told and not _may_be_dates(arrays):
        return None
    found = []
    for layout in (*LAYOUTS, *SHORT_LAYOUTS) if told else LAYOUTS:
        moments, n_wrong = _joined(arrays, layout)
        if n_wrong <= (WRONG_IF_TOLD if told else WRONG) * (n_wrong + len(moments.wall)):
            found.append((n_wrong, layout, moments))
        if found and layout not in (DAY_FIRST, *SHORT_LAYOUTS[1:2]):
            break
    if not found:
        return None
    least = min(n_wrong for n_wrong, _, _ in found)
    good = [(layout, moments) for n_wrong, layout, moments in found if n_wrong == least]
    layout, best = min(good, key=lambda each: _disorder(each[1].utc))
    is_ambiguous = len(good) > 1 and not np.array_equal(good[0][1].wall, good[1][1].wall)
    return _dates(layout, best, wanted, is_ambiguous)


def like_dates(known: Dates, arrays: list[Any]) -> Dates | None:
    """Return how to read a column whose first rows are `arrays` as the inputs of `known`.

    None if these are not all dates, or times of day while `known` needs the day.
    """
    found: Dates | None = known
    is_arrow = pa.types.is_temporal(arrays[0].type)
    if is_arrow or known.layout is ARROW or _joined(arrays, known.layout)[1]:
        found = find_dates(arrays, PARTS, told=True)
    if found is None and known.layout is not ARROW and len(_joined(arrays, known.layout)[0].wall):
        found = known
    if found is None:
        return None
    is_clock = found.layout is CLOCK or pa.types.is_time(arrays[0].type)
    if is_clock and set(known.parts) - {"time"}:
        return None
    return Dates(found.layout, known.origin, known.parts, found.is_ambiguous)


def _dates(layout: Layout, moments: Moments, wanted: Sequence[str], ambiguous: bool = False) -> Dates:
    wall = moments.wall
    has_time = bool((wall % DAY != 0).any())
    has_days = bool((wall >= DAY).any() or (wall < 0).any()) if len(wall) else True
    parts = tuple(part for part in wanted if (has_time if part == "time" else has_days))
    origin = float(moments.utc[0]) if len(wall) else 0.0
    return Dates(layout, origin, parts, ambiguous)


def _disorder(utc: Floats) -> tuple[int, float]:
    return int(np.count_nonzero(np.diff(utc) < 0)), float(np.ptp(utc)) if len(utc) else 0.0


def _joined(arrays: list[Any], layout: Layout) -> tuple[Moments, int]:
    """Return the dates of all arrays, and how many values are neither dates nor missing."""
    wall, utc, n_wrong = [], [], 0
    for array in arrays:
        moments, missing, _ = _moments(array, layout)
        good = ~np.isnan(moments.wall)
        n_wrong += int(np.count_nonzero(~good & ~missing))
        wall.append(moments.wall[good])
        utc.append(moments.utc[good])
    return Moments(np.concatenate(wall), np.concatenate(utc)), n_wrong


def _moments(array: Any, layout: Layout) -> tuple[Moments, Any, Any]:
    """Return the dates, whether each value is missing, and the values."""
    if layout is ARROW:
        return of_arrow(array), np.asarray(array.is_null()), array
    values, positions = distinct(array)
    texts = as_texts(values)
    moments = of_numbers(texts) if layout is NUMBER else of_text(texts, layout.day, layout is CLOCK)
    nothing = np.append(np.asarray(texts.is_null()), True)
    wall, utc = (np.append(each, np.nan)[positions] for each in moments)
    return Moments(wall, utc), nothing[positions], array


def _may_be_dates(arrays: list[Any]) -> bool:
    starts = (array.unique()[:10].drop_null().to_pylist() for array in arrays)
    texts = [str(value) for value in next(filter(None, starts), [])]
    return any(any(c.isdigit() for c in text) and any(c in text for c in "-/.: ") for text in texts)
