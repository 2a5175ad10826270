"""Streams read from files: CSV, ARFF, Parquet and Arrow, block by block."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Block, Floats, Ints
from thalweg.errors import StreamError, one_line
from thalweg.streams.arff import arff_source, looks_like_arff
from thalweg.streams.arrow_files import ArrowSource
from thalweg.streams.base import Stream, recut
from thalweg.streams.codes import MISSING, Codes, as_classes
from thalweg.streams.columns import CATEGORY, NUMBER, Column, Problems, coded
from thalweg.streams.look_ahead import (
    Source,
    all_classes,
    check_any,
    check_kinds,
    check_labels,
    first_classes,
    first_rows,
    raise_first,
    set_kinds,
)
from thalweg.streams.reading import reading
from thalweg.streams.text_files import Batch, Pieces, csv_source

__all__ = ["FileStream", "from_file"]

ARROW_STARTS = (b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")
ARROW_SUFFIXES = {".parquet", ".pq", ".arrow", ".feather", ".ipc"}
N_MESSAGES = 5


def from_file(
    path: str | PathLike[str],
    target: str | int | None = None,
    *,
    classes: Iterable[Any] | None = None,
    categorical: Iterable[str | int] = (),
    numeric: Iterable[str | int] = (),
    ignore: Iterable[str | int] = (),
    header: bool | None = None,
    delimiter: str | None = None,
    on_error: str = "raise",
    labels: bool = True,
    scan_labels: bool = False,
) -> "FileStream":
    """Return a stream of the rows of a CSV, ARFF, Parquet or Arrow file, read in blocks.

    Text files may be compressed (gzip, bzip2, zstd, lz4) and must be UTF-8; `?`, an empty cell, NA, NaN and
    null are missing values. The type of a column comes from the ARFF header or the Parquet or Arrow schema,
    otherwise from the first 10,000 rows: numbers are numeric, text is categorical, and a column of only 0 and
    1 is categorical with those codes. Other categories are coded in the order of the ARFF header or
    dictionary, or, without one, in the order of appearance. A category that appears later gets the next code,
    so `n_categories` may grow, and with it the memory of the stream. Of an Arrow file one record batch at a
    time is in memory, whatever its length.

    Parameters
    ----------
    path
        The file; `-` is standard input, which must be CSV or ARFF and can be read only once.
    target
        Name or position of the column of labels; the last column if None.
    classes
        The labels in the order of their codes; any other label is an error. By default those of the ARFF
        header or, without one, the sorted labels of the first 10,000 rows; labels that appear later follow in
        order of appearance, so `classes` may grow while rows are read (`is_open`). Labels become integers if
        all are whole numbers, floats if all are numbers, else text.
    categorical, numeric
        Names or positions of columns to read as categories or as numbers, whatever their values.
    ignore
        Names or positions of columns to leave out.
    header
        Whether the first row of a CSV file has the names of the columns; by default, if it has no number.
    delimiter
        What separates the cells of a CSV file; by default the most frequent of comma, semicolon, tab and bar
        in the first line.
    on_error
        "raise" stops at the first bad row with a `StreamError` that names the file, data row (the first below
        the header is 1), column and value. "skip" leaves such rows out.
    labels
        False if there is no column of labels: all columns are inputs, and all labels are missing.
    scan_labels
        Whether to read the target column once before anything else, so that all labels, and the number of
        rows, are known from the start. Not possible for standard input.
    """
    if on_error not in ("raise", "skip"):
        raise ValueError(f"from_file: on_error must be 'raise' or 'skip', got {on_error!r}")
    if delimiter is not None and len(delimiter) != 1:
        raise ValueError(f"from_file: delimiter must be one character, got {delimiter!r}")
    with reading("standard input" if path == "-" else str(path)):
        source = _source(path, header, delimiter)
        ignored = _find_all(source, ignore)
        kept = [column for column in source.columns if column not in ignored]
        label = None
        if labels:
            label = kept[-1] if target is None and kept else _find(source, target)
        elif target is not None:
            raise ValueError(f"from_file: labels=False, but target={target!r}: give one or the other")
        inputs = [column for column in kept if column is not label]
        if not inputs and label is None:
            raise StreamError(f"{source.name}: every column is ignored")
        if not inputs and label is not None:
            raise StreamError(f"{source.name} has only one column, {label.name!r}; is the delimiter right?")
        for kind, chosen in ((CATEGORY, categorical), (NUMBER, numeric)):
            for column in _find_all(source, chosen):
                column.kind = kind
        return FileStream(source, inputs, label, classes, on_error, scan_labels)


class FileStream(Stream):
    """A stream of the rows of a file, opened by `from_file`.

    Each pass over the rows starts with the same classes, whatever labels appeared in the one before.

    Attributes
    ----------
    skipped : int
        Number of bad rows left out so far.
    messages : list of str
        What was wrong with the first five of them.
    """

    def __init__(
        self,
        source: Source,
        inputs: list[Column],
        label: Column | None,
        classes: Iterable[Any] | None,
        on_error: str,
        scan_labels: bool = False,
    ) -> None:
        self.source = source
        self.name = source.name
        self.inputs = inputs
        self.label = label
        self.on_error = on_error
        self.n_features = len(inputs)
        self._n_bytes = _size(source)
        strict = on_error == "raise"
        self._read_names = [*self.names] if label is None else [*self.names, label.name]
        check_kinds(source, inputs if label is None else [*inputs, label])
        head, is_whole = first_rows(source, self._read_names, strict)
        set_kinds(inputs, head)
        n_rows = None
        if label is None:
            self._first_classes = np.empty(0, dtype=np.int64)
        elif classes is not None or label.codes.values:
            self._first_classes = as_classes(label.codes.values if classes is None else classes, ordered=True)
        elif scan_labels:
            self._first_classes, n_rows = all_classes(source, label, strict)
        else:
            self._first_classes, self.is_open = first_classes(source, label, head), not is_whole
            if is_whole:
                check_any(source, label, self._first_classes)
                n_rows = None if source.once else sum(rows.num_rows for rows in head)
        self.n_rows = (n_rows or source.n_rows) if strict else None
        self._restart()

    def _restart(self) -> None:
        self.skipped = 0
        self.messages: list[str] = []
        self._labels = Codes(self._first_classes, where=f"{self.name}, classes")
        self.classes = self._first_classes

    @property
    def first_classes(self) -> NDArray[Any]:
        """The labels known before the first row is read."""
        return self._first_classes

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(column.name for column in self.inputs)

    @property
    def n_categories(self) -> Ints:
        """Number of categories of each input known so far, 0 if it is numeric."""
        return np.array([column.n_categories for column in self.inputs], dtype=np.intp)

    def coded_blocks(self, size: int = 1000) -> Iterator[Block]:
        """Yield (X, codes) in blocks of `size` rows."""
        return recut(self._chunks(), size)

    def expected_rows(self, done: int) -> int | None:
        """Return the number of rows, estimated from the bytes read if it is not known."""
        share = self.source.share_read
        return self.n_rows if self.n_rows is not None or not share else max(done, round(done / share))

    def _chunks(self) -> Iterator[Block]:
        self._restart()
        numeric = {column.name for column in self.inputs if column.kind != CATEGORY}
        total = 0
        with reading(self.source.name):
            for batch in self.source.batches(self._read_names, numeric, last=True):
                X, codes, problems = self._converted(batch)
                if problems or batch.problems:
                    X, codes = self._without(X, codes, problems, batch)
                yield X, codes
                total += len(X)
        if total < (self.n_rows or 0):
            raise StreamError(f"{self.name} was cut short: it had {self.n_rows} rows and now has {total}")
        n_bytes = _size(self.source)
        if n_bytes is not None and n_bytes < (self._n_bytes or 0):
            raise StreamError(f"{self.name} was cut short: {self._n_bytes} bytes before, {n_bytes} now")
        if self.is_open and self.label is not None:
            check_any(self.source, self.label, self.classes)

    def _converted(self, batch: Batch) -> tuple[Floats, Ints, Problems]:
        """Return X, codes and a list of (position, error message)."""
        X = np.empty((batch.rows.num_rows, self.n_features))
        problems: Problems = []
        for j, column in enumerate(self.inputs):
            X[:, j], wrong = column.read(batch.rows.column(j))
            problems += [(i, f", column {column.name!r}: {complaint}") for i, complaint in wrong]
        if self.label is None:
            return X, np.full(len(X), MISSING, dtype=np.intp), problems
        known = ", ".join(map(str, self.classes[:10])) + (", …" if len(self.classes) > 10 else "")
        unknown = f"is not one of the labels {known}; if it should be, pass classes=[…]"
        column = batch.rows.column(self.n_features)
        codes, wrong = coded(column, self._labels, unknown)
        if wrong and self.is_open:
            self._add_labels(self.label, column)
            codes, wrong = coded(column, self._labels, unknown)
        problems += [(i, f", column {self.label.name!r}: {complaint}") for i, complaint in wrong]
        return X, codes, problems

    def _add_labels(self, label: Column, column: Any) -> None:
        # In the order of rows: a dictionary may have another order, and list values that no row has.
        self._labels.grows = True
        self._labels.of(column.unique().to_pylist())
        self._labels.grows = False
        check_labels(self.source, label, self._labels)
        self.classes = as_classes(self._labels.values, ordered=True)

    def _without(self, X: Floats, codes: Ints, problems: Problems, batch: Batch) -> Block:
        """Leave out the rows that have a problem and count them, or raise StreamError for the first one."""
        found = {int(batch.numbers[i]): complaint for i, complaint in reversed(problems)}
        found |= dict(batch.problems)
        if self.on_error == "raise":
            raise_first(self.source, list(found.items()))
        self.skipped += len(found)
        for row in sorted(found)[: N_MESSAGES - len(self.messages)]:
            self.messages.append(one_line(f"{self.source.name}, data row {row}{found[row]}"))
        wrong = sorted({i for i, _ in problems})
        return np.delete(X, wrong, axis=0), np.delete(codes, wrong)


def _size(source: Source) -> int | None:
    """Return the size of a file in bytes; None for standard input, or if the file is gone."""
    with suppress(OSError):
        return None if source.once else Path(source.name).stat().st_size
    return None


def _source(path: str | PathLike[str], header: bool | None, delimiter: str | None) -> Source:
    pieces = Pieces(path)
    start = pieces.start()
    suffixes = [] if path == "-" else [suffix.lower() for suffix in Path(path).suffixes]
    if start.startswith(ARROW_STARTS) or set(suffixes) & ARROW_SUFFIXES:
        if path == "-":
            raise StreamError("standard input: only CSV and ARFF are read from it; save it as a file first")
        source: Source = ArrowSource(path)
    elif looks_like_arff(start) or ".arff" in suffixes:
        source = arff_source(pieces)
    else:
        source = csv_source(pieces, header, delimiter)
    if not source.columns:
        raise StreamError(f"{source.name} has no columns")
    twice, times = Counter(column.name for column in source.columns).most_common(1)[0]
    if times > 1:
        hint = "rename one, or pass header=False if the first row is no header"
        raise StreamError(f"{source.name}: two columns are called {twice!r}; {hint}")
    return source


def _find_all(source: Source, chosen: str | int | Iterable[str | int]) -> list[Column]:
    return [_find(source, which) for which in ([chosen] if isinstance(chosen, (str, int)) else chosen)]


def _find(source: Source, which: str | int | None) -> Column:
    """Return the column with this name or position."""
    if isinstance(which, str):
        found = [column for column in source.columns if column.name == which]
    else:
        found = source.columns[which : which + 1 or None] if which is not None else []
    if not found:
        names = ", ".join(column.name for column in source.columns[:20])
        raise StreamError(f"{source.name}: there is no column {which!r}; it has {names}")
    return found[0]
