"""Dates and times in files: how they are written, and the inputs that they become."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from thalweg._native.calendar import date_inputs
from thalweg._types import Floats
from thalweg.streams.columns import date_layouts
from thalweg.streams.columns.column import Problems, distinct_texts, shown, texts_in
from thalweg.streams.columns.date_layouts import Layout
from thalweg.streams.columns.date_parts import PARTS, part_inputs
from thalweg.streams.columns.moments import DAY, Moments, of_arrow, of_numbers, of_text

WRONG, WRONG_IF_TOLD = 0.05, 0.5  # most values of a column of dates that are none
LEAST_STEPS, AGAINST = 5, 0.05  # of time from row to row: how many, and the share that may run the other way


@dataclass(frozen=True)
class Dates:
    """Reads a column of dates as inputs; of several `layouts` the first that fits a cell counts.

    `elapsed` are days since `origin`, the first date of the file; the time of day, weekday and month are each
    a sine and a cosine, so that 23:59 is next to 0:00 and December next to January. The time is also a number
    of hours, which trees can split once. The time, weekday and month are those that the file states; elapsed
    days take time zones into account.
    """

    layouts: tuple[Layout, ...]
    origin: float
    parts: tuple[str, ...]
    is_ambiguous: bool = False

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs within the column."""
        return tuple(name for part in self.parts for name in part_inputs(part))

    @classmethod
    def named(cls, layouts: str | list[str], origin: float, parts: tuple[str, ...]) -> "Dates":
        """Return how to read dates whose layouts have these names."""
        names = [layouts] if isinstance(layouts, str) else layouts
        if not names:
            raise ValueError("a date has no layout")
        return cls(tuple(date_layouts.BY_NAME[name] for name in names), origin, parts)

    @property
    def in_words(self) -> str:
        """How dates are written."""
        return ", ".join(layout.name for layout in self.layouts)

    def to_plain(self) -> dict[str, Any]:
        """Return its part of a schema."""
        names = [layout.name for layout in self.layouts]
        return {"layout": names if len(names) > 1 else names[0], "origin": self.origin,
                "parts": list(self.parts)}

    @property
    def order(self) -> str | None:
        """The order of day and month, "dmy" or "mdy"; None if it is neither, or both."""
        orders = {layout.order for layout in self.layouts} & {"dmy", "mdy"}
        return orders.pop() if len(orders) == 1 else None

    def times(self, arrays: list[Any]) -> Floats:
        """Return the times of all dates in `arrays`, in seconds; none if they have only a time of day."""
        is_arrow = pa.types.is_temporal(arrays[0].type)
        if not set(self.parts) - {"time"} or is_arrow != (self.layouts == (date_layouts.ARROW,)):
            return np.empty(0)
        return _joined(arrays, self.layouts)[0].utc

    def read(self, array: Any) -> tuple[Floats, Problems]:
        """Return rows × inputs, NaN if missing, and a list of (position, error message)."""
        layouts = self.layouts
        if pa.types.is_temporal(array.type) != (layouts == (date_layouts.ARROW,)):
            # Not as in the first rows: typed dates, or text, of which none is known to fit.
            layouts = (date_layouts.ARROW,) if pa.types.is_temporal(array.type) else ()
        moments, missing, values = _moments(array, layouts)
        hint = f"is not a date as the first rows have them ({self.in_words})"
        wrong = np.flatnonzero(np.isnan(moments.wall) & ~missing).tolist()
        X = date_inputs(moments.wall, moments.utc, self.origin, self.parts)
        return X, [(i, f"{shown(values[i].as_py())} {hint}") for i in wrong]


