"""The first rows of a file, and the labels in them."""

from collections.abc import Iterable, Sequence, Sized
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa
from numpy.typing import NDArray

from thalweg.errors import Advice, Message, StreamError
from thalweg.streams.columns.class_codes import (
    CELL,
    FAR,
    GIVEN,
    ClassCodes,
    as_classes,
    as_label,
    folded,
    labels_of_cells,
)
from thalweg.streams.columns.codes import MATCHES, Codes, length_problem, number, spelling
from thalweg.streams.columns.column import CATEGORY, DATE, FLAG, NUMBER, TEXT, Column, Problems
from thalweg.streams.columns.kinds import are_countries
from thalweg.streams.columns.spellings import counted, label_match, spellings
from thalweg.streams.files.arrow_files import ArrowSource
from thalweg.streams.files.row_order import OrderedSource
from thalweg.streams.files.text_files import TEXT as TEXTS
from thalweg.streams.files.text_files import Batch, TextSource

FIRST_ROWS = 10_000
FIRST_BYTES = 1 << 26
MAX_CLASSES = 1000
MAX_FRACTIONS = 20
Source: TypeAlias = TextSource | ArrowSource | OrderedSource


class FirstRows(NamedTuple):
    """The first rows of a file as record batches, whether these are all, and the batches they are of."""

    head: list[Any]
    is_whole: bool
    batches: Sequence[Batch] = ()

    @classmethod
    def of(cls, batches: Sequence[Batch], is_whole: bool) -> "FirstRows":
        """Return the first rows of batches."""
        head, n_rows = [], 0
        for batch in batches:
            head.append(batch.rows.slice(0, FIRST_ROWS - n_rows))
            n_rows += head[-1].num_rows
        return cls(_joined(head), is_whole, batches)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return sum(rows.num_rows for rows in self.head)


def first_rows(source: Source, names: Sequence[str], strict: bool) -> FirstRows:
    """Return the first rows of the columns `names`; if `strict`, raise StreamError for a bad row."""
    batches: list[Batch] = []
    n_rows = n_bytes = 0
    problems: Problems = []
    for batch in source.batches(names):
        if strict:
            raise_first(source, batch.problems)
        problems = problems or batch.problems
        batches.append(batch)
        n_rows += batch.rows.num_rows
        n_bytes += batch.rows.nbytes
        if n_rows >= FIRST_ROWS or n_bytes >= FIRST_BYTES:
            return FirstRows.of(batches, False)
    if not n_rows and problems:
        check_some(source, 0, [Message(f"data row {problems[0][0]}", problems[0][1])])
    if not n_rows:
        raise StreamError(f"{source.name} has no rows of data")
    return FirstRows.of(batches, True)


def _joined(head: list[Any]) -> list[Any]:
    """Join record batches of text: faster to examine if there are many columns."""
    is_text = all(isinstance(rows, pa.RecordBatch) and set(rows.schema.types) == {TEXTS} for rows in head)
    if len(head) < 2 or not is_text:
        return head
    return pa.Table.from_batches(head).unify_dictionaries().combine_chunks().to_batches()


def raise_first(source: Source, problems: Problems) -> None:
    """Raise StreamError for the first of `problems`, (row number, message) pairs, if there is any."""
    if problems:
        row, complaint = min(problems)
        hint = "; to leave out rows that cannot be read, pass "
        raise StreamError(f"{source.name}, data row {row}", complaint, hint, Advice("on_error", "skip"))


def check_some(source: Source, n_rows: int, messages: Sequence[str]) -> None:
    """Raise StreamError if no row could be read; `messages` say why."""
    if not n_rows and messages:
        raise StreamError(f"{source.name}: no row could be read; ", messages[0])


def check_kinds(source: Source, columns: Iterable[Column], is_settled: bool = False) -> None:
    """Raise StreamError if a column has values of a type that is not read.

    If `is_settled`, none of them can be ignored.
    """
    for column in columns:
        if column.kind not in (None, NUMBER, FLAG, CATEGORY, DATE, TEXT):
            what = f"{source.name}, column {column.name!r}: values of {column.kind} are not read; "
            advice = ("", "") if is_settled else (", or pass ", Advice("ignore", [column.name]))
            raise StreamError(what, "make them numbers or text", *advice)


