"""Cells that stand for a missing value, such as `-` in a column of numbers."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from thalweg._types import Floats
from thalweg.streams.columns.codes import MISSING_TEXT, number

_WORDS = ("none", "null", "nil", "na", "n/a", "n.a.", "nan", "nat", "#n/a", "#na", "<na>", "(null)")
_CELL_ERRORS = ("#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!")
NOT_NUMBERS: tuple[str, ...] = (
    *dict.fromkeys(
        [*MISSING_TEXT, "-", "--", "---", "–", "—", ".", "..", "??", "NaT", *_CELL_ERRORS]
        + [form for word in _WORDS for form in (word, word.upper(), word.capitalize())]
    ),
)


@dataclass(frozen=True)
class Missing:
    """What stands for a missing value in a file.

    Markers such as NA are missing in every column, and more of them (`NOT_NUMBERS`) in columns of numbers and
    dates. `named` are those that the user names, missing in every column; one that is a number is missing
    however it is written, -999 as -999.0.
    """

    named: tuple[str, ...] = ()

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The named ones that are numbers."""
        return tuple(value for text in self.named if (value := number(text)) is not None)

    def joined(self, other: "Missing") -> "Missing":
        """Return the markers of both."""
        return Missing(tuple(dict.fromkeys([*self.named, *other.named])))

    def cleaned(self, array: Any, numeric: bool) -> Any:
        """Return a column with null for each missing value; `numeric` if it may have numbers or dates.

        Universal markers stay in a column that is not: they have no code, and no words.
        """
        if not numeric and not self.named:
            return array
        if pa.types.is_float64(array.type) and self.numbers:
            return pa.array(self.without_numbers(array.to_numpy(zero_copy_only=False)), from_pandas=True)
        if not pa.types.is_dictionary(array.type):
            return array
        found = self._are_missing(array.dictionary, numeric)
        if found is None or not pc.any(found).as_py():
            return array
        values = pc.if_else(found, None, array.dictionary)
        return pa.DictionaryArray.from_arrays(array.indices, values)

    def without_numbers(self, values: Floats) -> Floats:
        """Return numbers with NaN instead of those that are named as missing."""
        return np.where(np.isin(values, self.numbers), np.nan, values) if self.numbers else values

    def kept(self, values: Iterable[Any]) -> list[Any]:
        """Return values without those that are named as missing."""
        if not self.named:
            return list(values)
        return [value for value in values
                if str(value).strip() not in self.named and _as_number(str(value)) not in self.numbers]

    def is_marker(self, text: str, numeric: bool) -> bool:
        """Return whether a text stands for a missing value."""
        known = text in (NOT_NUMBERS if numeric else MISSING_TEXT) or text in self.named
        return known or (bool(self.numbers) and _as_number(text) in self.numbers)

    def counts(self, array: Any, numeric: bool) -> dict[str, int]:
        """Return how often each marker stands in a column; empty cells are no markers."""
        if not pa.types.is_dictionary(array.type):
            return {}
        found = self._are_missing(array.dictionary, numeric)
        if found is None or not pc.any(found).as_py():
            return {}
        n_rows = np.bincount(array.indices.drop_null(), minlength=len(found))
        counts: dict[str, int] = {}
        for place in np.flatnonzero(found.fill_null(False)).tolist():
            marker = str(array.dictionary[place].as_py()).strip()
            if marker and n_rows[place]:
                counts[marker] = counts.get(marker, 0) + int(n_rows[place])
        return counts

    def _are_missing(self, values: Any, numeric: bool) -> Any:
        """Return which of the distinct values of a column are missing; None if none can be."""
        if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
            markers = (*(NOT_NUMBERS if numeric else MISSING_TEXT), *self.named)
            found = pc.is_in(pc.utf8_trim_whitespace(values), _as_array(markers, values.type))
            if not self.numbers:
                return found
            return pc.or_(found, pa.array([_as_number(text) in self.numbers for text in values.to_pylist()]))
        if self.numbers and (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)):
            return pc.is_in(values.cast(pa.float64(), safe=False), pa.array(self.numbers, pa.float64()))
        return None


def as_missing(markers: str | Iterable[Any]) -> Missing:
    """Return the markers of a user, given as texts or numbers."""
    listed = [markers] if isinstance(markers, str) else list(markers)
    texts = [text if isinstance(text, str) else str(text) for text in listed]
    return Missing(tuple(dict.fromkeys(text.strip() for text in texts if text.strip())))


@lru_cache(maxsize=8)
def _as_array(markers: tuple[str, ...], type: Any) -> Any:
    return pa.array(markers, type)


def _as_number(text: str | None) -> float | None:
    return None if text is None else number(text.strip())
