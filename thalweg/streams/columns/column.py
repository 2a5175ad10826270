"""Columns of a file: their kinds, and their values as numbers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from thalweg._names import WordName
from thalweg._types import Floats, Ints
from thalweg.errors import Advice, Message
from thalweg.streams.columns.codes import (
    BOOLEANS,
    MISSING,
    MISSING_TEXT,
    UNKNOWN,
    Codes,
    length_problem,
    number,
    spelling,
)
from thalweg.streams.columns.missing import Missing
from thalweg.streams.columns.number_text import parsed
from thalweg.streams.schema import plain_values

NUMBER, FLAG, CATEGORY, DATE, TEXT, IGNORED = "number", "flag", "category", "date", "text", "ignored"
Problems: TypeAlias = list[tuple[int, str]]
MISSING_TEXTS = pa.array(MISSING_TEXT)


class Reader(Protocol):
    """Reads a column in its own way: dates, text or numbers with a decimal comma."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs within the column; none if it is one input with the name of the column."""
        ...

    def read(self, array: Any) -> tuple[Any, Problems]:
        """Return the values, NaN if missing, and a list of (position, error message).

        Of several inputs these are rows × inputs, an array or a sparse matrix.
        """
        ...

    def to_plain(self) -> dict[str, Any]:
        """Return what a schema needs to read another column in the same way."""
        ...