def first_classes(source: Source, label: Column, head: list[Any]) -> NDArray[Any]:
    """Return the sorted labels of the first rows, and set which of their spellings are one."""
    is_given = source.label_form == GIVEN
    found = counted(
        (label.missing.cleaned(rows.column(label.name), numeric=False) for rows in head), strip=not is_given
    )
    counts: dict[Any, int] = {}
    for value, n in found.items():
        if length_problem(value) is None and (known := as_label(source.labels.get(value, value))) is not None:
            counts[known] = counts.get(known, 0) + n
    label.spellings, match = _given(counts) if is_given else _spelled(counts, source.label_form)
    label.codes = Codes(grows=True, match=match)
    check_labels(source, label, ClassCodes(label.spellings, match=match))
    return as_classes(label.spellings)


def _given(counts: dict[Any, int]) -> tuple[dict[Any, dict[Any, int]], str]:
    """Return labels that are taken as they are, and how those of later rows match them."""
    match = label_match(counts)
    texts = [folded(label, match) for label in counts if isinstance(label, str)]
    match = match if len({*texts}) == len(texts) else "exact"
    return {label: {label: n} for label, n in counts.items()}, match


def _spelled(counts: dict[Any, int], form: str) -> tuple[dict[Any, dict[Any, int]], str]:
    """Return the labels of cells with the counts of their spellings, and how those of later rows match."""
    words = {text for value in counts if (text := spelling(value)) is not None}
    match = "codes" if "NA" in counts and are_countries(words) else label_match(counts)
    there = {value: n for value, n in counts.items() if MATCHES[match](value) is not None}
    are_numbers = all(type(value) is not str for value in labels_of_cells(there))
    if are_numbers and form == CELL:
        groups = spellings(there, match)
        return dict(zip(labels_of_cells(groups), groups.values(), strict=True)), match
    return spellings(there, match, lambda value: folded(str(value), match)), match


def check_again(source: Source) -> None:
    """Raise StreamError if a source cannot be read twice, to find its labels first."""
    if source.once:
        raise StreamError(f"{source.name} can be read only once: name its labels, ", Advice("classes", [...]))


def all_classes(source: Source, label: Column, head: list[Any]) -> tuple[NDArray[Any], int]:
    """Return the sorted labels of all rows, and the number of rows; spellings are those of the first rows.

    Raise StreamError for a bad row.
    """
    check_again(source)
    first_classes(source, label, head)
    match, form, n_rows = label.codes.match, source.label_form, 0
    found = ClassCodes(label.spellings, grows=True, match=match, form=form, decoded=source.labels)
    for values, n_more, problems in source.distinct(label.name):
        raise_first(source, problems)
        known = len(found)
        found.of(label.missing.kept(values))
        if len(found) > known:
            check_labels(source, label, found)
        n_rows += n_more
    check_any(source, label, found)
    return as_classes(found.values), n_rows


def check_any(source: Source, label: Column, classes: Sized) -> None:
    """Raise StreamError if no label was found in all rows."""
    if not len(classes):
        raise StreamError(f"{source.name}: the target {label.name!r} has no label in it")


def check_labels(source: Source, label: Column, found: Codes) -> None:
    """Raise StreamError if there are too many distinct labels for classes."""
    if len(found) > most_classes(found.values):
        what = f"{source.name}: the target {label.name!r} has {len(found)} different values or more, such as "
        hint = "not a class; name the column of labels as the target, or pass "
        raise StreamError(what, f"{found.values[0]}: {hint}", Advice("classes", [...]))


def most_classes(labels: Sequence[Any], n_known: int = 0) -> int:
    """Return how many distinct labels may be classes: fewer if there are fractions among them.

    The first `n_known` labels are classes already.
    """
    new = labels[n_known:] if n_known > MAX_FRACTIONS else labels
    numbers = [number(spelling(value) or "") for value in new]
    fractions = any(value is not None and abs(value) < FAR and value % 1 for value in numbers)
    return MAX_FRACTIONS if fractions else MAX_CLASSES
