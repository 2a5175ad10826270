"""Streams read from files: CSV, JSON lines, ARFF, Parquet and Arrow, block by block."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Self

from thalweg._misspelt import nearest
from thalweg._parameters import check_no_text, whole_number, wrong
from thalweg.errors import ParameterError, StreamError
from thalweg.streams.base import Stream
from thalweg.streams.columns.codes import Codes
from thalweg.streams.columns.column import CATEGORY, DATE, IGNORED, NUMBER, TEXT, Column
from thalweg.streams.columns.date_layouts import DATE_ORDERS
from thalweg.streams.columns.date_parts import PARTS
from thalweg.streams.columns.kinds import N_WORDS, ColumnOptions
from thalweg.streams.columns.missing import as_missing
from thalweg.streams.columns.words import MOST_WORDS
from thalweg.streams.files.arff import arff_source, looks_like_arff
from thalweg.streams.files.arrow_files import ArrowSource
from thalweg.streams.files.csv_files import csv_source
from thalweg.streams.files.errors import reading
from thalweg.streams.files.first_rows import Source
from thalweg.streams.files.json_files import json_source, looks_like_json_lines
from thalweg.streams.files.other_formats import check_format
from thalweg.streams.files.pipes import name_of
from thalweg.streams.files.row_order import OrderedSource, RowOrder
from thalweg.streams.files.schema_reader import SchemaReader
from thalweg.streams.files.stream import FileStream, check_names
from thalweg.streams.files.text_encoding import checked_encoding
from thalweg.streams.files.text_files import Pieces

__all__ = ["FileStream", "from_file"]

ARROW_STARTS = (b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")
JSON_SUFFIXES = {".jsonl", ".ndjson", ".json"}
ARROW_SUFFIXES = {".parquet", ".pq", ".arrow", ".feather", ".ipc"}


def from_file(
    path: str | PathLike[str],
    target: str | int | None = None,
    *,
    classes: Iterable[Any] | None = None,
    categorical: Iterable[str | int] = (),
    numeric: Iterable[str | int] = (),
    date: Iterable[str | int] = (),
    text: Iterable[str | int] = (),
    ignore: Iterable[str | int] = (),
    header: bool | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    date_parts: Iterable[str] = PARTS,
    n_words: int = N_WORDS,
    missing: str | Iterable[Any] = (),
    on_error: str = "raise",
    with_labels: bool = True,
    scan_labels: bool = False,
    like: "dict[str, Any] | Stream | None" = None,
    keep: Iterable[str | int] | None = None,
    date_order: str | None = None,
    newest_first: bool = False,
    sort: str | int | None = None,
    shuffle: bool = False,
    seed: int = 0,
) -> "FileStream":
    """Return a stream of the rows of a CSV, JSON lines, ARFF, Parquet or Arrow file, read in blocks.

    Text files may be compressed (gzip, bzip2, zstd, lz4); `?`, an empty cell, NA, N/A, NaN
    and null are missing values, and so are `-`, none and the like among numbers and dates. The kind of a
    column comes from the ARFF header or the Parquet or Arrow schema, otherwise from the first 10,000 rows: a
    number, also with a decimal comma, marks between thousands, money or percent; a date; text of several
    words; an id, which is left out; or else a category. A column of only 0 and 1 is categorical with those
    codes, if there are 50 rows, and a number from the first other number on. Other categories are coded in
    the order of the ARFF header or dictionary, or, without one, in the order of appearance. A category that
    appears later gets the next code, so `n_categories` may grow, and with it the memory of the stream. The
    attribute `columns` of the stream says what was found. Of an Arrow file one record batch at a time is in
    memory, whatever its length.

    Parameters
    ----------
    path
        The file; `-` is standard input. That and a pipe must be CSV, JSON lines or ARFF and can be read only
        once. A file is known by its content, or else by the ending of its name.
    target
        Name or position of the column of labels; the last column if None.
    classes
        The labels in the order of their codes; any other label is an error. By default those of the ARFF
        header or, without one, the sorted labels of the first 10,000 rows; labels that appear later follow in
        order of appearance, so `classes` may grow while rows are read (`is_open`). Labels of a text file
        become integers if all are written as whole numbers, floats if all are written as numbers, else text:
        01067 and 1067 are two labels.
    categorical, numeric, date, text
        Names or positions of columns to read as categories, numbers, dates or text, whatever their values.
        `categorical` may be a dict: for each name its categories in the order of their codes, any other being
        an error, or None to find them.
        Numbers are read as dates if they are seconds, milliseconds, micro- or nanoseconds since 1970, or
        written like 20240131.
    ignore
        Names or positions of columns to leave out.
    header
        Whether the first row of a CSV file has the names of the columns; by default, if it has no number, or
        its numbers are names, as in `0,1,2,label`.
    delimiter
        What separates the cells of a CSV file; by default the one of comma, semicolon, tab and bar
        that is in every line as often.
    decimal
        The decimal point of a text file, "." or ","; by default each column has its own.
    encoding
        The encoding of a text file, as Python names it. By default UTF-8; UTF-16 if the file begins with its
        byte-order mark; and cp1252 if its first letters beyond ASCII are not UTF-8, with a warning in
        `columns`.
    date_parts
        The inputs that a date becomes: "elapsed" days since the first row, and "time" of day, "weekday" and
        "month" as a sine and a cosine each; the time of day also as a number of hours.
    n_words
        Number of inputs that a column of text becomes: each word is counted in one of them, chosen by a hash.
        0 leaves such columns out.
    missing
        Cells that stand for a missing value in every column, the target included, besides those known: texts,
        or numbers, which are missing however they are written (-999 as -999.0). `-`, `none`, `.` and the like
        are known in columns of numbers and dates only; NA is a category among codes of two capital letters.
    on_error
        "raise" stops at the first bad row with a `StreamError` that names the file, data row (the first below
        the header is 1), column and value. "skip" leaves such rows out, and nothing of them stays.
    with_labels
        False if there is no column of labels: all columns are inputs, and all labels are missing.
    scan_labels
        Whether to read the target column once before anything else, so that all labels, and the number of
        rows, are known from the start. Not possible for standard input.
    like
        A stream, or what its `schema()` returned: read this file into the same inputs, in the same order and
        with the same codes and classes. Columns are found by their names; the target may be missing, and
        other columns are left out. A new category gets the next code, if it would have got one there.
    keep
        Names or positions of columns whose cells, as they are written, `blocks_with_cells` yields beside the
        rows; inputs, the target and columns left out may be among them. By default the columns left out
        because they hold ids.
    date_order
        "mdy", "dmy" or "ymd" for dates such as 01/02/03. By default a column in which day and month could be
        swapped is read as other columns of dates, or as the order of its rows shows; else the day is first.
        Then a warning in `columns` says so.
    newest_first
        Whether the file has the newest row first: its rows then come in the other order.
    sort
        Name or position of a column of dates or numbers by which the rows are sorted, the lowest first; rows
        without one come last.
    shuffle
        Whether the rows come in a random order, which `seed` decides. A file in another order than its own
        is read as a whole: all its rows are in memory.
    seed
        Seed of `shuffle`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from thalweg.streams import from_file
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "old.csv").write_text("colour,size,ok\\nred,1.5,no\\nblue,2.5,yes\\n")
    >>> _ = (folder / "new.csv").write_text("size,colour\\n3.5,blue\\n")
    >>> schema = from_file(folder / "old.csv").schema()
    >>> X, codes = next(from_file(folder / "new.csv", like=schema).coded_blocks())
    >>> X.tolist(), codes.tolist()
    ([[1.0, 3.5]], [-1])
    """
    options = ReadingOptions(
        classes=classes, categorical=categorical, numeric=numeric, date=date, text=text, ignore=ignore,
        decimal=decimal, date_parts=date_parts, n_words=n_words, missing=missing, on_error=on_error,
        with_labels=with_labels, scan_labels=scan_labels, like=like, keep=keep, date_order=date_order,
        newest_first=newest_first, sort=sort, shuffle=shuffle, seed=seed,
    )
    return open_path(path, target, options, header=header, delimiter=delimiter, encoding=encoding)


def open_path(
    path: str | PathLike[str], target: str | int | None, options: "ReadingOptions", *,
    header: bool | None = None, delimiter: str | None = None, encoding: str | None = None,
) -> "FileStream":
    """Do what `from_file` does."""
    if delimiter is not None and len(delimiter) != 1:
        raise wrong("from_file", "delimiter", "one character", delimiter)
    encoding = checked_encoding(encoding)
    options.checked(target)
    with reading(name_of(path)):
        usual_header = None if options.schema is None else options.schema.header is not False
        usual_encoding = None if options.schema is None else options.schema.encoding
        source, delimiter = _source(
            path, header, delimiter, options.decimal, encoding, usual_header, usual_encoding
        )
        return open_source(source, target, options, delimiter)


@dataclass
class ReadingOptions:
    """How the columns of a file or table are read; see the parameters of `from_file`."""

    classes: Iterable[Any] | None = None
    categorical: Iterable[str | int] = ()
    numeric: Iterable[str | int] = ()
    date: Iterable[str | int] = ()
    text: Iterable[str | int] = ()
    ignore: Iterable[str | int] = ()
    decimal: str | None = None
    date_parts: Iterable[str] = PARTS
    n_words: int = N_WORDS
    missing: str | Iterable[Any] = ()
    on_error: str = "raise"
    with_labels: bool = True
    scan_labels: bool = False
    like: "dict[str, Any] | Stream | SchemaReader | None" = None
    keep: Iterable[str | int] | None = None
    date_order: str | None = None
    newest_first: bool = False
    sort: str | int | None = None
    shuffle: bool = False
    seed: int = 0
    is_fixed: bool = False
    schema: SchemaReader | None = None

    def checked(self, target: str | int | None, who: str = "from_file") -> Self:
        """Return the options, checked; raise ParameterError or ValueError for the first that is wrong."""
        check_no_text(who, classes=self.classes)
        if self.on_error not in ("raise", "skip"):
            raise wrong(who, "on_error", "'raise' or 'skip'", self.on_error)
        if self.decimal is not None and (type(self.decimal) is not str or self.decimal not in (".", ",")):
            raise wrong(who, "decimal", "'.' or ','", self.decimal)
        if self.date_order not in (None, *DATE_ORDERS):
            raise wrong(who, "date_order", "'mdy', 'dmy' or 'ymd'", self.date_order)
        orders = "newest_first", "sort", "shuffle"
        chosen = [name for name in orders if getattr(self, name) not in (None, False)]
        if len(chosen) > 1:
            raise ParameterError.of(who, chosen[1], problem=f"excludes {chosen[0]}: rows have one order")
        self.seed = whole_number(who, "seed", self.seed, 0)
        self.n_words = whole_number(who, "n_words", self.n_words, 0, MOST_WORDS)
        self.date_parts = _date_parts(self.date_parts, who)
        if target is not None and not self.with_labels:
            raise ValueError(f"{who}: with_labels=False, but target={target!r}: give one or the other")
        if self.like is not None:
            _check_not_in_schema(classes=self.classes, categorical=self.categorical, numeric=self.numeric,
                                 date=self.date, text=self.text, ignore=self.ignore,
                                 scan_labels=self.scan_labels)
            given = self.like.schema() if isinstance(self.like, Stream) else self.like
            self.schema = given if isinstance(given, SchemaReader) else SchemaReader(given)
        return self


def open_source(
    source: Source, target: str | int | None, options: ReadingOptions, delimiter: str | None = None
) -> "FileStream":
    """Return a stream of the rows of a source, whose columns are read as the checked options say."""
    schema = options.schema
    check_names(source, [column.name for column in source.columns])
    told: dict[str, str] = {}
    for column in _find_all(source, options.ignore):
        told[column.name] = "ignore"
        column.kind, column.is_told, column.note = IGNORED, True, "as asked"
    label = _label(source, target, schema) if options.with_labels else None
    kinds = {CATEGORY: options.categorical, NUMBER: options.numeric, DATE: options.date, TEXT: options.text}
    names = {CATEGORY: "categorical", NUMBER: "numeric", DATE: "date", TEXT: "text"}
    for kind, chosen in kinds.items():
        listed = [*chosen.values()] if isinstance(chosen, Mapping) else None
        for i, column in enumerate(_find_all(source, chosen)):
            if told.setdefault(column.name, names[kind]) != names[kind]:
                both = f"is named by {told[column.name]} and {names[kind]}; name it once"
                raise StreamError(f"{source.name}: the column {column.name!r} {both}")
            column.kind, column.is_told = kind, True
            if listed is not None:
                values = listed[i]
                column.codes = column.codes if values is None else Codes(values, where=repr(column.name))
    read = ColumnOptions(options.decimal, delimiter, tuple(options.date_parts), options.n_words,
                         as_missing(options.missing), options.is_fixed, options.date_order)
    source = _in_order(source, options, read)
    kept = None if options.keep is None else [each.name for each in _find_all(source, options.keep)]
    return FileStream(source, label, options.classes, options.on_error, options.scan_labels, read,
                      target is not None, schema, None if kept is None else list(dict.fromkeys(kept)))


def _in_order(source: Source, options: ReadingOptions, read: ColumnOptions) -> Source:
    """Return a source whose rows come in the order that was asked for."""
    if not (options.newest_first or options.shuffle or options.sort is not None):
        return source
    assert not isinstance(source, OrderedSource)
    if source.is_sparse:
        raise StreamError(f"{source.name}: sparse rows are read in the order of the file only")
    if options.sort is None:
        return OrderedSource(source, RowOrder(seed=options.seed if options.shuffle else None))
    column = _find(source, options.sort)
    is_date, strict = column in _find_all(source, options.date), options.on_error == "raise"
    return OrderedSource(source, RowOrder(column.name, None, read, is_date, strict))


def _label(source: Source, target: str | int | None, schema: SchemaReader | None) -> Column | None:
    """Return the column of labels: the one named, else that of the schema, if any, else the last one."""
    if schema is not None:
        named = schema.target if target is None else target
        is_there = target is not None or named in [column.name for column in source.columns]
        return _find(source, named) if is_there else None
    used = [column for column in source.columns if column.kind != IGNORED]
    if target is None and used:
        return used[-1]
    label = _find(source, target)
    if label.kind == DATE:
        raise StreamError(f"{source.name}: the target {label.name!r} has dates: no labels; name another")
    return label


def _check_not_in_schema(**options: Any) -> None:
    given = [name for name, value in options.items() if value not in (None, ()) and value is not False]
    if given:
        raise ParameterError.of(
            "from_file", given[0], problem="cannot be given with like, whose schema says it"
        )


def _source(
    path: str | PathLike[str],
    header: bool | None,
    delimiter: str | None,
    decimal: str | None,
    encoding: str | None,
    usual_header: bool | None = None,
    usual_encoding: str | None = None,
) -> tuple[Source, str | None]:
    """Open a file; return it, and the delimiter if it is CSV."""
    pieces = Pieces(path, encoding, usual_encoding)
    start = pieces.start()
    suffixes = [] if path == "-" else [suffix.lower() for suffix in Path(path).suffixes]
    source: Source
    if start.startswith(ARROW_STARTS) or set(suffixes) & ARROW_SUFFIXES:
        if pieces.once:
            raise StreamError(
                f"{pieces.name}: only CSV, ARFF and JSON lines are read from it; save it as a file first"
            )
        _check_not_given("a Parquet or Arrow file", header=header, delimiter=delimiter, decimal=decimal,
                         encoding=encoding)
        source = ArrowSource(path)
        return _checked(source), None
    check_format(start, "-" if pieces.once else path, pieces.name)
    if looks_like_arff(start) or ".arff" in suffixes:
        _check_not_given("an ARFF file", header=header, delimiter=delimiter)
        source = arff_source(pieces)
    elif looks_like_json_lines(start) or set(suffixes) & JSON_SUFFIXES:
        _check_not_given("a file of JSON lines", header=header, delimiter=delimiter)
        source = json_source(pieces)
    else:
        source, delimiter = csv_source(pieces, usual_header if header is None else header, delimiter)
    return _checked(source), delimiter


def _checked(source: Source) -> Source:
    """Return `source`; raise StreamError unless it has columns, each with a name of its own."""
    if not source.columns:
        raise StreamError(f"{source.name} has no columns")
    check_names(source, [column.name for column in source.columns])
    return source


def _check_not_given(kind: str, **options: Any) -> None:
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise ParameterError.of("from_file", given[0], problem=f"is for CSV files, this is {kind}")


def _date_parts(parts: Iterable[str], who: str) -> tuple[str, ...]:
    chosen = {parts} if isinstance(parts, str) else set(parts)
    if not chosen <= set(PARTS):
        raise wrong(who, "date_parts", f"some of {', '.join(PARTS)}", parts)
    return tuple(part for part in PARTS if part in chosen)


def _find_all(source: Source, chosen: str | int | Iterable[str | int]) -> list[Column]:
    return [_find(source, which) for which in ([chosen] if isinstance(chosen, (str, int)) else chosen)]


def _find(source: Source, which: str | int | None) -> Column:
    """Return the column with this name or position."""
    if isinstance(which, str):
        name = which if which in [column.name for column in source.columns] else which.strip()
        found = [column for column in source.columns if column.name == name]
    else:
        found = source.columns[which : which + 1 or None] if which is not None else []
    if not found:
        names = [column.name for column in source.columns]
        near = nearest(which, names) if isinstance(which, str) else None
        meant = f"did you mean {near!r}?" if near else f"it has {', '.join(names[:20])}"
        raise StreamError(f"{source.name}: there is no column {which!r}; {meant}")
    return found[0]
