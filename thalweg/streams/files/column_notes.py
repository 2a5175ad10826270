"""Notes on a column: its format, what counts as missing in it, which spellings are one."""

from collections import Counter
from collections.abc import Sequence

from thalweg.streams.columns.column import DATE, IGNORED, TEXT, Column
from thalweg.streams.columns.dates import Dates
from thalweg.streams.files.first_rows import FirstRows
from thalweg.streams.files.sparse_table import SparseTable

MOST_LISTED = 4


def missing_counts(columns: Sequence[Column], first: FirstRows) -> dict[str, dict[str, int]]:
    """Return how often each marker of a missing value stands in the first rows, by the names of columns."""
    counts: dict[str, Counter[str]] = {}
    used = {column.name: column for column in columns if column.kind != IGNORED and not column.is_full}
    for rows in first.head:
        if isinstance(rows, SparseTable):
            numbers = next((column.missing.numbers for column in used.values()), ())
            for (name, text), n_rows in rows.words(numbers).items():
                if name in used and used[name].missing.is_marker(text, used[name].is_numeric):
                    counts.setdefault(name, Counter())[text] += n_rows
            continue
        for name, column in used.items():
            found = column.missing.counts(rows.column(name), column.is_numeric)
            if found:
                counts.setdefault(name, Counter()).update(found)
    for name, found in counts.items():
        if used[name].codes.match == "codes":
            found.pop("NA", None)
    return {name: dict(found) for name, found in counts.items() if found}


def note_of(
    column: Column, missing: dict[str, int], merged: dict[str, dict[str, int]], first: FirstRows
) -> str:
    """Return all there is to say about a column, in words; nothing if it is an ordinary one."""
    note = column.note
    if column.kind in (DATE, TEXT):
        note = f"{column.n_inputs} inputs" + (", hashed words" if column.kind == TEXT else "")
    if isinstance(column.reader, Dates) and len(column.reader.layouts) > 1:
        note += f", {len(column.reader.layouts)} formats"
    where = "" if first.is_whole else f" in the first {first.n_rows:,} rows"
    return "; ".join(filter(None, [note, _merged_words(merged), _missing_words(missing, where)]))


def _missing_words(counts: dict[str, int], where: str) -> str:
    if not counts:
        return ""
    listed = sorted(counts, key=lambda marker: -counts[marker])
    shown = [f"{counts[marker]:,} × {marker}" for marker in listed[:MOST_LISTED]]
    rest = sum(counts[marker] for marker in listed[MOST_LISTED:])
    shown += [f"{rest:,} others"] if rest else []
    return f"missing{where}: {', '.join(shown)}"


def _merged_words(merged: dict[str, dict[str, int]]) -> str:
    words = []
    for kept, group in list(merged.items())[:MOST_LISTED]:
        others = [text for text in group if text != kept]
        more = " and others" if len(others) > MOST_LISTED else ""
        words.append(f"{', '.join(others[:MOST_LISTED])}{more} read as {kept}")
    return ", ".join(words)
