"""Moments in time from text, numbers and Arrow arrays, as seconds since 1970."""

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from thalweg._types import Floats

DAY = 86_400.0
TIME = (
    r"(?P<H>\d{1,2}):(?P<M>\d{2})(?::(?P<S>\d{2}(?:[.,]\d{1,9})?))?(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?"
    r"(?: ?(?P<zone>Z|z|UTC|GMT|[+-]\d{2}(?::?\d{2})?))?"
)
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


class Moments(NamedTuple):
    """Seconds since 1970 on the clock that is written down, and in UTC; NaN where there is no moment."""

    wall: Floats
    utc: Floats


def of_text(texts: Any, day: str, is_clock: bool) -> Moments:
    """Return the moments of texts that match `day`, a regular expression, and may have a time after it."""
    pattern = f"^{TIME}$" if is_clock else rf"^{day}(?:(?:[T ]+|, ){TIME})?$"
    found = pc.extract_regex(texts, pattern)
    is_date = np.asarray(found.is_valid())
    part = {field.name: found.field(i) for i, field in enumerate(found.type)}

    def numbers(name: str) -> Floats:
        return _floats(part[name]) if name in part else np.zeros(len(texts))

    days, valid = (np.zeros(len(texts)), True) if is_clock else _days(numbers, part.get("b"))
    hour, minute, second = numbers("H"), numbers("M"), numbers("S")
    hour = np.where(_is(part["half"], "p") & (hour < 12), hour + 12, hour)
    hour = np.where(_is(part["half"], "a") & (hour == 12), 0, hour)
    valid &= (hour < 24) & (minute < 60) & (second < 61)
    wall = np.where(is_date & valid, days * DAY + 3600 * hour + 60 * minute + second, np.nan)
    return Moments(wall, wall - _offset(part["zone"]))


def of_numbers(texts: Any) -> Moments:
    """Convert epoch numbers; infer the unit (s, ms, µs, ns) from their magnitude."""
    try:
        values = np.asarray(texts.cast(pa.float64()).fill_null(np.nan))
    except pa.ArrowInvalid:
        values = np.full(len(texts), np.nan)
    size = np.nanmax(np.abs(values)) if np.isfinite(values).any() else 0.0
    unit = UNITS["ns" if size > 1e17 else "us" if size > 1e14 else "ms" if size > 1e11 else "s"]
    values = values * unit
    return Moments(values, values)


def of_arrow(array: Any) -> Moments:
    """Return the moments of an Arrow array of timestamps, dates or times."""
    if pa.types.is_time(array.type):
        wall = _seconds(array.cast(pa.time64(array.type.unit) if array.type.bit_width == 64 else array.type))
        return Moments(wall, wall)
    if pa.types.is_date(array.type):
        array = array.cast(pa.timestamp("s"), safe=False)
    utc = _seconds(array)
    if array.type.tz is None:
        return Moments(utc, utc)
    return Moments(_seconds(pc.local_timestamp(array)), utc)


def _seconds(array: Any) -> Floats:
    whole = array.cast(pa.int32() if array.type.bit_width == 32 else pa.int64())
    return np.asarray(whole.cast(pa.float64(), safe=False).fill_null(np.nan)) * UNITS[array.type.unit]


def _days(numbers: Any, month_name: Any) -> tuple[Floats, Any]:
    """Return days since 1970, and whether each is a day of the calendar."""
    year, month, day = numbers("y"), numbers("m"), numbers("d")
    year = np.where(year < 70, year + 2000, np.where(year < 100, year + 1900, year))
    if month_name is not None:
        start = pc.utf8_lower(pc.utf8_slice_codeunits(month_name, 0, 3))
        month = np.asarray(pc.index_in(start, pa.array(MONTHS)).fill_null(-1)) + 1.0
    valid = (month >= 1) & (month <= 12) & (day >= 1)
    months = np.where(valid, (year - 1970) * 12 + month - 1, 0).astype(np.int64).astype("M8[M]")
    first = months.astype("M8[D]").astype(np.int64)
    length = (months + np.timedelta64(1, "M")).astype("M8[D]").astype(np.int64) - first
    return first + day - 1, valid & (day <= length)


def _is(letters: Any, letter: str) -> Any:
    return np.asarray(pc.equal(pc.utf8_lower(letters), letter).fill_null(False))


def _offset(zone: Any) -> Floats:
    """Return the seconds by which a time zone is ahead of UTC."""
    found = pc.extract_regex(zone, r"^(?P<sign>[+-])(?P<H>\d{2}):?(?P<M>\d{2})?$")
    sign, hours, minutes = (found.field(i) for i in range(3))
    seconds = 3600 * _floats(hours) + 60 * _floats(minutes)
    return np.where(np.asarray(pc.equal(sign, "-").fill_null(False)), -seconds, seconds)


def _floats(digits: Any) -> Floats:
    # Groups that do not match are empty.
    digits = pc.replace_substring(digits, ",", ".")
    known = pc.if_else(pc.equal(digits, ""), None, digits).cast(pa.float64())
    return np.asarray(known.fill_null(0.0))
