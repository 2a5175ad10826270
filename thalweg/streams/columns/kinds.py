"""The kind of a column, guessed from its first rows."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from thalweg._types import Floats
from thalweg.errors import StreamError
from thalweg.streams.columns.class_codes import LARGEST
from thalweg.streams.columns.code_columns import are_phone_numbers, code_note
from thalweg.streams.columns.codes import BOOLEANS, MOST_TEXT, Codes, is_yes_no, number, spelling
from thalweg.streams.columns.column import (
    CATEGORY,
    DATE,
    FLAG,
    IGNORED,
    NUMBER,
    TEXT,
    Column,
    distinct,
    is_text,
    texts_in,
)
from thalweg.streams.columns.date_parts import PARTS
from thalweg.streams.columns.dates import find_dates
from thalweg.streams.columns.decimals import MAX_CODES, WRONG, Decimals, find_decimals, lone_word
from thalweg.streams.columns.missing import Missing
from thalweg.streams.columns.spellings import counted, spellings
from thalweg.streams.columns.words import named_words

SECONDS, NANO = (8e8, 2.2e9), 1e9  # since 1970: 1995 to 2039
WHOLE = r"^[+-]?\d+$"
N_WORDS, N_SPARSE_WORDS = 256, 4096  # inputs of a text; the latter for learners that take sparse rows
MIN_FLAG_ROWS = 50  # in fewer, 0 and 1 are numbers: others may follow
MIN_ID_ROWS, ID_SHARE = 50, 0.95
MIN_TEXTS, TEXT_SHARE, TEXT_WORDS = 50, 0.1, 3.0
ID_NAME = re.compile(r"(^|[\W_])(id|ids|uid|uuid|guid|key|nr|no|index|idx|row)$")
WORD = re.compile(r"\S*[^\W\d_]\S*")  # it has a letter in it
COUNTRY = re.compile(r"[A-Z]{2}")
MIN_COUNTRIES = 3
CAMEL_ID = re.compile(r"[a-z](Id|ID|Nr|No)$")
ID_NOTES = ("all values differ: a row number or id", "almost all values differ: an id")


@dataclass(frozen=True)
class ColumnOptions:
    """What the user says about all columns: decimal point, delimiter, parts of dates, inputs of a text, …

    If `is_fixed`, a schema says how cells are written, and the first rows change nothing about it.
    """

    decimal: str | None = None
    delimiter: str | None = None
    date_parts: tuple[str, ...] = PARTS
    n_words: int = N_WORDS
    missing: Missing = field(default_factory=Missing)
    is_fixed: bool = False
    date_order: str | None = None


def is_settled(column: Column, known_numbers: Collection[str]) -> bool:
    """Return whether the first rows cannot change how a column is read: it is declared, and plain.

    `known_numbers` are the names of columns in which these rows have numbers only.
    """
    if column.kind == NUMBER:
        return column.is_told and column.name in known_numbers
    return column.kind == CATEGORY and column.is_told and not column.codes.grows and len(column.codes) > 0


def set_kind(column: Column, arrays: list[Any], options: ColumnOptions, where: str) -> None:
    """Set the kind of a column whose first rows are `arrays`, and how to read it."""
    options = replace(options, decimal=".") if column.has_points else options
    column.missing, column.words = options.missing, ()
    numeric = [options.missing.cleaned(array, numeric=True) for array in arrays]
    column.is_full = all(new is old and not new.null_count for new, old in zip(numeric, arrays, strict=True))
    arrays = [options.missing.cleaned(array, numeric=False) for array in arrays]
    if column.kind == DATE:
        column.reader = find_dates(numeric, options.date_parts, told=True, order=options.date_order)
        if column.reader is None:
            raise StreamError(f"{where}, column {column.name!r}: the first rows are not all dates")
    elif column.kind is None or (column.kind == CATEGORY and not column.is_told):
        _guess(column, arrays, numeric, options)
    elif column.kind == NUMBER and (options.decimal == "," or not is_number(numeric)):
        _set_decimals(column, find_decimals(numeric, options.decimal, options.delimiter, told=True))
    if column.kind == TEXT:
        column.reader = named_words(arrays, options.n_words) if options.n_words else None
    if column.kind in (DATE, TEXT) and (column.reader is None or not column.reader.inputs):
        column.kind, column.note, column.reader = IGNORED, f"{column.kind}, left out", None
    if column.kind == CATEGORY:
        _set_codes(column, [column.missing.cleaned(array, numeric=False) for array in arrays])


def _guess(column: Column, arrays: list[Any], numeric: list[Any], options: ColumnOptions) -> None:
    """Set the kind; `numeric` are the first rows with null for what is missing in a column of numbers."""
    n_rows = sum(len(array) for array in arrays)
    may_be_plain = column.kind is None and (options.decimal != "," or not has_points(numeric))
    numbers = plain_numbers(numeric) if may_be_plain else None
    if numbers is not None and _are_beyond_floats(numbers, numeric):
        _set_large(column, arrays, numeric, numbers, options)
        return
    if numbers is not None and (len(numbers) or not _counts(arrays)):
        is_flag = len(numbers) and np.isin(numbers, (0, 1)).all() and n_rows >= MIN_FLAG_ROWS
        column.kind = FLAG if is_flag else NUMBER
        column.is_empty = not len(numbers)
        if column.kind == NUMBER and is_counter(column.name, arrays, numbers):
            _leave_out(column, ID_NOTES[0])
        elif note := code_note(column.name, numeric, numbers):
            column.kind, column.note = CATEGORY, note
            _refine(column, _counts(arrays))
        return
    if not column.words and _has_lone_word(column, numeric, options):
        without = [column.missing.cleaned(array, numeric=False) for array in arrays]
        _guess(column, without, [column.missing.cleaned(array, numeric=True) for array in numeric], options)
        return
    if not _are_phone_numbers(column.name, numeric):
        reader = find_decimals(numeric, options.decimal, options.delimiter)
        n_cells = sum(len(array) - array.null_count for array in numeric)
        if reader is not None and _n_wrong(reader, numeric) > WRONG * n_cells:
            reader = None
        _set_decimals(column, reader)
        if column.reader is not None:
            column.kind = NUMBER
            return
        column.reader = find_dates(numeric, options.date_parts, told=False, order=options.date_order)
        if column.reader is not None:
            column.kind = DATE
            return
    column.kind = column.kind or _kind_of_mixture(_counts(numeric) or _counts(arrays))
    if column.kind == CATEGORY:
        _refine(column, _counts(arrays))


def _are_beyond_floats(numbers: Floats, arrays: list[Any]) -> bool:
    """Return whether whole numbers are so large that floats do not tell them apart."""
    if not len(numbers) or not np.abs(numbers).max() >= LARGEST or not np.isfinite(numbers).all():
        return False
    if all(pa.types.is_integer(array.type.value_type) for array in arrays):
        return True
    are_texts = all(map(is_text, arrays))
    return are_texts and pc.all(pc.match_substring_regex(texts_in(arrays), WHOLE)).as_py() is not False


def _set_large(
    column: Column, arrays: list[Any], numeric: list[Any], numbers: Floats, options: ColumnOptions
) -> None:
    """Set the kind of a column of large whole numbers: nanoseconds since 1970, or else categories or ids."""
    low, high = (each * NANO for each in SECONDS)
    may_be_id = _is_id_name(column.name) and (numbers % 1000).any()  # Snowflakes are as long
    if low <= numbers.min() and numbers.max() <= high and not may_be_id:
        column.kind, column.reader = DATE, find_dates(numeric, options.date_parts, told=True)
        return
    column.kind, column.note = CATEGORY, "whole numbers beyond 2**53"
    _refine(column, _counts(arrays))


def _has_lone_word(column: Column, numeric: list[Any], options: ColumnOptions) -> bool:
    """Take the one word among the numbers of a column for a missing value; return whether there is one.

    In a column whose type is text, numbers without decoration are no numbers.
    """
    word = None if pa.types.is_temporal(numeric[0].type) else lone_word(numeric, options.decimal)
    if word is None or (column.kind is not None and find_decimals(numeric, options.decimal, None) is None):
        return False
    column.words, column.is_full = (word,), False
    column.missing = column.missing.joined(Missing(column.words))
    return True


def _n_wrong(reader: Decimals, arrays: list[Any]) -> int:
    """Return in how many rows there is no number."""
    return sum(len(reader.read(array)[1]) for array in arrays)


def _set_decimals(column: Column, reader: Decimals | None) -> None:
    column.reader = reader
    column.note = "" if reader is None else reader.note


def _are_phone_numbers(name: str, arrays: list[Any]) -> bool:
    if pa.types.is_temporal(arrays[0].type):
        return False
    return are_phone_numbers(name, texts_in(arrays))


def _refine(column: Column, counts: dict[str, int]) -> None:
    """Leave out a column of categories that are ids; read it as text if its categories are sentences."""
    n_rows, n_values = sum(counts.values()), len(counts)
    words = [len(WORD.findall(value)) for value in counts] or [0]
    is_varied = np.mean(words) >= TEXT_WORDS and n_values >= max(MIN_TEXTS, TEXT_SHARE * n_rows)
    # The median: after a quote that never ends, one cell has very many words.
    is_long = np.median(words) >= TEXT_WORDS and max(map(len, counts)) > MOST_TEXT
    if is_varied or is_long:
        column.kind = TEXT
    elif is_identifier(counts):
        _leave_out(column, ID_NOTES[1])


def is_identifier(counts: dict[Any, int]) -> bool:
    """Return whether almost all values of a column differ; `counts` says how often each occurs."""
    n_rows = sum(counts.values())
    return n_rows >= MIN_ID_ROWS and len(counts) >= ID_SHARE * n_rows


def _leave_out(column: Column, why: str) -> None:
    column.kind, column.note = IGNORED, why


def is_counter(name: str, arrays: list[Any], numbers: Floats) -> bool:
    """Return whether whole numbers count rows, or all differ in a column whose name is that of an id.

    `numbers` are the distinct ones of each array.
    """
    n_rows = sum(len(array) for array in arrays)
    if n_rows < MIN_ID_ROWS or len(numbers) < n_rows or not np.isfinite(numbers).all() or (numbers % 1).any():
        return False
    steps = np.diff(numbers)
    if len(np.unique(steps)) == 1 and abs(steps[0]) == 1:
        return True
    return _is_id_name(name) and len(np.unique(numbers)) == n_rows


def _is_id_name(name: str) -> bool:
    return bool(ID_NAME.search(name.lower()) or CAMEL_ID.search(name))


def is_number(arrays: list[Any]) -> bool:
    """Return whether all values are numbers or missing."""
    return plain_numbers(arrays) is not None


def plain_numbers(arrays: list[Any]) -> Floats | None:
    """Return the distinct numbers of each array, joined; None if a value is not a number."""
    try:
        used = np.concatenate([_as_floats(array.unique().dictionary_decode()) for array in arrays])
    except pa.ArrowInvalid:
        return None
    return used[~np.isnan(used)]


def _as_floats(array: Any) -> Any:
    return array.cast(pa.float64(), safe=not pa.types.is_integer(array.type))  # beyond 2**53 they are rounded


def has_points(arrays: list[Any]) -> bool:
    """Return whether there is a point in any text."""
    return any(pa.types.is_string(array.type.value_type)
               and pc.any(pc.match_substring(array.dictionary, ".")).as_py() for array in arrays)


def _counts(arrays: list[Any]) -> dict[str, int]:
    """Return how often each value occurs, by its canonical spelling."""
    counts: dict[str, int] = {}
    for array in arrays:
        values, positions = distinct(array)
        for value, n in zip(values, np.bincount(positions, minlength=len(values)), strict=False):
            text = spelling(value)
            if text is not None and n:
                counts[text] = counts.get(text, 0) + int(n)
    return counts


def _kind_of_mixture(counts: dict[str, int]) -> str:
    """Return the kind of a column that has words in it.

    It is a category if more than 5 % of its cells are words, if there are more different words than numbers,
    or if words recur and there are at most 20 distinct numbers; otherwise it is a number, and the words in it
    are errors.
    """
    words = [text for text in counts if number(text) is None]
    numbers = len(counts) - len(words)
    if not words:
        return FLAG if counts and counts.keys() <= {"0", "1"} else NUMBER
    n_words = sum(counts[text] for text in words)
    recur, are_many = n_words > len(words), n_words > WRONG * sum(counts.values())
    return CATEGORY if are_many or len(words) > numbers or (recur and numbers <= MAX_CODES) else NUMBER


def _set_codes(column: Column, arrays: list[Any]) -> None:
    found = [value for array in arrays for value in distinct(array)[0]]
    spelled = {text for value in found if (text := spelling(value)) is not None}
    if not len(column.codes) and spelled and not column.is_told and is_yes_no(spelled):
        column.spellings = spellings(counted(arrays), "yes/no")
        kept = BOOLEANS if spelled <= set(BOOLEANS) else column.spellings
        column.codes = Codes(kept, grows=True, match="yes/no")
    elif not len(column.codes) and spelled and spelled <= set(BOOLEANS):
        # False is 0 and True is 1, whichever comes first, as in files that have a type for them.
        column.codes = Codes(BOOLEANS, grows=True)
    elif not column.is_told and "NA" in found and are_countries(spelled):
        column.codes = Codes(grows=True, match="codes")
        column.note = "NA is a category among codes of two letters"
    column.codes.of(found)


def are_countries(texts: set[str]) -> bool:
    """Return whether texts are codes of two capital letters, as those of countries."""
    return len(texts) >= MIN_COUNTRIES and all(COUNTRY.fullmatch(text) for text in texts)
