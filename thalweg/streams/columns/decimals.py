"""Numbers with a decimal comma, marks between thousands, signs of money or percent."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from thalweg._types import Floats
from thalweg.streams.columns.codes import number
from thalweg.streams.columns.column import Problems, distinct_texts, shown, texts_in, truth
from thalweg.streams.columns.number_text import MARKS, Decoration, are_numbers, decoration, parsed

WRONG, WRONG_IF_TOLD = 0.05, 0.5  # most values of a column of numbers that are none
MIN_NUMBERS, MAX_CODES = 3, 20  # different whole numbers that may be categories beside words
MANY = 50  # of so many decimals, some would have fewer than three digits
FEW, NO_NUMBER = 20, r"^\D*$|\d[-/:]\d|[A-Za-z]{4}"  # tells names and dates at once


@dataclass(frozen=True)
class Decimals:
    """Reads numbers whose decimal point is `point`; the other one of comma and point is between thousands.

    `is_ambiguous` if the first rows fit either point and mean different numbers; `is_certain` if they fit
    this one only. `decoration` is what they have around their numbers; any other is read as well.
    """

    point: str
    is_ambiguous: bool = False
    is_certain: bool = False
    decoration: Decoration = field(default_factory=Decoration)
    inputs: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """What is special about the numbers, in words."""
        found = self.decoration
        removed = [*found.units, *(f"thousands {MARKS[mark]}" for mark in found.marks)]
        listed = " and ".join(filter(None, [", ".join(removed[:-1]), *removed[-1:]]))
        notes = ["decimal comma"] if self.point == "," else []
        notes += [f"{listed} removed"] if removed else []
        notes += ["parentheses are a minus"] if found.parentheses else []
        return ", ".join(notes)

    def to_plain(self) -> dict[str, Any]:
        """Return its part of a schema."""
        return {"decimal": self.point}

    def read(self, array: Any) -> tuple[Floats, Problems]:
        """Return the numbers, NaN if missing, and a list of (position, error message)."""
        if is_numeric(array):
            plain = array.dictionary_decode() if pa.types.is_dictionary(array.type) else array
            values = plain.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
            return values, _infinite(values)
        texts, positions = distinct_texts(array)
        numbers = parsed(texts, self.point)
        odd = np.flatnonzero(np.asarray(texts.is_valid()) & np.isnan(numbers)).tolist()
        truths = {place: value for place in odd if (value := truth(texts[place].as_py())) is not None}
        if truths:
            numbers = numbers.copy()
            numbers[[*truths]] = [*truths.values()]
        wrong = np.append(np.asarray(texts.is_valid()) & np.isnan(numbers), False)[positions]
        hint = f"is not a number with a decimal {'comma' if self.point == ',' else 'point'}"
        problems = [(i, f"{shown(array[i].as_py())} {hint}") for i in np.flatnonzero(wrong).tolist()]
        floats = np.append(numbers, np.nan)[positions]
        return floats, problems + _infinite(floats)


def is_numeric(array: Any) -> bool:
    """Return whether cells have a type of numbers, and are not text."""
    kind = array.type.value_type if pa.types.is_dictionary(array.type) else array.type
    return any(test(kind) for test in (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal))


def _infinite(values: Floats) -> Problems:
    return [(i, f"{values[i]} is not a finite number") for i in np.flatnonzero(np.isinf(values)).tolist()]


def lone_word(arrays: list[Any], point: str | None) -> str | None:
    """Return the one word without digits that recurs in a column of numbers; None if there is not just one.

    One or two whole numbers, and up to 20 that recur, may be categories, as the word then is: 4, 6, 8, more.
    """
    texts = texts_in(arrays)
    if len(texts) < 2 or _are_no_numbers(texts):
        return None
    for each in (",", ".") if point is None else (point,):
        found = are_numbers(texts, each)
        words = texts.filter(pc.invert(found)).to_pylist()
        if len(words) == 1 and not _may_be_number(words[0]):
            n_cells = sum(len(array) - array.null_count for array in arrays)
            n_words = sum(_n_rows(array, words[0]) for array in arrays)
            numbers = parsed(texts.filter(found), each)
            recur = n_cells - n_words >= 2 * len(numbers)
            are_codes = len(numbers) < MIN_NUMBERS or (recur and len(numbers) <= MAX_CODES)
            return words[0] if n_words > 1 and ((numbers % 1).any() or not are_codes) else None
    return None


def _may_be_number(word: str) -> bool:
    return any(map(str.isdigit, word)) or number(word) is not None or truth(word) is not None


def _n_rows(array: Any, word: str) -> int:
    texts, positions = distinct_texts(array)
    return int(np.isin(positions, np.flatnonzero(np.asarray(pc.equal(texts, word).fill_null(False)))).sum())


def _are_no_numbers(texts: Any) -> bool:
    """Return whether most of the first texts have the look of names or dates."""
    return _share(pc.match_substring_regex(texts[:FEW], NO_NUMBER)) > WRONG_IF_TOLD


def find_decimals(
    arrays: list[Any], point: str | None, delimiter: str | None, told: bool = False
) -> Decimals | None:
    """Return how to read a column whose first rows are `arrays` as numbers; None if these are not numbers.

    `point` is the decimal point if the user names it; `told` says whether the user names the column as one of
    numbers. 1,234 can be two numbers: it is a thousand if commas separate the cells of the file, since a
    decimal comma would not be used there. 1.234 € is a thousand, since money has no three decimals.
    """
    texts = texts_in(arrays)
    if not len(texts) or _are_no_numbers(texts):
        return None
    points = [each for each in (",", ".") if point in (None, each)]
    good = {each: are_numbers(texts, each) for each in points}
    shares = {each: _share(found) for each, found in good.items()}
    best = max(shares.values())
    if best < 1 - (WRONG_IF_TOLD if told else WRONG):
        return None
    fitting = [each for each in points if shares[each] == best]
    is_ambiguous = len(fitting) > 1 and not _same(texts.filter(good[fitting[0]]))
    chosen = fitting[0]
    if len(fitting) > 1:
        chosen = _likelier(texts, delimiter) if is_ambiguous else "."
    if not _is_odd(texts.filter(good[chosen])) and point != ",":
        return None
    is_certain = len(points) > len(fitting)
    return Decimals(chosen, is_ambiguous, is_certain, decoration(texts, chosen))


def decorated(arrays: list[Any], point: str) -> Decoration:
    """Return the units and marks around and inside the numbers of a column with first rows `arrays`."""
    return decoration(texts_in(arrays), point)


def _share(found: Any) -> float:
    return float(np.mean(np.asarray(found)))


def _same(texts: Any) -> bool:
    """Return whether numbers are the same with either decimal point."""
    return bool(np.array_equal(parsed(texts, "."), parsed(texts, ","), equal_nan=True))


def _likelier(texts: Any, delimiter: str | None) -> str:
    """Return the decimal point of numbers that can be read with either."""
    if pc.any(pc.match_substring(texts, ",")).as_py():
        return "." if delimiter == "," or _are_thousands(texts) else ","
    return "," if decoration(texts, ",").units not in ((), ("%",)) else "."


def _are_thousands(texts: Any) -> bool:
    """Return whether numbers below 1,000 have no comma, and so many others have that it is no decimal one."""
    has_comma = pc.match_substring(texts, ",")
    others = texts.filter(pc.invert(has_comma))
    is_short = pc.all(pc.match_substring_regex(others, r"^\D*\d{1,3}\D*$"), min_count=1).as_py()
    return bool(is_short) and pc.sum(has_comma).as_py() >= MANY


def _is_odd(texts: Any) -> bool:
    """Return whether there is more to some numbers than digits and a decimal point."""
    try:
        texts.cast(pa.float64())
    except pa.ArrowInvalid:
        return True
    return False
