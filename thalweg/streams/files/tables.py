"""Rows in memory as a source of columns: frames of pandas, polars and Arrow, and records, which are dicts."""

import datetime
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from thalweg._frames import frame_columns, frame_names
from thalweg.errors import ParameterError, StreamError, short_repr
from thalweg.streams.columns.class_codes import CELL, FAR, GIVEN, TYPED
from thalweg.streams.columns.column import CATEGORY, FLAG, Column
from thalweg.streams.columns.decimals import lone_word
from thalweg.streams.columns.kinds import plain_numbers
from thalweg.streams.columns.missing import Missing
from thalweg.streams.files.arrow_files import ROWS, ArrowSource, declared, kind_of

FIRST_ROWS = 10_000
MAX_DEPTH = 20
FEW = 4  # a column with fewer than a fourth of its cells is mostly missing
DATES = (datetime.datetime, datetime.date, datetime.time)


class TableSource(ArrowSource):
    """Rows of an Arrow table in memory.

    A column of text is a category if all its texts are whole numbers that recur, as a frame has a type for
    numbers; `is_typed` says whether it has. Otherwise its kind is found as in a text file. `given` are the
    columns that the rows have; `form` and `labels` say how labels are read, as in `ClassCodes`.
    """

    def __init__(
        self, table: Any, name: str, is_typed: bool, given: frozenset[str], form: str,
        labels: Mapping[str, Any],
    ) -> None:
        self.name, self.path, self.given, self.label_form, self.labels = name, "", given, form, labels
        self._table, self._schema, self.n_rows = table, table.schema, table.num_rows
        self.declared = declared(table.schema)
        self.columns = [self._column(field, is_typed) for field in table.schema]

    def _column(self, field: Any, is_typed: bool) -> Column:
        kind, is_told = kind_of(field.type), pa.types.is_dictionary(field.type)
        if kind == CATEGORY and not is_told and not (is_typed and self._are_numbers(field.name)):
            kind = None
        return Column(field.name, kind, is_told=is_told, is_boolean=kind == FLAG)

    def _are_numbers(self, name: str) -> bool:
        texts = self._table.column(name)[:FIRST_ROWS].combine_chunks().dictionary_encode()
        word = lone_word([texts], None)
        texts = texts if word is None else Missing((word,)).cleaned(texts, numeric=False)
        found = plain_numbers([texts])
        is_whole = found is not None and len(found) > 0 and not (found != np.round(found)).any()
        return is_whole and 2 * len(texts.dictionary) <= len(texts)

    def _read(self, names: Sequence[str]) -> Iterator[Any]:
        yield from self._table.select(list(names)).to_batches(max_chunksize=ROWS)

    def _validate(self, batch: Any, names: Sequence[str], done: int) -> None:
        """Do nothing: Arrow made these arrays from values in memory."""


def table_source(
    rows: Any, labels: Any = None, label_name: str | None = None, wanted: Collection[str] = (),
    known: Collection[str] = (),
) -> TableSource:
    """Return a frame, an array, records or one record as a source.

    `labels`, if given, are its last column, instead of another one called `label_name`; by default it has
    the name of the labels, or a free one. They are taken as they are: none is read as a cell. Records get the
    `wanted` columns that they do not have, all missing. Names lose the blanks around them, as in files, but
    for those `known`. Raise StreamError if there is no column.
    """
    table, is_typed = as_table(rows)
    new = trimmed(table.column_names, known)
    if new:
        table = table.rename_columns([new.get(each, each) for each in table.column_names])
    name = type(rows).__name__ if is_typed else "records"
    decoded: dict[str, Any] = {}
    given = frozenset(table.column_names)
    absent = [] if is_typed else [each for each in wanted if each not in given]
    if absent:
        none = pa.nulls(table.num_rows, pa.string())
        arrays = [*table.columns, *(none for _ in absent)]
        table = pa.Table.from_arrays(arrays, names=[*table.column_names, *absent])
    if labels is not None:
        n_labels = _n_labels(labels)
        if n_labels != table.num_rows:
            raise StreamError(f"{name}: got {table.num_rows} rows and {n_labels} labels")
        last = _free_name(labels, given) if label_name is None else label_name
        table = table.drop_columns([last]) if last in given else table
        values, decoded = _told_apart(labels)
        table = table.append_column(last, _table(name, {last: values}).column(0))
    elif isinstance(label_name, str) and label_name in given and not is_typed:
        listed = [rows] if isinstance(rows, Mapping) else rows
        old = next((old for old, each in new.items() if each == label_name), label_name)
        values, decoded = _told_apart([flat(row).get(old) for row in listed])
        if decoded:
            place = table.column_names.index(label_name)
            table = table.set_column(place, label_name, _table(name, {label_name: values}).column(0))
    if not table.num_columns:
        raise StreamError(f"{name} has no columns")
    form = GIVEN if labels is not None else TYPED if is_typed else CELL
    return TableSource(table, name, is_typed, given, form, decoded)


def trimmed(names: Collection[str], known: Collection[str] = ()) -> dict[str, str]:
    """Return new names for those with blanks around them, unless they are known or the new ones are taken."""
    return {
        name: name.strip() for name in names
        if name != name.strip() and name not in known and name.strip() not in names
    }  # fmt: skip


