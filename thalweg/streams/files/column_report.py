"""What the columns of a file were taken for, and warnings where that may be a mistake."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from thalweg.errors import Advice, Message, first_of
from thalweg.streams.columns.codes import spelling
from thalweg.streams.columns.column import CATEGORY, DATE, FLAG, IGNORED, NUMBER, TEXT, Column, shown
from thalweg.streams.columns.date_parts import PART_WORDS
from thalweg.streams.columns.dates import Dates
from thalweg.streams.columns.decimals import Decimals
from thalweg.streams.columns.kinds import SECONDS
from thalweg.streams.columns.later_kinds import KindChange
from thalweg.streams.columns.number_text import Decoration, parsed
from thalweg.streams.columns.spellings import merged
from thalweg.streams.columns.targets import TARGET_NAMES, candidate, named_candidate
from thalweg.streams.files.column_notes import missing_counts, note_of
from thalweg.streams.files.first_rows import FirstRows
from thalweg.streams.files.sparse_table import may_be_same

KINDS = (NUMBER, CATEGORY, DATE, TEXT, IGNORED)
MANY_CLASSES = 100
FEW_ROWS, FEW_VALUES = 200, 20


@dataclass(frozen=True)
class ColumnReport:
    """What the columns of a file were taken for.

    Attributes
    ----------
    target : str or None
        The column of labels.
    kinds : dict
        For every other column "number", "category", "date", "text" or "ignored", in the order of the file.
    notes : dict
        What is special about some of them: why one is ignored, how many inputs it has, a decimal comma.
    warnings : tuple of str
        ColumnOptions that are likely to be wrong, and what to do then.
    becomes : dict
        For every column that becomes inputs, in words what these are.
    n_inputs : int
        How many inputs there are in all.
    missing : dict
        For columns in which words stand for missing values, how often each does in the first rows.
    merged : dict
        For columns with several spellings of one label, or of yes and no, each label with the counts of its
        spellings in the first rows.
    n_rows : int
        How many rows were examined, the first ones of the file; `is_whole` says whether these are all.
    """

    target: str | None
    kinds: dict[str, str]
    notes: dict[str, str]
    warnings: tuple[str, ...] = ()
    becomes: dict[str, str] = field(default_factory=dict)
    n_inputs: int = 0
    missing: dict[str, dict[str, int]] = field(default_factory=dict)
    merged: dict[str, dict[str, dict[str, int]]] = field(default_factory=dict)
    n_rows: int = 0
    is_whole: bool = True

    def changed(self, changes: Sequence[KindChange]) -> "ColumnReport":
        """Return the report after columns became other kinds, with a warning of each that says so."""
        new = {each.name: each.kind for each in changes}
        warnings = dict.fromkeys([*self.warnings, *filter(None, (each.warning for each in changes))])
        return replace(self, kinds=self.kinds | new, becomes=self.becomes | new, warnings=tuple(warnings))

    def of_kind(self, kind: str) -> list[str]:
        """Return the names of the columns of one kind."""
        return [name for name, found in self.kinds.items() if found == kind]

    def in_words(self, most: int = 8) -> list[tuple[str, str]]:
        """Return pairs such as ("category", "colour, size"), at most 8 names each."""
        pairs = [] if self.target is None else [("target", self._with_note(self.target))]
        for kind in KINDS:
            if names := self.of_kind(kind):
                pairs.append((kind, first_of([*map(self._with_note, names)], most)))
        return pairs

    def in_one_line(self, most: int = 8) -> str:
        """Return how columns become inputs, such as "price (number), shop (category) → 2 inputs"."""
        columns = first_of([f"{name} ({inputs})" for name, inputs in self.becomes.items()], most)
        return f"{columns} → {self.n_inputs:,} input{'s' if self.n_inputs > 1 else ''}"

    def __str__(self) -> str:
        width = max(map(len, KINDS))
        lines = [f"{kind:{width}}  {names}" for kind, names in self.in_words()]
        return "\n".join([*lines, *(f"{'warning':{width}}  {warning}" for warning in self.warnings)])

    def _with_note(self, name: str) -> str:
        return f"{name} ({self.notes[name]})" if name in self.notes else name

    def to_plain(self) -> dict[str, Any]:
        """Return everything as a dict for JSON: names of columns by kind, notes, warnings and counts.

        `rows_seen` is `n_rows`, `all_rows_seen` is `is_whole`, and `inputs` is `n_inputs`.
        """
        columns = {kind: self.of_kind(kind) for kind in KINDS}
        rest = {"notes": self.notes, "warnings": list(self.warnings), "inputs": self.n_inputs}
        seen = {"missing": self.missing, "merged": self.merged, "rows_seen": self.n_rows,
                "all_rows_seen": self.is_whole}
        return {"target": self.target, **columns, **rest, **seen}


def report_columns(
    columns: Sequence[Column], label: Column | None, warnings: Sequence[str], first: FirstRows
) -> ColumnReport:
    """Return what the columns of a file were taken for; `first` are its first rows."""
    kinds, notes, becomes = {}, {}, {}
    missing = missing_counts(columns, first)
    same: dict[str, dict[str, dict[str, int]]] = {}
    n_inputs = 0
    for column in columns:
        groups = merged(column.spellings)
        same |= {column.name: groups} if groups else {}
        if note := note_of(column, missing.get(column.name, {}), groups, first):
            notes[column.name] = note
        if column is label:
            continue
        kind = column.kind or NUMBER
        kinds[column.name] = CATEGORY if kind == FLAG else kind if kind in KINDS else IGNORED
        if kinds[column.name] != IGNORED:
            becomes[column.name] = _in_words(column)
            n_inputs += column.n_inputs
    target = None if label is None else label.name
    return ColumnReport(target, kinds, notes, tuple(warnings), becomes, n_inputs, missing, same,
                        first.n_rows, first.is_whole)


def _in_words(column: Column) -> str:
    """Return what a column becomes, such as "date: elapsed days, weekday"."""
    reader = column.reader
    if isinstance(reader, Dates):
        return f"date: {', '.join(PART_WORDS[part] for part in reader.parts)}"
    if column.kind == TEXT:
        return f"text: counts of hashed words in {column.n_inputs:,} places"
    if column.kind == FLAG:
        return "category, 0 or 1"
    if column.kind == CATEGORY:
        return f"category, {len(column.categories):,} values at first"
    return f"{column.kind or NUMBER}{', ' + column.note if column.note else ''}"


def column_warnings(columns: Sequence[Column], head: list[Any]) -> list[str]:
    """Return warnings about inputs that may not be what they were taken for."""
    found: list[str] = []
    for column in columns:
        name, reader = column.name, column.reader
        if isinstance(reader, Decimals) and reader.is_ambiguous:
            point, other = ("comma", ".") if reader.point == "," else ("point", ",")
            doubt = f"{name!r} may have a decimal {point} or not: if not, pass "
            found.append(Message(doubt, Advice("decimal", other)))
        if isinstance(reader, Decimals):
            found += _unit_warnings(name, reader.decoration)
        if isinstance(reader, Dates) and reader.is_ambiguous:
            doubt = f"{name!r}: day and month could be swapped; taken as {reader.in_words}; if not, pass "
            found.append(Message(doubt, Advice("date_order", "dmy" if reader.order == "mdy" else "mdy")))
        if column.words:
            found.append(_word_warning(column, head))
        if column.kind == CATEGORY and not column.is_told:
            found += _mixture_warnings(name, column.categories) if not column.note else []
        if column.kind == NUMBER and reader is None and not column.is_told:
            arrays = [rows.column(name) for rows in head]
            if not column.is_full:
                arrays = [column.missing.cleaned(array, numeric=True) for array in arrays]
            found += _number_warnings(name, arrays)
    return found


def _word_warning(column: Column, head: list[Any]) -> str:
    word = column.words[0]
    n_rows = sum(rows.num_rows for rows in head)
    n = sum(column.missing.counts(rows.column(column.name), True).get(word, 0) for rows in head)
    doubt = f"{column.name!r} has numbers and words such as {shown(word)} ({n:,} of {n_rows:,} rows)"
    hint = ": taken as missing; if it is a category, pass "
    return Message(doubt, hint, Advice("categorical", [column.name]))


def _unit_warnings(name: str, decoration: Decoration) -> list[str]:
    if decoration.n_units > 1:
        doubt = f"has amounts in {' and '.join(decoration.units)}, read as if they were one"
    elif decoration.is_partial:
        doubt = "has % in some cells and not in others; 13 % is read as 13"
    else:
        return []
    hint = "make them one unit in the file, or pass "
    return [Message(f"{name!r} {doubt}; {hint}", Advice("ignore", [name]))]


def _mixture_warnings(name: str, values: list[Any]) -> list[str]:
    texts = [text for value in values if (text := spelling(value)) is not None]
    are_numbers = np.any([~np.isnan(parsed(pa.array(texts, pa.string()), point)) for point in ".,"], axis=0)
    words = [text for text, is_number in zip(texts, are_numbers.tolist(), strict=True) if not is_number]
    if not words or len(words) >= len(texts) - len(words):
        return []
    doubt = f"{name!r} has numbers and words such as {shown(words[0])}: taken as categories; if not, pass "
    return [Message(doubt, Advice("numeric", [name]))]


def _number_warnings(name: str, arrays: list[Any]) -> list[str]:
    n_rows = sum(len(array) for array in arrays)
    if n_rows < FEW_ROWS or len(arrays[0][:FEW_ROWS].unique()) < FEW_VALUES:
        return []
    try:
        start = _floats([arrays[0][:FEW_VALUES]])
        if not len(start) or ((start % 1).any() and start.min() < SECONDS[0]):
            return []
        numbers = _floats(arrays)
    except pa.ArrowInvalid:  # there are words among the numbers
        return []
    low, high = numbers.min(), numbers.max()
    if any(SECONDS[0] * unit <= low and high <= SECONDS[1] * unit for unit in (1, 1e3, 1e6, 1e9)):
        return [Message(f"{name!r} looks like time since 1970: if it is, pass ", Advice("date", [name]))]
    whole = not (numbers % 1).any()
    if whole and low >= 19_000_101 and high <= 21_001_231 and (numbers % 100 <= 31).all():
        return [Message(f"{name!r} looks like dates: if these are, pass ", Advice("date", [name]))]
    if whole and len(np.unique(numbers)) == n_rows:
        return [Message(f"{name!r}: all values differ; if it is an id, pass ", Advice("ignore", [name]))]
    return []


def _floats(arrays: list[Any]) -> NDArray[Any]:
    values = [np.asarray(array.dictionary_decode().cast("float64").fill_null(np.nan)) for array in arrays]
    joined = np.concatenate(values)
    return joined[~np.isnan(joined)]


def target_warnings(
    inputs: Sequence[Column], label: Column, classes: Any, head: list[Any], is_told: bool
) -> list[str]:
    """Return warnings about a column of labels that may be the wrong one, or that an input gives away."""
    found: list[str] = []
    is_many, is_one = len(classes) > MANY_CLASSES, len(classes) == 1
    better = None if is_told else candidate(inputs, head) if is_many or is_one else named_candidate(inputs)
    hint = () if better is None else (f" {better!r} may be it: pass ", Advice("target", better))
    if is_many or is_one:
        n_classes = "one class in the first rows" if is_one else f"{len(classes):,} classes"
        doubt = f"the target {label.name!r} has {n_classes}: is it the column of labels?"
        found.append(Message(doubt, *hint))
    elif better is not None and label.name.lower() not in TARGET_NAMES:
        found.append(Message(f"the target is {label.name!r}, the last column;", *hint))
    names = [column.name for column in inputs if column.kind in (CATEGORY, FLAG, NUMBER)]
    labels = [rows.column(label.name) for rows in head]
    for name in may_be_same(head, names, label.name):
        if _is_same([rows.column(name) for rows in head], labels):
            doubt = f"{name!r} equals the target in the first rows; if it is only known afterwards, pass "
            found.append(Message(doubt, Advice("ignore", [name])))
    return found


def _is_same(values: list[Any], labels: list[Any]) -> bool:
    """Return whether a column and the label determine each other in all first rows that have both."""
    pairs: set[tuple[Any, Any]] = set()
    spelled: set[tuple[Any, Any]] = set()
    for part, label in _parts(values, labels):
        try:
            pairs |= set(zip(part.to_pylist(), label.to_pylist(), strict=True))
        except ArithmeticError:  # a damaged decimal number
            return False
        spelled = {(spelling(a), spelling(b)) for a, b in pairs}
        spelled = {(a, b) for a, b in spelled if a is not None and b is not None}
        if len(spelled) > min(len({a for a, _ in spelled}), len({b for _, b in spelled})):
            return False
    return sum(map(len, labels)) >= FEW_ROWS // 4 and len(spelled) > 1


def _parts(values: list[Any], labels: list[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the first rows that have both in parts: a short one first, in which most columns differ."""
    for part, label in zip(values, labels, strict=True):
        n_missing = part.null_count + label.null_count
        if n_missing:
            has_both = pc.and_(part.is_valid(), label.is_valid())
            part, label = part.filter(has_both), label.filter(has_both)
        starts = [0, *range(FEW_VALUES, len(part), FEW_ROWS)]
        for start, stop in zip(starts, [*starts[1:], len(part)], strict=True):
            yield part[start:stop], label[start:stop]
