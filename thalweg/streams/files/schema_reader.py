"""Read a file into the inputs of another one, as described by its schema."""

from collections.abc import Iterable
from copy import copy
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from thalweg._misspelt import nearest
from thalweg.errors import StreamError, first_of
from thalweg.streams.columns.class_codes import as_classes
from thalweg.streams.columns.codes import Codes
from thalweg.streams.columns.column import CATEGORY, DATE, FLAG, IGNORED, NUMBER, TEXT, Column, is_text
from thalweg.streams.columns.date_parts import PARTS
from thalweg.streams.columns.dates import Dates, dates_of_schema
from thalweg.streams.columns.decimals import Decimals, decorated, find_decimals
from thalweg.streams.columns.kinds import ColumnOptions, has_points, is_number
from thalweg.streams.columns.missing import Missing
from thalweg.streams.columns.words import MOST_WORDS, Words
from thalweg.streams.files.first_rows import Source, check_kinds
from thalweg.streams.files.sparse_table import known_numbers
from thalweg.streams.files.text_encoding import checked_encoding
from thalweg.streams.schema import VERSION

LEFT_OUT = "left out, as the schema has no such column"
KINDS = (NUMBER, FLAG, CATEGORY, DATE, TEXT)


class SchemaReader:
    """A checked schema: chooses the columns of a file and how to read them.

    Kinds, codes and parts of dates are those of the schema. The formats of numbers and dates are too, if they
    fit the first rows of the file; otherwise they are guessed from these rows.
    """

    def __init__(self, schema: Any) -> None:
        try:
            if schema["schema"] != VERSION:
                raise ValueError(f"its version is {schema['schema']!r}, this release reads {VERSION}")
            self.target: str | None = schema["target"]
            self.header: bool | None = schema["header"]
            self.ignored = list(schema["ignored"])
            self.encoding = checked_encoding(schema.get("encoding"))
            self.ids = list(schema.get("ids", ()))  # none in schemas of earlier releases
            self.more_classes = bool(schema["more_classes"])
            self.match = str(schema.get("match", "exact"))
            self.missing = Missing(tuple(map(str, schema.get("missing", ()))))
            Codes(match=self.match)
            self.classes: NDArray[Any] = as_classes(schema["classes"], ordered=True)
            self._examples = {spec["name"]: example(spec) for spec in schema["columns"]}
            self.names = tuple(name for column in self._examples.values() for name in column.inputs)
            if not self.names or len(self._examples) < len(schema["columns"]):
                raise ValueError("its columns have no names of their own")
        except (KeyError, TypeError, ValueError, AttributeError, StreamError) as error:
            said = f"{error} is missing in it" if isinstance(error, KeyError) else str(error)
            raise ValueError(f"from_file: like must be what a stream's schema() returns; {said}") from None

    def with_codes(self, columns: Iterable[Column], classes: NDArray[Any]) -> "SchemaReader":
        """Return a reader of the same columns, with the codes that `columns` have when it chooses some."""
        found = copy(self)
        found._examples, found.classes = {column.name: column for column in columns}, classes
        return found

    def choose(self, source: Source, label: Column | None) -> tuple[list[Column], list[str]]:
        """Return the columns that become inputs, in the order of the schema, and warnings about the others.

        Raise StreamError if one is missing.
        """
        by_name = {column.name: column for column in source.columns if column is not label}
        missing = [name for name in self._examples if name not in by_name]
        if missing:
            is_some = len(missing) < len(self._examples)
            raise StreamError(f"{source.name}: {_missing(missing, list(by_name), is_some)}")
        chosen = [by_name[name] for name in self._examples]
        check_kinds(source, chosen, is_settled=True)
        extra = []
        for column in source.columns:
            if column.name not in self._examples and column is not label:
                is_known = column.name in (*self.ignored, self.target)
                column.kind = IGNORED
                column.note = "as in the schema" if is_known else "not in the schema"
                extra += [] if is_known else [repr(column.name)]
        for column in chosen:
            known = self._examples[column.name]
            column.kind, column.codes, column.reader = known.kind, known.codes.copy(), known.reader
            column.is_told, column.note = True, ""
            column.is_empty, column.is_boolean, column.words = known.is_empty, known.is_boolean, known.words
        return chosen, [f"{LEFT_OUT}: {', '.join(extra)}"] if extra else []

    def examples(self) -> list[Column]:
        """Return the columns as the schema has them, without a file."""
        return [
            replace(column, codes=column.codes.copy(), missing=self.missing.joined(Missing(column.words)))
            for column in self._examples.values()
        ]

    def set_readers(self, columns: list[Column], head: list[Any], options: ColumnOptions, where: str) -> None:
        """Set how to read the columns, whose first rows are `head`."""
        numbers = known_numbers(head) if options.decimal != "," else ()
        for j, column in enumerate(columns):
            column.missing = options.missing.joined(Missing(column.words))
            if options.is_fixed or column.is_empty:
                continue
            if column.kind == CATEGORY or (column.is_plain and column.name in numbers):
                continue
            arrays = [column.missing.cleaned(rows.column(j), column.is_numeric) for rows in head]
            if column.kind == NUMBER:
                known = column.reader if isinstance(column.reader, Decimals) else None
                known = None if column.has_points else _decimals(known, arrays, options)
                column.reader = known
                column.note = known.note if known else ""
            elif column.kind == FLAG and not is_number(arrays):
                column.kind, column.codes = CATEGORY, Codes([False, True], match="yes/no")
            elif isinstance(column.reader, Dates):
                column.reader = dates_of_schema(column.reader, arrays, options.date_order)
                if column.reader is None:
                    raise StreamError(f"{where}, column {column.name!r}: the first rows are not all dates")


