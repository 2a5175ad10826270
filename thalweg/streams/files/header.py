"""Whether the first row of a CSV file has the names of its columns."""

import csv
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice, pairwise

import pyarrow as pa
import pyarrow.compute as pc

from thalweg.streams.columns.codes import MISSING_TEXT, number
from thalweg.streams.columns.number_text import are_numbers

FEW = 20
N_ROWS = 1000  # below the first one, that are compared with it
DECORATED = re.compile(r"[^A-Za-z0-9]*\d|[A-Z]{1,3}[^A-Za-z0-9]*\d")  # € 5, US$5 or EUR 5
DATA = re.compile(r"[+-]?[\d.\s]*,\d+|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?|\d{1,2}:\d{2}.*")


def rows_below(reader: Iterable[Sequence[str]]) -> list[list[str]]:
    """Return the cells of the first rows below the first one, up to one that cannot be read."""
    found: list[list[str]] = []
    with suppress(csv.Error):
        found.extend([cell.strip() for cell in row] for row in islice(reader, N_ROWS))
    return found


def has_numbers_below(cells: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether a column below these names has numbers or dates, so that no row of data is like them."""
    rows = [row for row in below if len(row) == len(cells) and row != list(cells)]
    columns = zip(cells, zip(*rows, strict=True), strict=True) if rows else ()
    firsts = ((name, column[:FEW]) for name, column in columns)
    return any(not _is_data([name]) and all(_is_data([cell]) for cell in column) for name, column in firsts)


def is_header(cells: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row has names: it has neither a number nor a date, or its numbers are names.

    They are if the first cell alone is empty, as where the rows of a frame were numbered; if they count up,
    which they do in no row below; or if they end in a word that is in no row below, in a column of labels.
    """
    if not _is_data(cells):
        return True
    words = [cell for cell in cells if number(cell) is None]
    if len({*cells}) < len(cells) or any(_is_data([word]) or word in MISSING_TEXT[1:] for word in words):
        return False
    rows = [row for row in below if len(row) == len(cells)]
    if not rows:
        return False
    last = [row[-1] for row in rows]
    is_new = number(cells[-1]) is None and cells[-1] not in last
    if not is_new and number(cells[-1]) is None:
        return False
    if "" in cells:
        return cells.index("") == 0 and all(row[0] for row in rows)
    if _counts_up(cells) and not any(map(_counts_up, rows)):
        return True
    are_labels = len({*last}) < len(last) or all(number(cell) is not None for cell in last)
    return is_new and len(words) == 1 and are_labels


def _is_data(cells: Sequence[str]) -> bool:
    """Return whether there is a number or a date among cells."""
    if any(number(cell) is not None or DATA.fullmatch(cell) for cell in cells):
        return True
    texts = pa.array([cell for cell in cells if DECORATED.match(cell)], pa.string())
    return any(pc.any(are_numbers(texts, point)).as_py() for point in ".,")


def _counts_up(cells: Sequence[str]) -> bool:
    """Return whether the whole numbers among cells, two or more, are each the one before and a step."""
    numbers = [int(cell) for cell in cells if re.fullmatch(r"-?\d{1,9}", cell)]
    steps = {after - before for before, after in pairwise(numbers)}
    return len(steps) == 1 and min(steps) > 0 and (len(numbers) > 2 or steps == {1})
