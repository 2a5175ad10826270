"""How raw records become rows of inputs, and labels become codes."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._misspelt import meant_class
from thalweg._types import Floats, Ints
from thalweg.errors import StreamError, first_of, short_repr
from thalweg.streams.columns.class_codes import ClassCodes, as_classes, folded
from thalweg.streams.columns.codes import (
    BOOLEANS,
    MISSING,
    MOST_TEXT,
    UNKNOWN,
    length_problem,
    spelling,
)
from thalweg.streams.columns.column import CATEGORY, DATE, FLAG, NUMBER, TEXT, Column
from thalweg.streams.columns.later_kinds import Kind, may_change
from thalweg.streams.columns.row_reader import RowReader
from thalweg.streams.files.arrow_files import kind_of
from thalweg.streams.files.first_rows import most_classes
from thalweg.streams.files.schema_reader import SchemaReader, example
from thalweg.streams.files.tables import as_column

# Of a column; the rest is format.
CODING = ("name", "kind", "values", "grows", "origin", "parts", "n_words", "empty")

MOST_CACHED = 10_000  # spellings of labels
CACHED = (str, int, bool)  # their types


class LabelError(StreamError):
    """A label that has no code.

    Attributes
    ----------
    row : int
        Its position among the labels given.
    problem : str
        What is wrong with it.
    """

    def __init__(self, label: Any, row: int, problem: str) -> None:
        self.row, self.problem = row, f"the label {short_repr(label)} {problem}"
        super().__init__(f"Model: {self.problem}")


class Coding:
    """The columns of a model with the codes of their categories, and its labels with theirs.

    Parameters
    ----------
    schema : dict
        What `Stream.schema` returned. The codes of a `Coding` grow as records are learned; `schema()` has
        those known now.
    reader : SchemaReader or None, default=None
        The schema read already, whose categories and labels then count.
    """

    def __init__(self, schema: dict[str, Any], reader: SchemaReader | None = None) -> None:
        self._schema = schema
        reader = SchemaReader(schema) if reader is None else reader
        self.columns = reader.examples()
        self._reader = reader.with_codes(self.columns, reader.classes)
        self.names = frozenset(column.name for column in self.columns)
        self.target = reader.target
        self.known: frozenset[Any] = self.names | {*reader.ignored, *reader.ids, self.target}
        self.n_own = len(self.known)  # columns of the schema; further ones are known to be left out
        self.labels = ClassCodes(reader.classes.tolist(), reader.more_classes, match=reader.match)
        self.missing = reader.missing
        self.n_inputs = len(reader.names)
        self._known_codes: dict[tuple[type, Any], int] = {}
        self._rows = RowReader(self.columns)
        self._is_sparse = any(column.kind == TEXT for column in self.columns)

    @property
    def classes(self) -> NDArray[Any]:
        """The labels in the order of their codes."""
        return as_classes(self.labels.values, ordered=True)

    def schema(self) -> dict[str, Any]:
        """Return the schema with all categories and labels that are known now."""
        columns = [column.to_plain() for column in self.columns]
        return self._schema | {"columns": columns, "classes": self.classes.tolist()}

    def reader(self) -> SchemaReader:
        """Return what reads other rows into these columns, with all categories and labels known now."""
        return self._reader.with_codes(self.columns, self.classes)

    def updated(self, schema: dict[str, Any]) -> "Coding":
        """Return a Coding with the categories and labels of a later schema, and the kinds that rows showed.

        Formats stay as they are.
        """
        later = {spec["name"]: spec for spec in schema["columns"]}
        columns = [_updated(column, later.get(column.name, {})) for column in self.columns]
        classes = as_classes(schema["classes"], ordered=True)
        found = Coding(self._schema, self._reader.with_codes(columns, classes))
        found.known |= self.known
        return found

    def closed(self) -> "Coding":
        """Return the same with the labels that it has now, to which none is added."""
        if not self._schema["more_classes"]:
            return self
        found = Coding(self.schema() | {"more_classes": False})
        found.known |= self.known
        return found

    def open_kinds(self, columns: Iterable[int] | None = None) -> dict[int, Kind]:
        """Return the kinds of some columns by position, by default of those that later rows may change."""
        if columns is None:
            columns = [j for j, each in enumerate(self.columns) if may_change(each)]
        return {j: Kind.of(self.columns[j]) for j in columns}

    def set_kinds(self, kinds: Mapping[int, Kind]) -> None:
        """Set the kinds of columns by position."""
        if any(Kind.of(self.columns[j]) != kind for j, kind in kinds.items()):
            for j, kind in kinds.items():
                kind.set(self.columns[j])
            self._rows = RowReader(self.columns)

    def is_missing(self, label: Any) -> bool:
        """Return whether a label is missing."""
        if self.labels.knows(label):
            return False
        text = spelling(label) or ""
        return self.labels.is_missing(label) or bool(text and self.missing.is_marker(text, numeric=False))

    def plain(self) -> dict[str, Any]:
        """Return what decides how values become inputs and labels codes, however they are written."""
        schema = self.schema()
        columns = [{key: spec[key] for key in CODING if key in spec} for spec in schema["columns"]]
        for spec in columns:
            spec |= {"values": [*map(spelling, spec["values"])]} if "values" in spec else {}
            if spec.get("values") == [*BOOLEANS]:
                spec |= {"kind": FLAG}
            if spec["kind"] == FLAG:  # 0 and 1, False and True: the same codes
                spec.pop("values", None), spec.pop("grows", None)
        labels = [folded(label, "exact") if isinstance(label, str) else spelling(label)
                  for label in schema["classes"]]
        return {"columns": columns, "classes": labels, "more_classes": schema["more_classes"]}

    def row(self, record: Mapping[str, Any], learns: bool) -> Floats | None:
        """Return the inputs of a record; None if it takes a table to read it.

        A new category gets the next code if the record `learns`; otherwise it has that code this time only.
        """
        x = self._rows.read(record, learns)
        if x is not None and self._is_sparse:
            x += 0.0  # rows of a table are sparse if there is text: -0.0 is not kept there
        return x

    def code_of(self, label: Any) -> int:
        """Return the code of a label as `codes_of` does; MISSING if it is missing."""
        code = self._known_code(label)
        if code is None:
            label = plain_label(label)
            if self.is_missing(label):
                return MISSING
            code = int(self.codes_of([label])[0])
        return code

    def _known_code(self, label: Any) -> int | None:
        return self._known_codes.get((type(label), label)) if type(label) in CACHED else None

    def met_codes(self, labels: Iterable[Any]) -> list[int] | None:
        """Return the codes of labels that came before in the same spelling; None if one did not."""
        found = [*map(self._known_code, labels)]
        return None if None in found else found  # type: ignore[return-value]

    def codes_of(self, labels: Iterable[Any]) -> Ints:
        """Return the codes of labels; new ones get the next codes, if there may be more.

        Raise StreamError, and add none, if one is missing or not among those listed.
        """
        values, n_known = list(labels), len(self.labels)
        if (found := self.met_codes(values)) is not None:
            return np.array(found, dtype=np.intp)
        codes = self.labels.of(self._without_marked(_plain_labels(values)))
        if len(codes) and codes.min() < 0:
            self.forget_labels(n_known)
            raise self._error(values, codes)
        if len(self.labels) > n_known:
            self._check_number(values, codes, n_known)
        if len(self._known_codes) + len(values) <= MOST_CACHED:
            spelled = zip(values, codes.tolist(), strict=True)
            self._known_codes |= {(type(each), each): code for each, code in spelled if _is_cached(each)}
        return codes

    def _error(self, values: list[Any], codes: Ints) -> LabelError:
        """Return what is wrong with the first label that is missing; if none is, with the first unknown."""
        i = int(np.argmin(codes != MISSING if (codes == MISSING).any() else codes != UNKNOWN))
        if codes[i] == MISSING:
            return LabelError(values[i], i, "is missing")
        known = self.labels.values
        problem = f"is not one of {first_of(known, 10)}{meant_class(values[i], known)}"
        return LabelError(values[i], i, length_problem(values[i]) or problem)

    def _check_number(self, values: list[Any], codes: Ints, n_known: int) -> None:
        """Raise LabelError, and forget new labels, if there are more than a target may have."""
        most = most_classes(self.labels.values, n_known)
        if len(self.labels) > most:
            i = int(np.argmax(codes >= max(most, n_known)))
            self.forget_labels(n_known)
            why = f"is new, and a target may have {most:,} different labels; is it a class"
            raise LabelError(values[i], i, f"{why}, or a number or an id?")

    def forget_labels(self, n_known: int) -> None:
        """Forget the labels beyond the first `n_known`: what they are of was not learned."""
        if len(self.labels) > n_known:
            self._known_codes.clear()
            self.labels.forget_after(n_known)

    def known_code(self, label: Any) -> int | None:
        """Return the code of a label, None if it is no class; raise LabelError if it can be none.

        That is a label that is missing, too long, or not one value.
        """
        code = self._known_code(label)
        if code is not None:
            return code
        code = self.labels.code_of(self._without_marked(_plain_labels([label]))[0], adds=False)
        if code == MISSING:
            raise LabelError(label, 0, "is missing")
        if code == UNKNOWN and (problem := length_problem(label)) is not None:
            raise LabelError(label, 0, problem)
        return None if code == UNKNOWN else code

    def open_label(self, label: Any) -> Any:
        """Make a label that is no class one, also where the classes are listed; return it as a class."""
        n_known = len(self.labels)
        code = self.labels.code_of(_plain_labels([label])[0], adds=True)
        self._known_codes.clear()
        self._check_number([label], np.array([code]), n_known)
        return self.labels.values[code]

    def _without_marked(self, values: list[Any]) -> list[Any]:
        marked = self.missing.named
        return values if not marked else [None if str(each).strip() in marked else each for each in values]


def _updated(column: Column, spec: dict[str, Any]) -> Column:
    """Return a column with what a later schema says of its categories, and of its kind if that was open."""
    if column.kind == CATEGORY and "values" in spec:
        return replace(column, codes=column.codes.grown(spec["values"]))
    is_filled = column.is_empty and not spec.get("empty", False)
    if spec and (is_filled or (column.kind == FLAG and spec["kind"] == NUMBER)):
        return replace(example(spec), is_told=column.is_told, missing=column.missing)
    return column


def _is_cached(label: Any) -> bool:
    return type(label) in CACHED and (type(label) is not str or len(label) <= MOST_TEXT)


def plain_label(label: Any) -> Any:
    """Return a label as it comes out of a column of labels; raise StreamError if it is not one value."""
    if isinstance(label, np.bool_ | np.integer | np.floating | np.str_):
        label = label.item()
    kind = type(label)
    if kind in (bool, float, int) or (kind is str and label.isascii()):
        return label
    what = "is neither text nor a number, a date, true or false"
    try:
        column = as_column([label])
    except StreamError:
        raise LabelError(label, 0, what) from None
    if kind_of(column.type) not in (None, FLAG, CATEGORY, DATE):
        raise LabelError(label, 0, what)
    return column[0].as_py()


def _plain_labels(labels: list[Any]) -> list[Any]:
    found: list[Any] = []
    try:
        found.extend(map(plain_label, labels))
    except LabelError as error:
        error.row = len(found)
        raise
    return found
