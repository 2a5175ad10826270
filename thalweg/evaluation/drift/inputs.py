"""What is watched of the rows of a stream: its columns, and of dates the parts that can be compared."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from thalweg._types import Floats
from thalweg.evaluation.inputs.columns import InputColumns
from thalweg.streams.base import Stream
from thalweg.streams.columns.date_parts import CYCLES, PART_WORDS

DAYS = {"time": 1, "weekday": 7}  # in a cycle


class Item(NamedTuple):
    """One thing that is watched: its name, its kind, and the inputs that it is computed from."""

    name: str
    kind: str
    part: str
    inputs: tuple[int, ...]


class WatchedInputs:
    """The distributions that a monitor watches in a stream, in terms of its columns.

    Numbers and categories are watched as they are, each place of a text's words as a number, the time of day
    as hours and the weekday as a category. Elapsed days and months always change and are never watched; the
    time and the weekday are watched only if windows cover whole days or weeks, because otherwise they differ
    from window to window.

    Parameters
    ----------
    stream : Stream
        Where the rows come from.
    days : int or None
        The length of a window in days; None if windows have a number of rows.
    only : sequence of str or None
        The names to watch, in this order, if not all.

    Attributes
    ----------
    items : list of Item
        What is watched.
    left_out : dict of str
        What is not, and why: "elapsed" (it always changes) or "cycle" (windows do not cover whole cycles).
    """

    def __init__(self, stream: Stream, days: int | None = None, only: Sequence[str] | None = None) -> None:
        self._columns = InputColumns(stream)
        self._stream = stream
        self.items: list[Item] = []
        self.left_out: dict[str, str] = {}
        for group in self._columns.columns:
            column = self._columns.origin(group.inputs[0]).column
            self._add(group.name, group.inputs, column, days)
        if only is not None:
            by_name = {item.name: item for item in self.items}
            self.items = [by_name[name] for name in only]
        self._is_plain = [item.inputs for item in self.items] == [(j,) for j in range(stream.n_features)]

    def _add(self, name: str, inputs: tuple[int, ...], column: dict[str, Any], days: int | None) -> None:
        kind = column["kind"]
        if kind == "text":
            for place, j in enumerate(inputs):
                self.items.append(Item(f"{name}: words in place {place}", "number", "", (j,)))
        elif kind == "date":
            for part in column["parts"]:
                said = f"{name}: {PART_WORDS[part]}"
                places = tuple(j for j in inputs if self._columns.origin(j).part == part)
                if part not in DAYS:
                    self.left_out[said] = "elapsed"
                elif days is None or days % DAYS[part]:
                    self.left_out[said] = "cycle"
                elif part == "time":
                    self.items.append(Item(said, "number", part, places[:1]))  # hours
                else:
                    self.items.append(Item(said, "category", part, places))
        else:
            self.items.append(Item(name, "number" if kind == "number" else "category", "", inputs))

    @property
    def names(self) -> list[str]:
        """The names of the items."""
        return [item.name for item in self.items]

    @property
    def categorical(self) -> list[int]:
        """The positions of the items that are categories."""
        return [k for k, item in enumerate(self.items) if item.kind == "category"]

    def category_names(self, k: int) -> list[str]:
        """Return the categories of an item that are known by now, in the order of their codes."""
        item = self.items[k]
        if item.part:
            return list(CYCLES[item.part])
        return InputColumns(self._stream).categories(item.inputs[0])  # again: there may be more of them

    def rows(self, X: Floats) -> Floats:
        """Return the values of the items, for rows of the stream."""
        if self._is_plain:
            return X
        found = np.empty((len(X), len(self.items)))
        for k, item in enumerate(self.items):
            found[:, k] = X[:, item.inputs[0]] if len(item.inputs) == 1 else weekday(X[:, item.inputs])
        return found


def weekday(circle: Floats) -> Floats:
    """Return the number of the weekday, Monday is 0, from its sine and cosine."""
    return np.rint(np.arctan2(circle[:, 0], circle[:, 1]) / (2 * np.pi) * 7) % 7


class Recoded:
    """Gives the categories of one stream the codes that another has for them; new ones come after those."""

    def __init__(self, known: dict[int, list[str]], names: Callable[[int], list[str]]) -> None:
        self.names = {k: list(values) for k, values in known.items()}
        self._place = {k: {name: code for code, name in enumerate(values)} for k, values in known.items()}
        self._of_stream = names
        self._codes = {k: np.zeros(0) for k in known}

    def rows(self, X: Floats) -> Floats:
        """Return rows with the codes of the other stream."""
        X = X.copy()
        for k in self.names:
            values = X[:, k]
            present = ~np.isnan(values)
            codes = values[present].astype(np.intp)
            if codes.max(initial=-1) >= len(self._codes[k]):
                self._extend(k)
            X[present, k] = self._codes[k][codes]
        return X

    def _extend(self, k: int) -> None:
        place, names, own = self._place[k], self.names[k], self._of_stream(k)
        for name in own[len(self._codes[k]) :]:
            if name not in place:
                place[name] = len(names)
                names.append(name)
        self._codes[k] = np.array([place[name] for name in own], dtype=np.float64)