def example(spec: dict[str, Any]) -> Column:
    """Return a column as a part of a schema describes it."""
    column = Column(str(spec["name"]), spec["kind"], is_empty=bool(spec.get("empty", False)))
    column.words = tuple(map(str, spec.get("missing", ())))
    column.is_boolean = column.kind == FLAG and bool(spec.get("boolean", False))
    if column.kind == CATEGORY:
        match = str(spec.get("match", "exact"))
        column.codes = Codes(spec["values"], grows=bool(spec["grows"]), where=column.name, match=match)
    elif column.kind == DATE:
        if not spec["parts"] or not set(spec["parts"]) <= set(PARTS):
            raise ValueError(f"a date has no parts {spec['parts']}")
        parts = tuple(part for part in PARTS if part in spec["parts"])
        column.reader = Dates.named(spec["layout"], float(spec["origin"]), parts)
    elif column.kind == TEXT:
        known = tuple((int(place), str(word)) for place, word in spec.get("words", ()))
        if not 1 <= spec["n_words"] <= MOST_WORDS:
            raise ValueError(f"a text has {spec['n_words']} inputs")
        column.reader = Words(int(spec["n_words"]), known)
    elif column.kind == NUMBER and spec.get("decimal") in (".", ","):
        column.reader = Decimals(spec["decimal"])
    elif column.kind not in KINDS:
        raise ValueError(f"there is no kind {column.kind!r} of columns")
    if column.is_empty and column.kind != NUMBER:
        raise ValueError(f"a column of kind {column.kind!r} is said to be empty")
    return column


def _decimals(known: Decimals | None, arrays: list[Any], options: ColumnOptions) -> Decimals | None:
    """Return how to read numbers: as `known` if that fits, else as plain numbers, else as they look."""
    if not all(is_text(array) for array in arrays):
        return None
    decimal = options.decimal
    is_plain = is_number(arrays)
    if is_plain and decimal != "," and (known is None or known.point == "."):
        return None
    if decimal is None and known is not None and not any(known.read(array)[1] for array in arrays):
        found = decorated(arrays, known.point)
        return Decimals(known.point, is_ambiguous=is_plain and has_points(arrays), decoration=found)
    if is_plain and decimal != ",":
        return None
    found_here = find_decimals(arrays, decimal, options.delimiter, told=True)
    return known if found_here is None and decimal is None else found_here


def _missing(missing: list[str], known: list[str], is_some: bool) -> str:
    """Return a message about missing columns; `is_some` says whether there are any that are not missing."""
    likely = [(near, name) for name in missing[:5] if is_some and (near := nearest(name, known))]
    hints = [f"{near!r} may be {name!r}" for near, name in likely[:3]]
    hint = ", ".join(hints) if hints else f"it has {', '.join(known[:20])}"
    ending = "" if is_some else "; is its first row a header?"
    columns = first_of([*map(repr, missing)], 5)
    return f"there is no column {columns}, which the first rows had; {hint}{ending}"
