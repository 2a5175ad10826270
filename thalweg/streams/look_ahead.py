"""What must be known of a file before its rows are learned: the kinds of its columns, and some labels."""

import numpy as np

from thalweg.errors import StreamError
from thalweg.streams.codes import Codes, as_classes, number, spelling
from thalweg.streams.columns import CATEGORY, FLAG, NUMBER, find_kind

FIRST_ROWS = 10_000
FIRST_BYTES = 1 << 26
MAX_CLASSES = 1000
MAX_FRACTIONS = 20


def first_rows(source, names, strict):
    """Return record batches of the first rows of the columns `names`, and whether those are all.

    If `strict`, each must have parsed.
    """
    head, n_rows, n_bytes = [], 0, 0
    for batch in source.batches(names):
        if strict:
            raise_first(source, batch.problems)
        head.append(batch.rows.slice(0, FIRST_ROWS - n_rows))
        n_rows += head[-1].num_rows
        n_bytes += batch.rows.nbytes
        if n_rows >= FIRST_ROWS or n_bytes >= FIRST_BYTES:
            return head, False
    if not n_rows:
        raise StreamError(f"{source.name} has no rows of data")
    return head, True


def raise_first(source, problems):
    """Raise the first of `problems`, (row number, complaint) pairs, if there is any."""
    if problems:
        row, complaint = min(problems)
        raise StreamError(f"{source.name}, data row {row}{complaint}")


def check_kinds(source, columns):
    """Refuse columns of a type that is neither a number nor text."""
    for column in columns:
        if column.kind not in (None, NUMBER, FLAG, CATEGORY):
            raise StreamError(
                f"{source.name}, column {column.name!r}: values of {column.kind} are not read; "
                f"make them numbers or text, or pass ignore=[{column.name!r}]"
            )


def settle_kinds(columns, head):
    """Give each column that has none its kind, and the categories of the first rows their codes."""
    for j, column in enumerate(columns):
        arrays = [rows.column(j) for rows in head]
        column.kind = column.kind or find_kind(arrays)
        if column.kind == CATEGORY:
            for array in arrays:
                column.codes.of(array.dictionary.to_pylist())


def first_classes(source, label, head):
    """Return the labels of the first rows, sorted."""
    found = Codes(grows=True)
    for rows in head:
        found.of(rows.column(label.name).unique().to_pylist())
        check_labels(source, label, found)
    return as_classes(found.values) if len(found) else np.empty(0, dtype=np.int64)


def all_classes(source, label, strict):
    """Return the labels of all rows, sorted, and how many rows there are."""
    if source.once:
        raise StreamError(f"{source.name} can be read only once: name its labels, classes=[…]")
    found, n_rows = Codes(grows=True), 0
    for values, n_more, problems in source.distinct(label.name):
        if strict:
            raise_first(source, problems)
        known = len(found)
        found.of(values)
        if len(found) > known:
            check_labels(source, label, found)
        n_rows += n_more
    check_any(source, label, found)
    return as_classes(found.values), n_rows


def check_any(source, label, classes):
    """Raise StreamError if all rows were read and no label was found."""
    if not len(classes):
        raise StreamError(f"{source.name}: the target {label.name!r} has no label in it")


def check_labels(source, label, found):
    """Raise StreamError if so many different labels were found that these can be no classes."""
    numbers = [number(spelling(value)) for value in found.values]
    fractions = any(value is not None and value % 1 for value in numbers)
    if len(found) > (MAX_FRACTIONS if fractions else MAX_CLASSES):
        raise StreamError(
            f"{source.name}: the target {label.name!r} has {len(found)} different values or more, such as "
            f"{found.values[0]}: not a class; name the column of labels as the target, or pass classes=[…]"
        )
