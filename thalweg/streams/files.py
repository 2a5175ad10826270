"""Streams read from files: CSV, ARFF, Parquet and Arrow, block by block."""

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from os import PathLike
from pathlib import Path

import numpy as np

from thalweg.errors import StreamError, one_line
from thalweg.streams.arff import arff_source, looks_like_arff
from thalweg.streams.arrow_files import ArrowSource
from thalweg.streams.base import Stream, recut
from thalweg.streams.codes import MISSING, Codes, as_classes
from thalweg.streams.columns import CATEGORY, NUMBER, coded
from thalweg.streams.look_ahead import (
    all_classes,
    check_any,
    check_kinds,
    check_labels,
    first_classes,
    first_rows,
    raise_first,
    settle_kinds,
)
from thalweg.streams.reading import reading
from thalweg.streams.text_files import Pieces, csv_source

__all__ = ["FileStream", "from_file"]

ARROW_STARTS = (b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")
ARROW_SUFFIXES = {".parquet", ".pq", ".arrow", ".feather", ".ipc"}
N_MESSAGES = 5


def from_file(
    path: str | PathLike,
    target: str | int | None = None,
    *,
    classes: Iterable | None = None,
    categorical: Iterable[str | int] = (),
    numeric: Iterable[str | int] = (),
    ignore: Iterable[str | int] = (),
    header: bool | None = None,
    delimiter: str | None = None,
    on_error: str = "raise",
    labels: bool = True,
    scan_labels: bool = False,
) -> "FileStream":
    """Rows of a CSV, ARFF, Parquet or Arrow file, read in blocks without loading the file.

    Text files may be packed (gzip, bzip2, zstd, lz4) and must be UTF-8; `?`, an empty cell, NA, NaN and null
    are missing values. A column's type comes from the ARFF header or the Parquet or Arrow schema; otherwise
    from the first 10,000 rows: numbers are numeric, text is categorical, and a column with nothing but 0 and
    1 is categorical with those codes. Other categories are numbered as an ARFF header or dictionary lists
    them or, without such a list, as they turn up; a new one that turns up later gets the next number, so
    `n_categories` may grow, and with it the memory this stream keeps. Of an Arrow file one record batch at a
    time is in memory, as long as whoever wrote it made it.

    Parameters
    ----------
    path
        The file; `-` is standard input, which takes CSV or ARFF and can be read only once.
    target
        Name or position of the column of labels; the last column if None.
    classes
        The labels, in the order of their codes; any other label is an error. If None they are those of the
        ARFF header or, without one, those of the first 10,000 rows, sorted; labels that turn up later follow
        in that order, so `classes` may grow while rows are read (`is_open`). Labels that are all whole
        numbers are integers, other numbers floats, the rest text.
    categorical, numeric
        Names or positions of columns to be taken for categories or for numbers whatever they look like.
    ignore
        Names or positions of columns to leave out.
    header
        Whether a CSV file's first row names the columns; if None, it does unless a number stands in it.
    delimiter
        What separates a CSV file's cells; if None, whichever of comma, semicolon, tab and bar the first line
        has most of.
    on_error
        "raise" stops at the first row that is wrong with a `StreamError` naming file, data row (the first
        below the header is 1), column and value. "skip" leaves such rows out.
    labels
        False if no column holds labels: every column is an input, and every label is missing.
    scan_labels
        Read the target column once before all else, so that all labels are known, and sorted, from the start;
        the number of rows is then known, too. Not possible with standard input.
    """
    if on_error not in ("raise", "skip"):
        raise ValueError(f"from_file: on_error must be 'raise' or 'skip', got {on_error!r}")
    if delimiter is not None and len(delimiter) != 1:
        raise ValueError(f"from_file: delimiter must be one character, got {delimiter!r}")
    path = path if path == "-" else Path(path)
    with reading("standard input" if path == "-" else path):
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
    """A stream of a file's rows; `from_file` opens one.

    Each pass over the rows starts with the same classes, whatever turned up in the one before.

    Attributes
    ----------
    skipped : int
        Rows left out so far because something in them was wrong.
    messages : list of str
        What was wrong with the first five of them.
    """

    def __init__(self, source, inputs, label, classes, on_error, scan_labels=False):
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
        settle_kinds(inputs, head)
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

    def _restart(self):
        self.skipped, self.messages = 0, []
        self._labels = Codes(self._first_classes, where=f"{self.name}, classes")
        self.classes = self._first_classes

    @property
    def first_classes(self) -> np.ndarray:
        """The labels known before the first row is read."""
        return self._first_classes

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(column.name for column in self.inputs)

    @property
    def n_categories(self) -> np.ndarray:
        """Categories of each input known so far, 0 where it is numeric."""
        return np.array([column.n_categories for column in self.inputs], dtype=np.intp)

    def coded_blocks(self, size: int = 1000):
        """Yield (X, codes) in blocks of `size` rows."""
        return recut(self._chunks(), size)

    def _chunks(self):
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
        if self.is_open:
            check_any(self.source, self.label, self.classes)

    def _converted(self, batch):
        """Return X, codes and a list of (position, complaint)."""
        X = np.empty((batch.rows.num_rows, self.n_features))
        problems = []
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
            self._add_labels(column)
            codes, wrong = coded(column, self._labels, unknown)
        problems += [(i, f", column {self.label.name!r}: {complaint}") for i, complaint in wrong]
        return X, codes, problems

    def _add_labels(self, column):
        # In the order of their rows: a dictionary may have another, and list what no row has.
        self._labels.grows = True
        self._labels.of(column.unique().to_pylist())
        self._labels.grows = False
        check_labels(self.source, self.label, self._labels)
        self.classes = as_classes(self._labels.values, ordered=True)

    def _without(self, X, codes, problems, batch):
        """Leave out the rows that have a problem and count them, or raise the first one."""
        found = {int(batch.numbers[i]): complaint for i, complaint in reversed(problems)}
        found |= dict(batch.problems)
        if self.on_error == "raise":
            raise_first(self.source, list(found.items()))
        self.skipped += len(found)
        for row in sorted(found)[: N_MESSAGES - len(self.messages)]:
            self.messages.append(one_line(f"{self.source.name}, data row {row}{found[row]}"))
        wrong = sorted({i for i, _ in problems})
        return np.delete(X, wrong, axis=0), np.delete(codes, wrong)


def _size(source):
    """Return the bytes of a file; None for standard input, or if the file is gone."""
    with suppress(OSError):
        return None if source.once else Path(source.name).stat().st_size
    return None


def _source(path, header, delimiter):
    pieces = Pieces(path)
    start = pieces.start()
    suffixes = [] if path == "-" else [suffix.lower() for suffix in path.suffixes]
    if start.startswith(ARROW_STARTS) or set(suffixes) & ARROW_SUFFIXES:
        if path == "-":
            raise StreamError("standard input: only CSV and ARFF are read from it; save it as a file first")
        source = ArrowSource(path)
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


def _find_all(source, chosen):
    return [_find(source, which) for which in ([chosen] if isinstance(chosen, (str, int)) else chosen)]


def _find(source, which):
    """Return the column of that name or position."""
    if isinstance(which, str):
        found = [column for column in source.columns if column.name == which]
    else:
        found = source.columns[which : which + 1 or None] if which is not None else []
    if not found:
        names = ", ".join(column.name for column in source.columns[:20])
        raise StreamError(f"{source.name}: there is no column {which!r}; it has {names}")
    return found[0]