def find_dates(
    arrays: list[Any], wanted: Sequence[str], told: bool, order: str | None = None
) -> Dates | None:
    """Return how to read a column whose first rows are `arrays` as dates; None if these are not dates.

    A few values may be wrong, which are errors when their rows are read. `wanted` are the parts that may
    become inputs; `told` says whether the user names the column as one of dates. Where day and month could be
    swapped, `order` decides, such as "mdy"; else, if only one way has the rows in the order of time, forwards
    or backwards, that one; else, with a time of day, the one in which they span less time; else the day is
    first.
    """
    if pa.types.is_temporal(arrays[0].type):
        return _dates(Fit((date_layouts.ARROW,), *_joined(arrays, (date_layouts.ARROW,))), wanted)
    if not told and not _may_be_dates(arrays):
        return None
    found = _in_one_layout(arrays, told, order)
    if found is None or found.n_wrong:
        several = _in_several_layouts(arrays, told, order)
        if several is not None and (found is None or several.n_wrong < found.n_wrong):
            found = several
    return None if found is None else _dates(found, wanted)


class Fit(NamedTuple):
    """How well layouts fit a column: the dates they give, and how many values are none."""

    layouts: tuple[Layout, ...]
    moments: Moments
    n_wrong: int
    is_ambiguous: bool = False

    def is_good(self, told: bool) -> bool:
        """Return whether there are few wrong values."""
        n_values = self.n_wrong + len(self.moments.wall)
        return self.n_wrong <= (WRONG_IF_TOLD if told else WRONG) * n_values


def _in_one_layout(arrays: list[Any], told: bool, order: str | None) -> Fit | None:
    fitting: list[Fit] = []
    short = date_layouts.SHORT_LAYOUTS if told else ()
    first = (date_layouts.YEAR_SHORT,) if told and order == date_layouts.YEAR_SHORT.order else ()
    for layout in (*date_layouts.LAYOUTS, *first, *short):
        fit = Fit((layout,), *_joined(arrays, (layout,)))
        fitting += [fit] if fit.is_good(told) else []
        if fitting and layout not in (date_layouts.DAY_FIRST, *date_layouts.SHORT_LAYOUTS[1:2]):
            break
    return _best(fitting, order) if fitting else None


def _in_several_layouts(arrays: list[Any], told: bool, order: str | None) -> Fit | None:
    """Return the layouts of a column in which dates are written in several ways; None if these do not fit."""
    texts = texts_in(arrays)
    wrong = np.mean(~np.asarray(pc.match_substring_regex(texts, date_layouts.ALIKE))) if len(texts) else 1.0
    if wrong > (WRONG_IF_TOLD if told else WRONG):
        return None
    choices = date_layouts.CHOICES + (date_layouts.SHORT_CHOICES if told else ())
    chosen = [
        _best([Fit((layout,), *_joined(arrays, (layout,))) for layout in each], order) for each in choices
    ]
    used = [each for each in chosen if len(each.moments.wall)]
    if len(used) < 2:
        return None
    layouts = tuple(layout for each in used for layout in each.layouts)
    found = Fit(layouts, *_joined(arrays, layouts), any(each.is_ambiguous for each in used))
    return found if found.is_good(told) else None


def _best(fits: list[Fit], order: str | None) -> Fit:
    """Return the one in this order, if it fits; else that with the fewest wrong values, in order of time."""
    least = min(each.n_wrong for each in fits)
    most = least + WRONG * max(len(each.moments.wall) for each in fits)
    fits = [each for each in fits if each.layouts[0].order == order and each.n_wrong <= most] or fits
    least = min(each.n_wrong for each in fits)
    good = [each for each in fits if each.n_wrong == least]
    is_ambiguous = len(good) > 1 and not np.array_equal(good[0].moments.wall, good[1].moments.wall)
    good = [each for each in good if direction(each.moments.utc, least=1)] or good
    # Dates with a time of day are those of days or weeks: read in the wrong way they are as many months.
    has_time = bool((good[0].moments.wall % DAY != 0).any())
    found = min(good, key=lambda each: np.ptp(each.moments.utc)) if has_time else good[0]
    return found._replace(is_ambiguous=is_ambiguous)


