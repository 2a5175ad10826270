"""How the rows and labels of requests become inputs and codes, so that a refused request changes nothing."""

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from thalweg._types import Ints
from thalweg.errors import StreamError, ThalwegError, first_of, short_repr
from thalweg.live.errors import LogDamaged, RowError
from thalweg.model import Model
from thalweg.model.fitted import MOST_NEW, short_names
from thalweg.model.opening import check_any_known
from thalweg.rows.sparse_rows import SparseRows, joined
from thalweg.streams.columns.codes import Codes
from thalweg.streams.columns.column import CATEGORY, NUMBER
from thalweg.streams.columns.later_kinds import Kind
from thalweg.streams.files.coding import LabelError
from thalweg.streams.files.tables import flat

logger = logging.getLogger("thalweg.live")
_ROW, _COLUMN = re.compile(r"\bdata row (\d+)"), re.compile(r"\bcolumn '([^']+)': ")
_ADVICE = re.compile(  # for who reads files
    r"; (?:if this is a column|if it stands for|to leave out rows|make them|or pass)"
)


class Mark(NamedTuple):
    """How many categories the columns have that may have some, how many labels there are, and open kinds."""

    categories: list[int]
    n_labels: int
    kinds: dict[int, Kind]


class Coder:
    """Reads rows and labels into the inputs and codes of a model that has begun.

    New categories and labels get the next codes. `mark` and `undo` take them back; `growth` says which are
    new since a mark, and `grow` adds them elsewhere.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.sparse = model._late._sparse
        self.n_inputs = model._coding.n_inputs
        columns = model._coding.columns
        self._categorical = [j for j, each in enumerate(columns) if each.kind == CATEGORY or each.is_empty]

    def _categories(self) -> list[Codes]:
        """Return the codes of the columns that have categories."""
        columns = self.model._coding.columns
        return [columns[j].codes for j in self._categorical]

    def mark(self) -> Mark:
        """Return how much is known now."""
        coding = self.model._coding
        n_categories = [len(codes.values) for codes in self._categories()]
        return Mark(n_categories, len(coding.labels), coding.open_kinds())

    def undo(self, mark: Mark) -> None:
        """Forget what has become known since."""
        for codes, n in zip(self._categories(), mark.categories, strict=True):
            while len(codes) > n:
                codes.forget_last()
        self.model._coding.forget_labels(mark.n_labels)
        self.model._coding.set_kinds(mark.kinds)

    def growth(self, mark: Mark) -> dict[str, Any]:
        """Return the categories by position of their column, and the labels, that are new since."""
        known = zip(self._categorical, self._categories(), mark.categories, strict=True)
        columns = {j: codes.values[n:] for j, codes, n in known if len(codes) > n}
        labels = self.model._coding.labels.values[mark.n_labels :]
        now = self.model._coding.open_kinds(mark.kinds)
        kinds = {j: list(kind) for j, kind in now.items() if kind != mark.kinds[j]}
        found: dict[str, Any] = {"columns": columns} if columns else {}
        return found | ({"labels": labels} if labels else {}) | ({"kinds": kinds} if kinds else {})

    def grow(self, growth: dict[str, Any]) -> None:
        """Add the categories and labels that `growth` returned."""
        coding = self.model._coding
        kinds = {j: Kind(*kind) for j, kind in growth.get("kinds", {}).items()}
        if not kinds.keys() <= coding.open_kinds().keys():
            raise LogDamaged("the model has columns of other kinds than the log")
        coding.set_kinds(kinds)
        for j, values in growth.get("columns", {}).items():
            if not coding.columns[j].codes.extend(values):
                raise LogDamaged(f"the column {coding.columns[j].name!r} has other categories than the log")
        if not coding.labels.extend(growth.get("labels", [])):
            raise LogDamaged("the model has other labels than the log")

    def rows(self, rows: Any, learns: bool) -> Any:
        """Return the inputs of rows; raise RowError, and learn no category, if one cannot be read."""
        if isinstance(rows, dict):
            rows = [rows]
        if hasattr(rows, "__len__") and len(rows) == 0:
            return joined([], self.n_inputs) if self.sparse else np.empty((0, self.n_inputs))
        if isinstance(rows, np.ndarray) and self._are_plain_numbers() and rows.dtype.kind in "fiu":
            return self._numbers(rows)
        if isinstance(rows, list) and rows and all(type(row) is dict for row in rows):
            mark = self.mark() if learns else None
            try:
                found = self._records(rows, learns)
            except StreamError as error:
                raise _row_error(error) from error
            if found is not None:
                return found
            if mark is not None:
                self.undo(mark)
        return self._table(rows, learns)

    def _are_plain_numbers(self) -> bool:
        columns = self.model._coding.columns
        return all(each.kind == NUMBER and each.reader is None and not each.is_empty for each in columns)

    def _numbers(self, rows: Any) -> Any:
        if rows.ndim != 2 or rows.shape[1] != self.n_inputs:
            seen = f"{rows.shape[1]} numbers" if rows.ndim == 2 else f"{rows.ndim} dimensions"
            raise RowError(f"expected rows of {self.n_inputs} numbers, got {seen}")
        X = np.ascontiguousarray(rows, dtype=np.float64)
        return self._finite(X)

    def _finite(self, X: Any) -> Any:
        if np.isinf(X).any():
            i, j = (int(place[0]) for place in np.nonzero(np.isinf(X)))
            names = self.model.learner_._names
            name = list(names)[j] if len(names) > j else str(j)
            raise RowError(f"{X[i, j]} is not a value to learn from", i, str(name))
        return X

    def _records(self, rows: list[dict[str, Any]], learns: bool) -> Any:
        coding = self.model._coding
        X = np.empty((len(rows), self.n_inputs))
        for i, record in enumerate(rows):
            if not record.keys() <= coding.known or coding.names.isdisjoint(record):
                record = self._flat(record, i)
            x = coding.row(record, learns)
            if x is None:
                return None
            X[i] = x
        return SparseRows.of_dense(self._finite(X)) if self.sparse else self._finite(X)

    def _flat(self, record: dict[str, Any], i: int) -> Any:
        coding = self.model._coding
        if any(type(name) is not str for name in record):
            raise RowError("the names of columns must be text", i)
        found = flat(record)
        if coding.names.isdisjoint(found):
            try:
                check_any_known(found, coding)
            except StreamError as error:
                known = first_of(sorted(coding.names), 10)
                seen = f"has {first_of(sorted(found), 10)}, and" if found else "is empty: it has"
                raise RowError(f"the record {seen} none of the columns {known}", i) from error
        self._note_new(found.keys() - coding.known)
        return found

    def _note_new(self, names: Any) -> None:
        coding, names = self.model._coding, short_names(names)
        if names and len(coding.known) < coding.n_own + MOST_NEW:
            coding.known |= set(names)
            logger.warning("left out, as the model has no such column: %s", first_of(sorted(names), 5))

    def _table(self, rows: Any, learns: bool) -> Any:
        model = self.model
        try:
            self._note_new(_names(rows) - model._coding.known)
            stream = model._open(rows)
            blocks = list(model._blocks(stream))
        except (ThalwegError, TypeError, ValueError, LookupError) as error:
            raise _row_error(error) from error
        if learns:
            model._coding = model._coding.updated(stream.schema())
        if self.sparse:
            parts = [X if isinstance(X, SparseRows) else SparseRows.of_dense(self._finite(X)) for X in blocks]
            return joined(parts, self.n_inputs)
        return self._finite(np.concatenate([np.empty((0, self.n_inputs)), *blocks]))

    def codes(self, labels: Sequence[Any]) -> Ints:
        """Return the codes of labels; raise RowError, and add no label, if one cannot be."""
        with _about_label():
            return self.model._coding.codes_of(labels)

    def met_codes(self, labels: Sequence[Any]) -> list[int] | None:
        """Return the codes of labels that came before in the same spelling; None if one did not."""
        return self.model._coding.met_codes(labels)

    def known_code(self, label: Any) -> int | None:
        """Return the code of a label, None if it is no class; raise RowError if it cannot be one."""
        with _about_label():
            return self.model._coding.known_code(label)

    def open_label(self, label: Any) -> Any:
        """Make a label a class, also where the classes are listed; return it as a class.

        Raise RowError, and add none, if it is one already or cannot be one.
        """
        with _about_label():
            if self.known_code(label) is not None:
                raise RowError(f"{short_repr(label)} is one of the classes already", None, "label")
            return self.model._coding.open_label(label)


@contextmanager
def _about_label() -> Iterator[None]:
    """Raise RowError for what is wrong with a label."""
    try:
        yield
    except RowError:
        raise
    except LabelError as error:
        raise RowError(error.problem, error.row, "label") from error
    except (TypeError, ValueError) as error:
        raise RowError(str(error), None, "label") from error


def _names(rows: Any) -> set[str]:
    """Return the names of the columns that rows have, as far as they are known before they are read."""
    if isinstance(rows, list):
        return {str(name) for row in rows if isinstance(row, dict) for name in flat(row)}
    found = getattr(rows, "column_names", None) or getattr(rows, "columns", None)
    return set() if found is None else {str(name) for name in found}


def _row_error(error: Exception) -> RowError:
    """Return an error of a model as one about a row; rows count from 0 here, from 1 in the text."""
    text = _ADVICE.split(str(error))[0]
    row, column = _ROW.search(text), _COLUMN.search(text)
    problem = text[column.end() :] if column else text
    return RowError(problem, int(row[1]) - 1 if row else None, column[1] if column else None)