def _told_apart(labels: Any) -> tuple[Any, dict[str, Any]]:
    """Return labels as a column takes them, and what its texts stand for if it has text and other types.

    An array of Arrow has one type: 1 beside "x" would become "1", and 2**63 beside -1 a float.
    """
    if not isinstance(labels, list | tuple) and str(getattr(labels, "dtype", None)) != "object":
        return labels, {}
    plain = [each.item() if isinstance(each, np.generic) else each for each in labels]
    kinds = {type(each) for each in plain}
    is_far = int in kinds and any(type(each) is int and not -FAR <= each < FAR for each in plain)
    if not is_far and (str not in kinds or kinds.isdisjoint((bool, int, float))):
        return labels, {}
    texts = {each for each in plain if type(each) is str}
    found: dict[str, Any] = {}
    column: list[Any] = []
    for each in plain:
        if type(each) in (bool, int, float) and each == each:
            text = str(each) if str(each) not in texts else f"{each} ({type(each).__name__})"
            found[text], each = each, text
        column.append(each)
    return column, found


def _n_labels(labels: Any) -> int:
    shape = getattr(labels, "shape", None)
    if (shape is not None and len(shape) != 1) or isinstance(labels, str) or not hasattr(labels, "__len__"):
        got = short_repr(labels) if shape is None else f"shape {tuple(shape)}"
        raise ParameterError(f"Model: labels must be a list or one column, got {got}")
    return len(labels)


def _free_name(labels: Any, taken: Collection[str]) -> str:
    name = getattr(labels, "name", None)
    name = name if isinstance(name, str) and name else "label"
    while name in taken:
        name += "_"
    return name


def is_records(rows: Any) -> bool:
    """Return whether these are one record or a sequence of records, which are dicts."""
    if isinstance(rows, Mapping):
        return True
    is_sequence = isinstance(rows, list | tuple) or (isinstance(rows, np.ndarray) and rows.dtype == object)
    return is_sequence and all(isinstance(row, Mapping) for row in rows[:1])


def as_table(rows: Any) -> tuple[Any, bool]:
    """Return a frame, records or one record as an Arrow table, and whether its columns have types."""
    if is_records(rows):
        records = [rows] if isinstance(rows, Mapping) else rows
        return _table("records", _by_column([flat(record, i) for i, record in enumerate(records)])), False
    where, columns = _columns(rows)
    return _table(where, columns), True


def readable_table(rows: Any, used: Collection[str] | None = None) -> tuple[Any, dict[str, dict[int, str]]]:
    """Return what `as_table` does, and by column what is wrong with the cells of some rows.

    A cell that is not one value is missing in the table; what is no record at all is empty, and its problem
    is that of the column "". Of columns that are not `used`, those with such cells are left out.
    """
    problems: dict[str, dict[int, str]] = {}
    columns: Mapping[str, Any]
    if is_records(rows):
        records: list[Mapping[str, Any]] = []
        for i, record in enumerate([rows] if isinstance(rows, Mapping) else rows):
            try:
                records.append(flat(record, i))
            except StreamError as error:
                problems.setdefault("", {})[i] = str(error)
                records.append({})
        columns = _by_column(records)
    else:
        _, columns = _columns(rows)
    found = {}
    for name, values in columns.items():
        array, wrong = _readable(values, used is not None)
        if not wrong or used is None or name in used:
            found[name] = array
            problems |= {name: wrong} if wrong else {}
    return pa.Table.from_arrays([*found.values()], names=[*found]), problems


def _readable(values: Any, is_flat: bool) -> tuple[Any, dict[int, str]]:
    """Return values as an Arrow array, and what is wrong with those that are missing there.

    A column of nothing but lists is an array of lists, unless it must be flat.
    """
    try:
        array = _checked(as_column(values))
    except StreamError:
        array = None
    if array is not None and not (is_flat and pa.types.is_nested(array.type)):
        return array, {}
    cells = list(values) if array is None else array.to_pylist()
    wrong = {i: why for i, cell in enumerate(cells) if (why := _problem_of(cell)) is not None}
    return _checked(as_column([None if i in wrong else cell for i, cell in enumerate(cells)])), wrong


def _columns(rows: Any) -> tuple[str, Mapping[str, Any]]:
    """Return the columns of a frame or an array by name, and what it is called in messages."""
    if isinstance(rows, np.ndarray):
        if rows.ndim != 2:
            raise StreamError(f"an array must be rows × columns, got shape {rows.shape}")
        return "array", {f"x{j}": rows[:, j] for j in range(rows.shape[1])}
    names = frame_names(rows)
    if names is None:
        raise TypeError(f"expected a frame, records or a path, got {short_repr(rows)}")
    twice = next((name for name, n in Counter(map(str, names)).items() if n > 1), None)
    if twice is not None:
        raise StreamError(f"{type(rows).__name__}: two columns are called {twice!r}; rename one")
    return type(rows).__name__, dict(zip(map(str, names), frame_columns(rows), strict=True))


