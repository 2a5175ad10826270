"""Rows that wait in a live model, in the codes of the model that replaces it."""

from typing import Any

import numpy as np

from thalweg.live.waiting import NO_LABEL, WaitingStore
from thalweg.model import Model
from thalweg.streams.columns.column import CATEGORY

NO_CLASS = -1


def misfit(old: Model, new: Model) -> str | None:
    """Return why the inputs of a model mean something else to another; None if they mean the same.

    Categories and labels may be others, and in another order.
    """
    before, after = old._coding.plain()["columns"], new._coding.plain()["columns"]
    names, others = ([column.name for column in each._coding.columns] for each in (old, new))
    if names != others:
        odd = next((name for name in (*names, *others) if (name in names) != (name in others)), None)
        return "has its columns in another order" if odd is None else f"differs in the column {odd!r}"
    for name, one, other in zip(names, before, after, strict=True):
        values, known = one.pop("values", []), other.pop("values", [])
        if one != other:
            return f"reads the column {name!r} in another way"
        if not one.get("grows", True) and not {*values} <= {*known}:
            return f"has not all categories of the column {name!r}"
    if old._late._sparse != new._late._sparse:
        return "has sparse rows" if new._late._sparse else "has no sparse rows"
    if old._late._sparse and any(codes != [*range(len(codes))] for codes in _codes(old, new).values()):
        return "has its categories in another order"
    return None


def recode(waiting: WaitingStore, old: Model, new: Model) -> None:
    """Give waiting rows the codes of the new model, which learns the categories that it lacks."""
    slots = np.array(list(waiting.index.values()), dtype=np.intp)
    place = 0
    for before, after in zip(old._coding.columns, new._coding.columns, strict=True):
        if waiting.sparse and before.kind == CATEGORY:
            after.codes.of(before.codes.values)
        elif before.kind == CATEGORY:
            x = waiting.rows(slots)[:, place]
            used = np.unique(x[~np.isnan(x)]).astype(np.intp)
            if len(used):
                values = [before.codes.values[code] for code in used.tolist()]
                codes = after.codes.of(values)
                for i in np.flatnonzero(codes < 0).tolist():  # longer than what a new category may be
                    codes[i] = len(after.codes) if after.codes.extend([values[i]]) else NO_CLASS
                table = np.full(used[-1] + 2, np.nan)
                table[used] = np.where(codes < 0, np.nan, codes)
                waiting.set_input(slots, place, table[np.where(np.isnan(x), -1, x).astype(np.intp)])
        place += before.n_inputs
    after_labels = _labels(new, len(new._class_list))
    known = {label: code for code, label in enumerate(after_labels)}
    waiting.recode([known.get(each, NO_CLASS) for each in _labels(old, len(old._class_list))], len(known))


def label_codes(old: Model, new: Model) -> list[int]:
    """Return the code in a model of each label of another; NO_LABEL if it has none."""
    known = {label: code for code, label in enumerate(_labels(new))}
    return [known.get(each, NO_LABEL) for each in _labels(old)]


def _labels(model: Model, n: int | None = None) -> list[Any]:
    return list(model._coding.plain()["classes"][:n])


def _codes(old: Model, new: Model) -> dict[str, list[int]]:
    """Return for each column of categories what the codes of the old model are in the new one."""
    found = {}
    for before, after in zip(old._coding.columns, new._coding.columns, strict=True):
        if before.kind == after.kind == CATEGORY:
            found[before.name] = after.codes.copy().of(before.codes.values).tolist()
    return found
