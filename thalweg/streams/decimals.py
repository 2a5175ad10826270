"""Numbers with a decimal comma, or with marks between thousands."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from thalweg._types import Floats
from thalweg.streams.columns import Problems, as_texts, distinct, shown

# 1.234,5 or 1 234,5 or 12,5 or 12
COMMA = r"^[+-]?(?:\d{1,3}(?:[. '\x{a0}]\d{3})+|\d*)(?:,\d+)?(?:[eE][+-]?\d+)?$"
# 1,234,567.8 or 1,234 or 12.5, but not 0,125
THOUSANDS = r"^[+-]?(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)(?:\.\d+)?$"
WRONG = 0.05
MARKS = r"[ '\x{a0}]"


@dataclass(frozen=True)
class Decimals:
    """Reads numbers whose decimal point is `point`; the other one of comma and point is between thousands."""

    point: str
    is_ambiguous: bool = False
    inputs: tuple[str, ...] = ()

    def to_plain(self) -> dict[str, Any]:
        """Return its part of a schema."""
        return {"decimal": self.point}

    def read(self, array: Any) -> tuple[Floats, Problems]:
        """Return the numbers, NaN if missing, and a list of (position, error message)."""
        if pa.types.is_float64(array.type):
            values = array.to_numpy(zero_copy_only=False)
            return values, _infinite(values)
        values, positions = distinct(array)
        texts = as_texts(values)
        pattern = COMMA if self.point == "," else THOUSANDS
        good = pc.match_substring_regex(texts, pattern)
        plain = pc.replace_substring_regex(texts, MARKS, "")
        plain = pc.replace_substring(plain, "." if self.point == "," else ",", "")
        plain = pc.if_else(pc.and_(good, pc.match_substring_regex(plain, r"\d")), plain, None)
        numbers = pc.replace_substring(plain, ",", ".").cast(pa.float64())
        floats = np.append(np.asarray(numbers.fill_null(np.nan)), np.nan)
        wrong = np.append(np.asarray(texts.is_valid()) & np.asarray(numbers.is_null()), False)[positions]
        hint = f"is not a number with a decimal {'comma' if self.point == ',' else 'point'}"
        problems = [(i, f"{shown(array[i].as_py())} {hint}") for i in np.flatnonzero(wrong).tolist()]
        return floats[positions], problems + _infinite(floats[positions])


def _infinite(values: Floats) -> Problems:
    return [(i, f"{values[i]} is not a finite number") for i in np.flatnonzero(np.isinf(values)).tolist()]


def find_decimals(arrays: list[Any], point: str | None, delimiter: str | None) -> Decimals | None:
    """Return how to read a column whose first rows are `arrays` as numbers; None if these are not numbers.

    `point` is the decimal point if the user names it. 1,234 can be two numbers: it is a thousand if commas
    separate the cells of the file, since a decimal comma would not be used there.
    """
    found = [as_texts(distinct(array)[0]) for array in arrays]
    texts = pa.concat_arrays(found).drop_null()
    if not len(texts) or not pc.any(pc.match_substring(texts, ",")).as_py():
        return Decimals(",") if point == "," and _all(texts, COMMA) else None
    as_comma = point != "." and _all(texts, COMMA)
    as_thousands = point != "," and _all(texts, THOUSANDS)
    if as_comma and as_thousands:
        return Decimals("." if delimiter == "," else ",", is_ambiguous=True)
    if not as_comma and not as_thousands:
        # A few cells may be wrong, which are errors when their rows are read.
        as_comma = point != "." and _most(texts, COMMA)
        as_thousands = point != "," and _most(texts, THOUSANDS)
    return Decimals(",") if as_comma else Decimals(".") if as_thousands else None


def _all(texts: Any, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(texts, pattern)).as_py())


def _most(texts: Any, pattern: str) -> bool:
    """Return whether most texts match the pattern, and some of these have a comma."""
    good = texts.filter(pc.match_substring_regex(texts, pattern))
    return len(good) >= (1 - WRONG) * len(texts) and bool(pc.any(pc.match_substring(good, ",")).as_py())