def _by_column(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the cells of flat records by column; the cost is that of the cells, not of columns × rows."""
    cells: dict[str, tuple[list[Any], list[int]]] = {}  # of each column: its values and their rows
    for i, row in enumerate(rows):
        for name, value in row.items():
            column = cells.get(name)
            if column is None:
                column = cells[name] = [], []
            column[0].append(value)
            column[1].append(i)
    return {name: _column_of(*column, len(rows)) for name, column in cells.items()}


def _column_of(values: list[Any], places: list[int], n_rows: int) -> Any:
    """Return values in these rows as a column; where most rows lack it, at the cost of the values alone."""
    if len(values) == n_rows:
        return values
    if FEW * len(values) < n_rows:
        try:
            found = as_column(values)
        except StreamError:  # below, it names the row
            pass
        else:
            at = np.full(n_rows, -1)
            at[places] = np.arange(len(values))
            return found.take(pa.array(at, mask=at < 0))
    column: list[Any] = [None] * n_rows
    for place, value in zip(places, values, strict=True):
        column[place] = value
    return column


def _table(where: str, columns: Mapping[str, Any]) -> Any:
    """Return columns as an Arrow table; raise StreamError if one holds what is not read."""
    found = []
    for name, values in columns.items():
        try:
            found.append(_checked(as_column(values)))
        except StreamError as error:
            raise StreamError(f"{where}, column {name!r}, {error}") from None
    return pa.Table.from_arrays(found, names=list(columns))


def flat(record: Any, number: int = 0) -> Mapping[str, Any]:
    """Return a record with text as keys, and nested ones as part of it: {"a": {5: 1}} is {"a.5": 1}."""
    if not isinstance(record, Mapping):
        raise StreamError(f"records: record {number} is {short_repr(record)}, not a dict")
    if not any(isinstance(value, Mapping) or type(name) is not str for name, value in record.items()):
        return record
    found: dict[str, Any] = {}
    _add(record, "", found, MAX_DEPTH)
    return found


def _add(record: Mapping[Any, Any], before: str, found: dict[str, Any], depth: int) -> None:
    if not depth:
        raise StreamError(f"records: one is nested more than {MAX_DEPTH} levels deep")
    for name, value in record.items():
        if isinstance(value, Mapping):
            _add(value, f"{before}{name}.", found, depth - 1)
        else:
            found[f"{before}{name}"] = value


def as_column(values: Any) -> Any:
    """Return values as an Arrow array; as text if they are of several types."""
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values
    if hasattr(values, "to_arrow"):
        return values.to_arrow()
    try:
        return pa.array(values, from_pandas=True)
    except (ValueError, TypeError, OverflowError, pa.ArrowNotImplementedError):
        pass
    plain = [each.item() if isinstance(each, np.generic) else each for each in values]
    if all(each is None or type(each) is int for each in plain):  # some are too large for an integer of Arrow
        return pa.array([None if each is None else str(each) for each in plain], pa.string())
    try:
        if all(each is None or isinstance(each, int | float | Decimal) for each in plain):
            plain = [None if each is None else float(each) for each in plain]
        return pa.array(plain, from_pandas=True)
    except (ValueError, TypeError, OverflowError, pa.ArrowNotImplementedError):
        return pa.array([_text(value, i) for i, value in enumerate(plain)], pa.string())


def _problem_of(value: Any) -> str | None:
    """Return why a value cannot be a cell; None if it can."""
    if isinstance(value, np.ndarray) or (hasattr(value, "__len__") and not isinstance(value, str | bytes)):
        return f"{short_repr(value)} is not one value"
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return f"{value!a} has half a surrogate pair, not text"
    return None


def _text(value: Any, row: int) -> str | None:
    problem = _problem_of(value)
    if problem is not None:
        raise StreamError(f"data row {row + 1}: {problem}")
    if value is None or _is_nan(value):
        return None
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, DATES):
        return value.isoformat(sep=" ") if isinstance(value, datetime.datetime) else value.isoformat()
    return _without_point(value) if isinstance(value, float) else str(value)


def _is_nan(value: Any) -> bool:
    if isinstance(value, Decimal):
        return value.is_nan()
    unequal = value != value
    return bool(unequal) if isinstance(unequal, bool | np.bool_) else True  # pandas.NA


def _without_point(value: float) -> str:
    """Return a number as text that means the same with a decimal point and a decimal comma: 1.5 as 15e-1."""
    digits, _, power = repr(value).partition("e")
    whole, _, decimals = digits.partition(".")
    if decimals in ("", "0"):
        return f"{whole}e{power}" if power else whole
    return f"{whole}{decimals}e{int(power or 0) - len(decimals)}"


def _checked(column: Any) -> Any:
    """Return a column with a type that is read: text of one kind, also if nothing is in it."""
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    kind = column.type
    if kind in (pa.large_string(), pa.string_view()):
        return column.cast(pa.string())
    if pa.types.is_dictionary(kind) and kind.value_type in (pa.large_string(), pa.string_view()):
        return column.cast(pa.dictionary(pa.int32(), pa.string()))
    if pa.types.is_null(kind):
        return column.cast(pa.string())
    return column
