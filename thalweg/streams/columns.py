"""Columns of a file: their kinds, and their values as numbers."""

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from thalweg._types import Floats, Ints
from thalweg.streams.codes import MISSING, UNKNOWN, Codes, holds_rows, number, spelling

NUMBER, FLAG, CATEGORY = "number", "flag", "category"
MAX_MIXED_NUMBERS = 20
Problems: TypeAlias = list[tuple[int, str]]


@dataclass(eq=False)
class Column:
    """One column: its name, its kind (None: determined by the first rows) and the codes of its categories.

    A flag is a column of 0 and 1: two categories whose codes are their values.
    """

    name: str
    kind: str | None = None
    codes: Codes = field(default_factory=lambda: Codes(grows=True))

    @property
    def n_categories(self) -> int:
        """Number of categories known so far, 0 if the column is numeric."""
        return {NUMBER: 0, FLAG: 2}.get(self.kind or "", max(1, len(self.codes)))

    def read(self, array: Any) -> tuple[Floats, Problems]:
        """Return the values as floats, NaN if missing, and a list of (position, error message)."""
        if self.kind == CATEGORY:
            codes, problems = coded(array, self.codes, "is not in the list of this attribute")
            return np.where(codes < 0, np.nan, codes), problems
        values, problems = _floats(array, self.name)
        infinite = np.isinf(values)
        problems += [(i, f"{values[i]} is not a finite number") for i in np.flatnonzero(infinite).tolist()]
        if self.kind == FLAG:
            wrong = ~((values == 0) | (values == 1) | np.isnan(values) | infinite)
            hint = f"is neither 0 nor 1 as the first rows are; if it is right, pass numeric=[{self.name!r}]"
            problems += [(i, f"{values[i]:g} {hint}") for i in np.flatnonzero(wrong).tolist()]
        return values, problems


def coded(array: Any, codes: Codes, complaint: str) -> tuple[Ints, Problems]:
    """Return the code of each value, MISSING if it has none, and a list of (position, error message)."""
    values, positions = _distinct(array)
    found = np.append(codes.of(values), MISSING)[positions]
    unknown = np.flatnonzero(found == UNKNOWN).tolist()
    problems = [(i, _complaint(values[positions[i]], complaint)) for i in unknown]
    return np.maximum(found, MISSING), problems


def find_kind(arrays: list[Any]) -> str:
    """Return the kind of a column whose first rows are `arrays`.

    A column of numbers, or of missing values only, is a number, or a flag if all are 0 or 1. A column without
    numbers is a category. A mixture is a category if words recur and there are at most 20 distinct numbers;
    otherwise it is a number, and the words in it are errors.
    """
    try:
        used = np.concatenate([array.unique().dictionary_decode().cast(pa.float64()) for array in arrays])
    except pa.ArrowInvalid:
        return _kind_of_mixture(arrays)
    used = used[~np.isnan(used)]
    return FLAG if len(used) and np.isin(used, (0, 1)).all() else NUMBER


def _kind_of_mixture(arrays: list[Any]) -> str:
    counts: dict[str, int] = {}
    for array in arrays:
        values, positions = _distinct(array)
        for value, n in zip(values, np.bincount(positions, minlength=len(values)), strict=False):
            text = spelling(value)
            if text is not None and n:
                counts[text] = counts.get(text, 0) + int(n)
    words = [text for text in counts if number(text) is None]
    numbers = len(counts) - len(words)
    if not words:
        return FLAG if counts and counts.keys() <= {"0", "1"} else NUMBER
    recur = sum(counts[text] for text in words) > len(words)
    return CATEGORY if not numbers or (recur and numbers <= MAX_MIXED_NUMBERS) else NUMBER


def _floats(array: Any, name: str) -> tuple[Floats, Problems]:
    if pa.types.is_float64(array.type):
        return array.to_numpy(zero_copy_only=False), []
    values, positions = _distinct(array)
    floats = np.array([_float(value) for value in values] + [np.nan], dtype=object)
    wrong = np.array([value is None for value in floats])[positions]
    hint = f"is not a number; if this is a column of categories, pass categorical=[{name!r}]"
    problems = [(i, f"{_shown(values[positions[i]])} {hint}") for i in np.flatnonzero(wrong).tolist()]
    return floats.astype(float)[positions], problems


def _float(value: Any) -> float | None:
    if isinstance(value, (str, bytes)):
        text = spelling(value)
        return np.nan if text is None else number(text)
    return np.nan if value is None else float(value)


def _distinct(array: Any) -> tuple[list[Any], Ints]:
    """Return the distinct values, and for each row the position of its value (their number if null)."""
    array = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    values = array.dictionary.to_pylist()
    return values, array.indices.cast(pa.int64()).fill_null(len(values)).to_numpy(zero_copy_only=False)


def _complaint(value: Any, otherwise: str) -> str:
    text = spelling(value) or ""
    swallowed = f"has {len(text)} characters in several lines; is there a quote that never ends?"
    return f"{_shown(value)} {swallowed if holds_rows(text) else otherwise}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
