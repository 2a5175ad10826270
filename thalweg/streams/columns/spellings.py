"""Spellings of categories and labels that are one: Yes, yes and Y."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from thalweg.streams.columns.codes import MATCHES, is_yes_no, number, spelling
from thalweg.streams.columns.column import distinct

MIN_WORD = 3  # shorter labels may differ by case alone, such as the genotypes AA, Aa and aa


def counted(arrays: Iterable[Any], strip: bool = True) -> dict[Any, int]:
    """Return how often each value that is not missing occurs, in the order of appearance."""
    counts: dict[Any, int] = {}
    for array in arrays:
        values, positions = distinct(array)
        used, first = np.unique(positions, return_index=True)
        n_rows = np.bincount(positions, minlength=len(values) + 1)
        for place in used[np.argsort(first)].tolist():
            if place < len(values) and values[place] is not None:
                value = values[place].strip() if strip and isinstance(values[place], str) else values[place]
                counts[value] = counts.get(value, 0) + int(n_rows[place])
    return counts


def label_match(values: Iterable[Any]) -> str:
    """Return which spellings of labels are one: how `Codes` matches them.

    Spellings of yes and no are two labels; words of three letters and more are compared without case.
    """
    texts = [text for value in values if (text := spelling(value)) is not None]
    if is_yes_no(texts):
        return "yes/no"
    are_words = all(len(text) >= MIN_WORD and number(text) is None for text in texts)
    return "caseless" if texts and are_words else "exact"


def spellings(
    counts: dict[Any, int], match: str, key: Callable[[Any], str | None] | None = None
) -> dict[Any, dict[Any, int]]:
    """Return the values that `match` takes for one: each by its most frequent spelling, with all counts.

    `key` returns the text that those of one group have in common, by default the one that `match` compares.
    Yes and no are spelled alike, if possible: Y and N, or Yes and No, whichever are there more often.
    """
    groups: dict[str, dict[Any, int]] = {}
    for value, n_rows in counts.items():
        text = (key or MATCHES[match])(value)
        if text is not None:
            groups.setdefault(text, {})[value] = n_rows
    alike = _alike(list(groups.values())) if match == "yes/no" else {}
    return {
        max(group, key=lambda value: (alike.get(_form(value), 0), group[value])): group
        for group in groups.values()
    }


def _form(value: Any) -> tuple[bool, bool, bool]:
    """Return whether a spelling is a letter, in capitals, in small letters."""
    text = str(value)
    return len(text) == 1, text.isupper(), text.islower()


def _alike(groups: list[dict[Any, int]]) -> dict[tuple[bool, bool, bool], int]:
    """Return how often each form occurs that every group has."""
    totals: dict[tuple[bool, bool, bool], int] = {}
    for group in groups:
        for value, n_rows in group.items():
            totals[_form(value)] = totals.get(_form(value), 0) + n_rows
    return {form: n for form, n in totals.items() if all(form in map(_form, group) for group in groups)}


def merged(groups: dict[Any, dict[Any, int]]) -> dict[str, dict[str, int]]:
    """Return those of `spellings` that have several spellings, as text."""
    found: dict[str, dict[str, int]] = {}
    for kept, group in groups.items():
        texts = {str(value): n_rows for value, n_rows in group.items()}
        if len({spelling(text) for text in texts}) > 1:
            found[str(kept)] = texts
    return found