@dataclass(eq=False)
class Column:
    """One column: its name, its kind (None: determined by the first rows) and the codes of its categories.

    A flag is a column of 0 and 1: two categories whose codes are their values. If `is_told`, its kind was
    named or declared, and is not replaced by a better one. `note` says what is special about it, `missing`
    what stands for a missing value. `spellings` are those of labels, and of yes and no, in the first rows: by
    the one that is kept, how often each occurs. If `is_full`, no cell of them is missing. `listed` are all
    values in a header, of which several may be one category, but not one label. If `has_points`, its cells
    are no texts: numbers in them have a decimal point, whatever the other columns have. `words`
    are those that are missing in this column alone, which has numbers otherwise. If `is_empty`, it has
    had no value yet: the first one says whether it is a number or a category. If `is_boolean`, its cells
    have the type of booleans: no other number than 0 and 1 may come, as long as it is a flag.
    """

    name: str
    kind: str | None = None
    codes: Codes = field(default_factory=lambda: Codes(grows=True))
    reader: Reader | None = None
    is_told: bool = False
    note: str = ""
    missing: Missing = field(default_factory=Missing)
    spellings: dict[Any, dict[Any, int]] = field(default_factory=dict)
    is_full: bool = False
    listed: list[str] = field(default_factory=list)
    has_points: bool = False
    words: tuple[str, ...] = ()
    is_empty: bool = False
    is_boolean: bool = False

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs that it becomes."""
        parts = () if self.reader is None else self.reader.inputs
        kind = WordName if self.kind == TEXT else str
        return tuple(kind(f"{self.name}.{part}") for part in parts) or (self.name,)

    @property
    def n_inputs(self) -> int:
        """Number of inputs that it becomes."""
        return max(1, 0 if self.reader is None else len(self.reader.inputs))

    @property
    def n_categories(self) -> tuple[int, ...]:
        """Number of categories known so far for each of its inputs, 0 if it is numeric."""
        n = {FLAG: 2, CATEGORY: max(1, len(self.codes))}.get(self.kind or "", 0)
        return (n,) * self.n_inputs

    @property
    def categories(self) -> list[Any]:
        """The categories in the order of their codes; none if the column is numeric."""
        return {FLAG: [0, 1], CATEGORY: self.codes.values}.get(self.kind or "", [])

    @property
    def is_plain(self) -> bool:
        """Whether its cells are numbers that need no reader, and of which no word is missing."""
        is_open = self.is_empty or bool(self.words)
        return self.kind in (NUMBER, FLAG) and self.reader is None and not is_open

    @property
    def is_numeric(self) -> bool:
        """Whether its cells are numbers or dates, so that a word such as `none` is a missing one."""
        return self.kind in (NUMBER, FLAG, DATE)

    def to_plain(self) -> dict[str, Any]:
        """Return its part of a schema."""
        found: dict[str, Any] = {"name": self.name, "kind": self.kind}
        found |= {} if self.reader is None else self.reader.to_plain()
        found |= {"missing": list(self.words)} if self.words else {}
        found |= {"empty": True} if self.is_empty else {}
        found |= {"boolean": True} if self.kind == FLAG and self.is_boolean else {}
        if self.kind == CATEGORY:
            found |= {"values": plain_values(self.codes.values), "grows": self.codes.grows}
            found |= {} if self.codes.match == "exact" else {"match": self.codes.match}
        return found

    def read(self, array: Any) -> tuple[Any, Problems]:
        """Return the values as floats, NaN if missing, and a list of (position, error message).

        Of a column that becomes several inputs, these are rows × inputs, sparse if it is text.
        """
        array = self.missing.cleaned(array, self.is_numeric)
        if self.reader is not None:
            values, problems = self.reader.read(array)
            if self.kind == NUMBER:
                problems = [(i, _may_be_missing(problem, array[i].as_py())) for i, problem in problems]
            if self.kind == DATE:
                hint = "; if this is a column of categories, pass "
                told = Advice("categorical", [self.name])
                problems = [(i, Message(problem, hint, told)) for i, problem in problems]
            return self.missing.without_numbers(values) if self.kind == NUMBER else values, problems
        if self.kind == CATEGORY:
            if_long = "; if this is a column of text, pass ", Advice("text", [self.name])
            codes, problems = coded(array, self.codes, "is not in the list of this attribute", if_long)
            return np.where(codes < 0, np.nan, codes), problems
        values, problems = _floats(array, self.name)
        infinite = np.isinf(values)
        problems += [(i, f"{values[i]} is not a finite number") for i in np.flatnonzero(infinite).tolist()]
        if self.kind == FLAG and self.is_boolean:
            wrong = ~((values == 0) | (values == 1) | np.isnan(values) | infinite)
            why = " is neither 0 nor 1 as the first rows are; if it is right, pass "
            advice = Advice("numeric", [self.name])
            problems += [(i, Message(f"{values[i]:g}", why, advice)) for i in np.flatnonzero(wrong).tolist()]
        return values, problems


def side_by_side(parts: list[Any], shape: tuple[int, int]) -> Any:
    """Return the values of columns as rows × inputs of this shape, sparse if those of a column are."""
    if any(hasattr(part, "tocsr") for part in parts):
        from scipy.sparse import csr_array, hstack

        columns = [part if part.ndim == 2 else part[:, None] for part in parts]
        return hstack([csr_array(part) for part in columns], format="csr")
    X = np.empty(shape)
    start = 0
    for part in parts:
        n = 1 if part.ndim == 1 else part.shape[1]
        X[:, start : start + n] = part if part.ndim == 2 else part[:, None]
        start += n
    return X


def coded(
    array: Any, codes: Codes, complaint: str, if_long: Sequence[str | Advice] = ()
) -> tuple[Ints, Problems]:
    """Return the code of each value, MISSING if it has none, and a list of (position, error message).

    A message says `complaint`, or that a text is too long and then `if_long`.
    """
    values, positions = distinct(array)
    found = np.append(codes.of(values), MISSING)[positions]
    unknown = np.flatnonzero(found == UNKNOWN).tolist()
    places = {int(positions[i]) for i in unknown}
    problem_of = {place: _complaint(values[place], complaint, if_long) for place in places}
    return np.maximum(found, MISSING), [(i, problem_of[int(positions[i])]) for i in unknown]


def _floats(array: Any, name: str) -> tuple[Floats, Problems]:
    if pa.types.is_float64(array.type):
        return array.to_numpy(zero_copy_only=False), []
    values, positions = distinct(array)
    floats = np.array([_float(value) for value in values] + [np.nan], dtype=object)
    odd = [place for place, value in enumerate(floats) if value is None and isinstance(values[place], str)]
    # A sign of money, or the first thousand, may come late.
    late = parsed(pa.array([values[place].strip() for place in odd], pa.string()), ".")
    for place, value in zip(odd, late.tolist(), strict=True):
        floats[place] = truth(values[place]) if np.isnan(value) else value
    wrong = np.array([value is None for value in floats])[positions]
    why = " is not a number; if this is a column of categories, pass ", Advice("categorical", [name])
    bad = [(i, values[positions[i]]) for i in np.flatnonzero(wrong).tolist()]
    problems: Problems = [(i, _may_be_missing(Message(shown(value), *why), value)) for i, value in bad]
    return floats.astype(float)[positions], problems


def _may_be_missing(problem: str, value: Any) -> Message:
    """Return a problem with a cell of a column of numbers, and what to do if it is no number on purpose."""
    is_word = isinstance(value, str) and number(value) is None and value.strip()
    hint = "; if it stands for a missing value, pass "
    return Message(problem, *((hint, Advice("missing", [value.strip()])) if is_word else ()))


def truth(text: str) -> float | None:
    """Return 1 of true, and 0 of false, in a column of numbers; None of any other text."""
    word = text.strip().capitalize()
    return float(BOOLEANS.index(word)) if word in BOOLEANS else None


def _float(value: Any) -> float | None:
    if isinstance(value, (str, bytes)):
        return np.nan if spelling(value) is None else number(as_text(value) or "")  # "-0.0" keeps its sign
    try:
        return np.nan if value is None else float(value)
    except TypeError:  # a date
        return None


def is_text(array: Any) -> bool:
    """Return whether cells are text as it is read from a file: a dictionary of strings."""
    return pa.types.is_dictionary(array.type) and pa.types.is_string(array.type.value_type)


def distinct_texts(array: Any) -> tuple[Any, Ints]:
    """Return the distinct values as an Arrow array of text without blanks around it, null if missing.

    With it comes the position of the text of each row (their number if the row is null).
    """
    array = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    values = array.dictionary
    if not pa.types.is_string(values.type):
        values = pa.array([as_text(value) for value in values.to_pylist()], pa.string())
    trimmed = pc.utf8_trim_whitespace(values)
    positions = array.indices.cast(pa.int64()).fill_null(len(values)).to_numpy(zero_copy_only=False)
    return pc.if_else(pc.is_in(trimmed, MISSING_TEXTS), None, trimmed), positions


def as_text(value: Any) -> str | None:
    """Return a value as a text file has it; a whole number has no point, though it is a float."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    return None if value is None or value != value else str(value)


def texts_in(arrays: list[Any]) -> Any:
    """Return the distinct texts of a column that comes in several arrays, without those that are missing."""
    return pa.concat_arrays([distinct_texts(array)[0] for array in arrays]).drop_null().unique()


def distinct(array: Any) -> tuple[list[Any], Ints]:
    """Return the distinct values, and for each row the position of its value (their number if null)."""
    array = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    values = array.dictionary.to_pylist()
    return values, array.indices.cast(pa.int64()).fill_null(len(values)).to_numpy(zero_copy_only=False)


def _complaint(value: Any, otherwise: str, if_long: Sequence[str | Advice]) -> str:
    problem = length_problem(value)
    parts = (otherwise,) if problem is None else (problem, *if_long)
    return Message(f"{shown(value)} ", *parts)


def shown(value: Any) -> str:
    """Return a value for a message, shortened."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