def direction(times: Floats, least: int = LEAST_STEPS) -> int:
    """Return 1 if times run forwards in `least` steps, -1 if they run backwards, but for few; else 0."""
    steps = np.diff(times[~np.isnan(times)])
    up, down = int(np.count_nonzero(steps > 0)), int(np.count_nonzero(steps < 0))
    if max(up, down) < least or min(up, down) > AGAINST * max(up, down):
        return 0
    return 1 if up > down else -1


def dates_of_schema(known: Dates, arrays: list[Any], order: str | None = None) -> Dates | None:
    """Return how to read a column whose first rows are `arrays` as the inputs of `known`.

    `order` is that of day and month, if it is told, such as "mdy".

    None if these are not all dates, or times of day while `known` needs the day.
    """
    found: Dates | None = known
    is_arrow = pa.types.is_temporal(arrays[0].type)
    is_known_arrow = known.layouts == (date_layouts.ARROW,)
    is_other = order is not None and known.order not in (None, order)
    if is_arrow or is_known_arrow or is_other or _joined(arrays, known.layouts)[1]:
        found = find_dates(arrays, PARTS, told=True, order=order)
    if found is None and not is_known_arrow and len(_joined(arrays, known.layouts)[0].wall):
        found = known
    if found is None:
        return None
    is_clock = found.layouts == (date_layouts.CLOCK,) or pa.types.is_time(arrays[0].type)
    if is_clock and set(known.parts) - {"time"}:
        return None
    return Dates(found.layouts, known.origin, known.parts, found.is_ambiguous)


def _dates(fit: Fit, wanted: Sequence[str]) -> Dates:
    wall, utc = fit.moments
    has_time = bool((wall % DAY != 0).any())
    has_days = bool((wall >= DAY).any() or (wall < 0).any()) if len(wall) else True
    parts = tuple(part for part in wanted if (has_time if part == "time" else has_days))
    origin = float(utc[0]) if len(wall) else 0.0
    return Dates(fit.layouts, origin, parts, fit.is_ambiguous)


def _joined(arrays: list[Any], layouts: tuple[Layout, ...]) -> tuple[Moments, int]:
    """Return the dates of all arrays, and how many values are neither dates nor missing."""
    wall, utc, n_wrong = [], [], 0
    for array in arrays:
        moments, missing, _ = _moments(array, layouts)
        good = ~np.isnan(moments.wall)
        n_wrong += int(np.count_nonzero(~good & ~missing))
        wall.append(moments.wall[good])
        utc.append(moments.utc[good])
    return Moments(np.concatenate(wall), np.concatenate(utc)), n_wrong


def _moments(array: Any, layouts: tuple[Layout, ...]) -> tuple[Moments, Any, Any]:
    """Return the dates, whether each value is missing, and the values."""
    if layouts == (date_layouts.ARROW,):
        return of_arrow(array), np.asarray(array.is_null()), array
    texts, positions = distinct_texts(array)
    wall, utc = moments_of_texts(texts, layouts)
    nothing = np.append(np.asarray(texts.is_null()), True)
    wall, utc = (np.append(each, np.nan)[positions] for each in (wall, utc))
    return Moments(wall, utc), nothing[positions], array


def moments_of_texts(texts: Any, layouts: Sequence[Layout]) -> Moments:
    """Return the dates of texts; of several layouts the first that fits counts."""
    wall, utc = np.full((2, len(texts)), np.nan)
    for layout in layouts:
        other, is_new = _of_texts(texts, layout), np.isnan(wall)
        wall, utc = np.where(is_new, other.wall, wall), np.where(is_new, other.utc, utc)
    return Moments(wall, utc)


def _of_texts(texts: Any, layout: Layout) -> Moments:
    is_clock = layout == date_layouts.CLOCK
    return of_numbers(texts) if layout == date_layouts.NUMBER else of_text(texts, layout.day, is_clock)


def _may_be_dates(arrays: list[Any]) -> bool:
    starts = (array.unique()[:10].drop_null().to_pylist() for array in arrays)
    texts = [str(value) for value in next(filter(None, starts), [])]
    return any(any(c.isdigit() for c in text) and any(c in text for c in "-/.: ") for text in texts)
