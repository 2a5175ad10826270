"""The stream of the rows of a file."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Block, Ints, Mask
from thalweg.errors import Advice, Message, StreamError
from thalweg.streams.base import Stream, recut
from thalweg.streams.columns.class_codes import CELL, ClassCodes, as_classes, labels_of_cells
from thalweg.streams.columns.codes import MISSING, MISSING_TEXT
from thalweg.streams.columns.column import (
    CATEGORY,
    IGNORED,
    NUMBER,
    TEXT,
    Column,
    Problems,
    coded,
    side_by_side,
)
from thalweg.streams.columns.date_orders import settle_date_orders
from thalweg.streams.columns.decimal_points import settle_decimal_points
from thalweg.streams.columns.kinds import (
    ID_NOTES,
    ColumnOptions,
    is_number,
    is_settled,
    plain_numbers,
    set_kind,
)
from thalweg.streams.columns.later_cells import read_later
from thalweg.streams.columns.later_kinds import KindChange, LaterKinds
from thalweg.streams.columns.targets import check_last
from thalweg.streams.files.column_report import ColumnReport, column_warnings, report_columns, target_warnings
from thalweg.streams.files.errors import reading
from thalweg.streams.files.first_rows import (
    FirstRows,
    Source,
    all_classes,
    check_again,
    check_any,
    check_kinds,
    check_labels,
    check_some,
    first_classes,
    first_rows,
    raise_first,
)
from thalweg.streams.files.kept_cells import KeptCells
from thalweg.streams.files.row_digest import RowDigest
from thalweg.streams.files.row_order import OrderedSource, order_of_time, order_warnings
from thalweg.streams.files.schema_reader import SchemaReader
from thalweg.streams.files.sparse_source import SparseSource
from thalweg.streams.files.sparse_table import known_numbers
from thalweg.streams.files.text_files import Batch
from thalweg.streams.schema import schema

N_MESSAGES = 5
# Of a schema, these are its own: they cannot be given with `like`, or to a model that has learned.
IN_SCHEMA = frozenset(
    ("categorical", "numeric", "date", "date_parts", "text", "n_words", "ignore", "classes", "scan_labels")
)
BLOCK, MOST_CELLS = 1 << 14, 1 << 24  # rows that are read as one, and the numbers in them


class Known(NamedTuple):
    """What a stream knows at a row: how many categories and labels there are, and which kinds changed."""

    sizes: list[int]
    changes: dict[int, KindChange]


class FileStream(Stream):
    """A stream of the rows of a file, opened by `from_file`.

    Each pass over the rows starts with the same classes, whatever labels appeared in the one before. With
    `whole_blocks`, as for a model that learns, no row comes of a block that has a bad one. `digest`, if there
    is one, gets all rows that are read.
    """

    whole_blocks = False
    digest: RowDigest | None = None
    runs_in_time: bool  # whether the first rows are in the order of time, by a column of dates
    _columns: ColumnReport
    _first_classes: NDArray[Any]
    _labels: ClassCodes

    def __init__(
        self, source: Source, label: Column | None, classes: Iterable[Any] | None, on_error: str,
        scan_labels: bool, options: ColumnOptions, is_target_told: bool, schema: SchemaReader | None,
        keep: Sequence[str] | None,
    ) -> None:
        self.source, self.name, self.label, self.on_error = source, source.name, label, on_error
        self.is_once, self._n_bytes = source.once, _size(source)
        if schema is not None:
            options = replace(options, missing=schema.missing.joined(options.missing))
        self._missing, self._is_ordered = options.missing, isinstance(source, OrderedSource)
        self._read = read_later if options.is_fixed and schema is not None else Column.read
        classes = None if classes is None else list(classes)
        set_up = partial(self._set_up, schema, classes, scan_labels, options, is_target_told)
        before = []
        if on_error == "skip":
            before = [replace(column, codes=column.codes.copy()) for column in source.columns]
        first, n_rows = set_up(None)
        if on_error == "skip" and (readable := self._readable_first(first)) is not first:
            for column, old in zip(source.columns, before, strict=True):
                vars(column).update(vars(old))
            first, n_rows = set_up(readable)
        ids = () if schema is None else schema.ids
        self._ids = [each.name for each in source.columns if each.note in ID_NOTES or each.name in ids]
        self.kept = tuple(self._ids if keep is None else keep)
        # Markers that come later are read as well, only more slowly: a short list is faster to compare with.
        seen = {marker for counts in self._columns.missing.values() for marker in counts}
        seen -= {word for column in self.inputs for word in column.words}
        source.not_numbers = (*MISSING_TEXT, *sorted(seen.difference(MISSING_TEXT)))
        self.n_rows = (n_rows or source.n_rows) if on_error == "raise" else None
        self._restart()
        if scan_labels and self.is_open:
            self._scan_labels()

    def _set_up(
        self, schema: SchemaReader | None, classes: Iterable[Any] | None, scan_labels: bool,
        options: ColumnOptions, is_target_told: bool, first: FirstRows | None,
    ) -> tuple[FirstRows, int | None]:
        """Set what the first rows show, by default all of them; return them, and how many rows there are."""
        source, label = self.source, self.label
        first, warnings = self._choose_inputs(schema, options, first)
        is_guess = schema is None and classes is None and not is_target_told
        if is_guess and label is not None and not label.codes.values:
            check_last(source.name, label, self.inputs, first.head)
        warnings += column_warnings(self.inputs, first.head)
        order = order_of_time(self.inputs, first.head)
        self.runs_in_time = order[0] > 0
        warnings += [] if self._is_ordered else order_warnings(order)
        n_rows = self._find_classes(schema, classes, scan_labels, first)
        if label is not None:
            known = self._first_classes
            warnings += target_warnings(self.inputs, label, known, first.head, is_target_told)
        self._columns = report_columns(source.columns, label, self._advised(warnings), first)
        return first, n_rows

    def _readable_first(self, first: FirstRows) -> FirstRows:
        """Return those of the first rows that can be read; all, if these are all or none."""
        bad = [self._unreadable(batch.rows) for batch in first.batches]
        pairs = zip(first.batches, bad, strict=True)
        left = [batch.without(sorted(places), self.source.declared) for batch, places in pairs]
        left = [batch for batch in left if len(batch.numbers)]
        return FirstRows.of(left, first.is_whole) if any(bad) and left else first

    def _unreadable(self, rows: Any) -> set[int]:
        """Return the positions of first rows that cannot be read."""
        problems: Problems = [] if self._sparse_inputs is None else self._sparse_inputs.read(rows)[1]
        for column in self.inputs if self._sparse_inputs is None else ():
            cells = rows.column(column.name)
            cleaned = [column.missing.cleaned(cells, numeric=True)]
            numbers = plain_numbers(cleaned) if column.is_plain else None
            if numbers is None or not np.isfinite(numbers).all():
                problems += self._read(replace(column, codes=column.codes.copy()), cells)[1]
        if self.label is not None and not self.is_open:
            self._restart()
            cells = self._missing.cleaned(rows.column(self.label.name), numeric=False)
            problems += coded(cells, self._labels, "")[1]
        return {i for i, _ in problems}

    def _scan_labels(self) -> None:
        """Read all rows to find the labels of those that are not left out."""
        for _ in self._chunks():
            pass
        self._first_classes, self.is_open = as_classes(self._labels.values), False
        self._restart()

    def _choose_inputs(
        self, schema: SchemaReader | None, options: ColumnOptions, first: FirstRows | None
    ) -> tuple[FirstRows, list[str]]:
        """Set the inputs and how their columns are read; return the first rows, and warnings."""
        source, last = self.source, [] if self.label is None else [self.label]
        warnings: list[str] = []
        self._settled: frozenset[str] = frozenset()  # parameters that can be given no more
        if schema is None:
            candidates = _candidates(source, self.label)
        else:
            candidates, warnings = schema.choose(source, self.label)
            self._settled = IN_SCHEMA | {"missing"}
        for column in last:
            column.missing, column.spellings = options.missing, {}
        check_kinds(source, [*candidates, *last])
        names = [column.name for column in [*candidates, *last]]
        first = first_rows(source, names, strict=self.on_error == "raise") if first is None else first
        if schema is None:
            self.inputs = _inputs(source, candidates, first.head, options, warnings)
            self._names = tuple(name for column in self.inputs for name in column.inputs)
            check_names(source, self._names)
        else:
            self.inputs, self._names = candidates, schema.names
            schema.set_readers(candidates, first.head, options, source.name)
        self._read_names = [column.name for column in [*self.inputs, *last]]
        self.n_features = len(self._names)
        self._block = max(1, min(BLOCK, MOST_CELLS // max(self.n_features, 1)))
        places = np.cumsum([0, *(column.n_inputs for column in self.inputs)]).tolist()
        inputs = zip(places[:-1], self.inputs, strict=True)
        for column in self.inputs if source.is_sparse else ():
            column.is_empty = False  # cells that are left out are 0
        self._later = LaterKinds(self.inputs)
        self._categorical = [
            (place, column) for place, column in inputs if column.kind == CATEGORY or column.is_empty
        ]
        self.is_sparse = source.is_sparse or any(column.kind == TEXT for column in self.inputs)
        self._sparse_inputs = source.inputs(self.inputs) if isinstance(source, SparseSource) else None
        return first, warnings

    def _find_classes(
        self, schema: SchemaReader | None, classes: Iterable[Any] | None, scan_labels: bool, first: FirstRows
    ) -> int | None:
        """Set the classes, and whether there may be more; return the number of rows if it is known now."""
        source, label, n_rows = self.source, self.label, None
        self._match = "exact"
        if schema is not None:
            self._first_classes, self._match = schema.classes, schema.match
            self._more_classes = schema.more_classes
            self.is_open = schema.more_classes and label is not None
            return None
        if label is None:
            self._first_classes, self._more_classes = np.empty(0, dtype=np.int64), True
            return None
        if classes is not None or label.codes.values:
            listed = label.listed or label.codes.values
            listed = labels_of_cells(listed) if source.label_form == CELL else listed
            self._first_classes = as_classes(listed if classes is None else classes, ordered=True)
        elif scan_labels and self.on_error == "raise":
            self._first_classes, n_rows = all_classes(source, label, first.head)
        else:
            if scan_labels:
                check_again(source)
            self._first_classes, self.is_open = first_classes(source, label, first.head), not first.is_whole
            if first.is_whole:
                check_any(source, label, self._first_classes)
                n_rows = None if source.once else first.n_rows
        self._match = label.codes.match
        self._more_classes = classes is None and label.codes.grows
        return n_rows

    def _restart(self) -> None:
        self._n_read = 0
        self._numbers: list[Ints] = []
        self._later.keep({})
        self.skipped_rows: list[int] = []
        self._headers: list[int] = []
        self.messages: list[str] = []
        self._labels = ClassCodes(
            self._first_classes.tolist(), where=f"{self.name}, classes", match=self._match,
            form=self.source.label_form, decoded=self.source.labels,
        )
        self.classes = self._first_classes

    @property
    def file_order(self) -> Ints | None:
        """The numbers in the file of the rows that were read, if they come in another order."""
        return np.concatenate([np.empty(0, np.intp), *self._numbers]) if self._is_ordered else None

    @property
    def columns(self) -> ColumnReport:
        """What the columns were taken for; some warnings only come while rows are read, as do other kinds."""
        warnings = (*self.source.warnings, *self._columns.warnings, *_header_warnings(self._headers))
        found = replace(self._columns, warnings=warnings)
        return found.changed(self.changes) if self._later.changes else found

    @property
    def changes(self) -> list[KindChange]:
        """The columns that became another kind, with the row at which they did."""
        changes = self._later.changes.values()
        return [each._replace(warning=self._advised([each.warning])[0]) for each in changes]

    @property
    def skipped(self) -> int:
        """Number of rows that were left out because they cannot be read; not of headers that come again."""
        return len(self.skipped_rows) - len(self._headers)

    @property
    def cell_names(self) -> tuple[str, ...]:
        """All columns; none if rows are sparse, as there may be many thousands of columns."""
        return () if self.source.is_sparse else tuple(column.name for column in self.source.columns)

    @property
    def more_classes(self) -> bool:
        """Whether later rows may have other labels: neither `classes` nor an ARFF header lists them."""
        return self._more_classes

    @property
    def first_classes(self) -> NDArray[Any]:
        """The labels known before the first row is read."""
        return self._first_classes

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return self._names

    @property
    def n_categories(self) -> Ints:
        """Number of categories of each input known so far, 0 if it is numeric."""
        counts = (self._later.n_categories(j) for j in range(len(self.inputs)))
        return np.array([n for each in counts for n in each], dtype=np.intp)

    def schema(self) -> dict[str, Any]:
        """Return the inputs and classes, as far as they are known now, for `from_file(path, like=…)`."""
        columns = [column.to_plain() for column in self.inputs]
        ignored = self.columns.of_kind(IGNORED)
        target, header = self.columns.target, self.source.header
        return schema(columns, self.classes, self._more_classes, target, ignored, header, self._match,
                      self._missing.named, self._ids, self.source.encoding)

    def coded_blocks(self, size: int = 1000) -> Iterator[Block]:
        """Yield (X, codes) in blocks of `size` rows."""
        blocks = self._digested(recut(self._chunks(), size))
        return ((X.toarray(), codes) for X, codes in blocks) if self.is_sparse else blocks

    def sparse_blocks(self, size: int = 1000) -> Iterator[tuple[Any, Ints]]:
        """Yield (X, codes) in blocks of `size` rows, X as a sparse matrix; only if `is_sparse`."""
        return self._digested(recut(self._chunks(), size)) if self.is_sparse else super().sparse_blocks(size)

    def _digested(self, blocks: Iterator[tuple[Any, Ints]]) -> Iterator[tuple[Any, Ints]]:
        for X, codes in blocks:
            if self.digest is not None:
                self.digest.add(X, codes)
            yield X, codes

    def blocks_with_cells(
        self, size: int = 1000, columns: Sequence[str] | None = None, *, sparse: bool = False
    ) -> Iterator[tuple[Any, Ints, Any]]:
        """Yield (X, codes, cells) in blocks of `size` rows; the cells are a table of Arrow.

        They are the cells of `columns`, by default those in `kept`, as they are written in the file: text in
        a text file, null where nothing is written. With `sparse`, X is as in `sparse_blocks`.
        """
        cells = KeptCells(self.kept if columns is None else columns)
        for X, codes in recut(self._chunks(cells), size):
            yield X.toarray() if self.is_sparse and not sparse else X, codes, cells.take(len(codes))

    def expected_rows(self, done: int) -> int | None:
        """Return the number of rows, estimated from the bytes read if it is not known."""
        share = self.source.share_read
        if self.n_rows is not None or not share or not self._n_read:
            return self.n_rows
        return max(done, round(self._n_read / share))

    def _chunks(self, cells: KeptCells | None = None) -> Iterator[tuple[Any, Ints]]:
        self._restart()
        numeric = {column.name for column in self.inputs if column.is_plain}
        total = 0
        with reading(self.source.name):
            kept = [] if cells is None else cells.names
            for batch, X, codes, good in self._whole_blocks(
                self.source.batches(self._read_names, numeric, last=True, kept=kept)
            ):
                if cells is not None:
                    cells.add(batch.rows, good)
                if batch.places is not None:
                    self._numbers.append(batch.numbers if good is None else batch.numbers[good])
                yield X, codes
                total += len(codes)
        check_some(self.source, total, self.messages)
        if total < (self.n_rows or 0):
            raise StreamError(f"{self.name} was cut short: it had {self.n_rows} rows and now has {total}")
        n_bytes = _size(self.source)
        if n_bytes is not None and n_bytes < (self._n_bytes or 0):
            raise StreamError(f"{self.name} was cut short: {self._n_bytes} bytes before, {n_bytes} now")
        if self.is_open and self.label is not None:
            check_any(self.source, self.label, self.classes)

    def _whole_blocks(self, batches: Iterator[Batch]) -> Iterator[tuple[Batch, Any, Ints, Mask | None]]:
        """Yield the rows of batches, and which of the rows of each are meant; None for all.

        With `whole_blocks` rows come when their block of `self._block` rows of the source is read: the rows
        before a bad one are then the same in any form of the source. Of its block no category or label stays.
        """
        if self.on_error != "raise" or not self.whole_blocks:
            for batch in batches:
                X, codes, good = self._readable(batch)
                self._n_read += len(codes)
                yield batch, X, codes, good
            return
        held: list[tuple[Batch, Any, Ints, Mask | None]] = []
        known = self._known()  # at the start of the block that is held
        for batch in batches:
            before = self._known()
            try:
                X, codes, problems = self._converted(batch)
            except StreamError:
                self._forget(known)
                raise
            self._n_read += len(codes)
            self._count_headers(batch)
            places = batch.numbers if batch.places is None else batch.places
            bad = [*(int(places[i]) for i, _ in problems), *(number for number, _ in batch.problems)]
            last = min(bad) - 1 if bad else int(np.max(places, initial=0))
            n = int(np.searchsorted(places, last // self._block * self._block, side="right"))
            if n:
                yield from held
                rows = np.arange(len(codes)) < n
                yield (batch, X, codes, None) if n == len(codes) else (batch, X[:n], codes[:n], rows)
                known, held = self._known_after(before, X[:n], codes[:n], last), []
            if bad:
                self._forget(known)
                self._good_rows(batch, [(int(batch.numbers[i]), why) for i, why in problems])
            if n < len(codes):
                held.append((batch, X[n:], codes[n:], np.arange(len(codes)) >= n))
        yield from held

    def _readable(self, batch: Batch) -> tuple[Any, Ints, Mask | None]:
        """Return X and codes of the rows without a problem, and which these are; the others leave nothing."""
        known, left, found = self._known(), batch, []
        X, codes, problems = self._converted(left)
        while problems:
            found += [(int(left.numbers[i]), why) for i, why in problems]
            if self.on_error == "raise":
                break
            self._forget(known)
            left = left.without([i for i, _ in problems], self.source.declared)
            X, codes, problems = self._converted(left)
        if not found and not batch.problems and not batch.headers:
            return X, codes, None
        return X, codes, self._good_rows(batch, found)

    def _known(self) -> Known:
        """Return how many categories each column that has some has, and what else later rows change."""
        n_categories = [len(column.codes) for _, column in self._categorical]
        return Known([*n_categories, len(self._labels)], self._later.changes.copy())

    def _known_after(self, before: Known, X: Any, codes: Ints, last: int) -> Known:
        """Return what `_known` was after these rows; `before` is what it was before their batch."""
        found, now = before.sizes.copy(), self._known().sizes
        for j, (place, _) in enumerate(self._categorical):
            if now[j] > found[j]:
                cells = X[:, [place]]
                values = cells.data if hasattr(cells, "tocsr") else cells
                found[j] = max(found[j], int(np.max(values[~np.isnan(values)], initial=-1)) + 1)
        found[-1] = max(found[-1], int(np.max(codes, initial=-1)) + 1)
        return Known(found, self._later.up_to(last))

    def _forget(self, known: Known) -> None:
        """Forget the categories, labels and kinds beyond those that were known."""
        for (_, column), n in zip(self._categorical, known.sizes[:-1], strict=True):
            while len(column.codes) > n:
                column.codes.forget_last()
        while len(self._labels) > known.sizes[-1]:
            self._labels.forget_last()
        self._later.keep(known.changes)
        self.classes = as_classes(self._labels.values, ordered=True)

    def _converted(self, batch: Batch) -> tuple[Any, Ints, Problems]:
        """Return X, codes and a list of (position, error message)."""
        n = batch.rows.num_rows
        X, problems = self._read_inputs(batch.rows, batch.numbers)
        self._later.widen(X, batch.numbers)
        if self.label is None:
            return X, np.full(n, MISSING, dtype=np.intp), problems
        known = ", ".join(map(str, self.classes[:10])) + (", …" if len(self.classes) > 10 else "")
        why = f"is not one of the labels {known}; if it should be, pass "
        unknown = Message(why, Advice("classes", [...]))
        column = self._missing.cleaned(batch.rows.column(len(self.inputs)), numeric=False)
        codes, wrong = coded(column, self._labels, unknown)
        if wrong and self.is_open:
            self._add_labels(self.label, column)
            codes, wrong = coded(column, self._labels, unknown)
        problems += [(i, Message(f", column {self.label.name!r}: ", complaint)) for i, complaint in wrong]
        return X, codes, problems

    def _read_inputs(self, rows: Any, numbers: Ints) -> tuple[Any, Problems]:
        if self._sparse_inputs is not None:
            return self._sparse_inputs.read(rows)
        problems: Problems = []
        parts = []
        for j, column in enumerate(self.inputs):
            cells = self._later.filled(j, rows.column(j), numbers) if column.is_empty else rows.column(j)
            values, wrong = self._read(column, cells)
            parts.append(values)
            problems += [(i, Message(f", column {column.name!r}: ", complaint)) for i, complaint in wrong]
        return side_by_side(parts, (rows.num_rows, self.n_features)), problems

    def _add_labels(self, label: Column, column: Any) -> None:
        # In the order of rows: a dictionary may have another order, and list values that no row has.
        self._labels.grows = True
        self._labels.of(column.unique().to_pylist())
        self._labels.grows = False
        check_labels(self.source, label, self._labels)
        self.classes = as_classes(self._labels.values, ordered=True)

    def _advised(self, messages: Iterable[str]) -> list[str]:
        """Return messages without the advice to pass what the schema says."""
        return [each.without(self._settled) if isinstance(each, Message) else each for each in messages]

    def _good_rows(self, batch: Batch, problems: Problems) -> Mask:
        """Return which rows have none of `problems`, pairs of a number and a message, nor one of the batch.

        Count the others, or raise StreamError for the first.
        """
        found = dict(reversed(problems)) | dict(batch.problems)
        found = dict(zip(found, self._advised(found.values()), strict=True))
        if self.on_error == "raise":
            raise_first(self.source, list(found.items()))
        self._count_headers(batch)
        self.skipped_rows[len(self.skipped_rows) - len(batch.headers) :] = sorted([*found, *batch.headers])
        for row in sorted(found)[: N_MESSAGES - len(self.messages)]:
            self.messages.append(Message(f"{self.source.name}, data row {row}", found[row]))
        return ~np.isin(batch.numbers, [*found])

    def _count_headers(self, batch: Batch) -> None:
        """Count the lines of a batch that are the header again as rows that are left out."""
        self.skipped_rows += batch.headers
        self._headers += batch.headers


def _header_warnings(rows: Sequence[int]) -> list[str]:
    """Return what is to be said of these rows, which are the header again."""
    if len(rows) < 2:
        return [f"1 line is the header again, data row {row:,}: left out" for row in rows]
    return [f"{len(rows):,} lines are the header again, the first in data row {rows[0]:,}: left out"]


def _size(source: Source) -> int | None:
    """Return the size of a file in bytes; None for standard input, or if the file is gone."""
    with suppress(OSError):
        return None if source.once or not source.path else Path(source.path).stat().st_size
    return None


def _candidates(source: Source, label: Column | None) -> list[Column]:
    """Return the columns that may be inputs; raise StreamError if there is none."""
    found = [column for column in source.columns if column.kind != IGNORED and column is not label]
    if not found and label is None:
        raise StreamError(f"{source.name}: every column is ignored")
    if not found and label is not None:
        hint = "; is the delimiter right?" if source.path else ": there is nothing to learn from"
        raise StreamError(f"{source.name} has only one column, {label.name!r}{hint}")
    return found


def _inputs(
    source: Source, columns: list[Column], head: list[Any], options: ColumnOptions, warnings: list[str]
) -> list[Column]:
    """Set the kinds of columns; return those that are inputs; add to the warnings."""
    known = known_numbers(head) if options.decimal != "," else ()
    for j, column in enumerate(columns):
        column.missing = options.missing
        if not is_settled(column, known):
            set_kind(column, [rows.column(j) for rows in head], options, source.name)
    settle_decimal_points(columns, head, options, source.name)
    settle_date_orders(columns, head, options, source.name)
    inputs = [column for column in columns if column.kind != IGNORED]
    if not inputs:
        # Better a strange input than none.
        for j, column in enumerate(columns):
            if column.note in ID_NOTES:
                warnings.append(f"{column.name!r} is all there is to learn from, though {column.note}")
                arrays = [rows.column(j) for rows in head]
                column.kind, column.is_told = NUMBER if is_number(arrays) else CATEGORY, True
                column.note = ""
                set_kind(column, arrays, options, source.name)
                inputs.append(column)
    if not inputs:
        raise StreamError(f"{source.name}: every column is ignored")
    return inputs


def check_names(source: Source, names: Sequence[str]) -> None:
    """Raise StreamError if a name is there twice."""
    twice, times = Counter(names).most_common(1)[0]
    if times > 1:
        what = f"{source.name}: two columns are called {twice!r}; rename one"
        other = (", or pass ", Advice("header", False), " if the first row is no header")
        raise StreamError(what, *(other if source.header else ()))
