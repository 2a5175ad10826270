"""Inputs in terms of the columns they come from: which column, which part of a date, which category."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from thalweg.streams.base import Stream
from thalweg.streams.columns.date_parts import CYCLES, PART_WORDS, part_inputs

MINUTES = 1440


class Group(NamedTuple):
    """Inputs that belong together: those of a column, or of one part of a date."""

    name: str
    inputs: tuple[int, ...]


class Origin(NamedTuple):
    """Where an input comes from: the column as a schema describes it, the part, and its name within both."""

    column: dict[str, Any]
    part: str
    within: str


def columns_of(learner: Any) -> "InputColumns | None":
    """Return the inputs of a learner that got dict rows with text, whose values it knows; None for others."""
    from thalweg.learners.base.stream_classifier import StreamClassifier  # it takes scikit-learn

    schema = learner.text_schema() if isinstance(learner, StreamClassifier) else None
    return None if schema is None else InputColumns(schema)


class InputColumns:
    """The columns of a stream, and which of its inputs each of them became.

    A date becomes several inputs, a text hundreds, and a category is a code: this says which inputs belong
    together, and what an input, a code or a threshold is called in terms of the file.

    Parameters
    ----------
    source : Stream or dict
        A stream, or what its `schema()` returned.

    Attributes
    ----------
    names : list of str
        The names of the inputs.
    columns : list of Group
        Each column with the positions of its inputs.
    parts : dict of list of Group
        The parts of each column of dates that has more than one.
    words : dict of list of Group
        For each column of text the inputs whose most frequent words are known.

    Examples
    --------
    >>> from thalweg.evaluation import InputColumns
    >>> columns = InputColumns({"columns": [
    ...     {"name": "sensor", "kind": "category", "values": ["s0", "s1"]},
    ...     {"name": "ordered", "kind": "date", "parts": ["weekday", "month"], "origin": 0.0},
    ... ]})
    >>> columns.condition("sensor", "=", 1)
    'sensor = s1'
    >>> columns.condition("ordered.weekday_sin", "≤", -0.4)
    'ordered: weekday is Fri, Sat or Sun'
    """

    def __init__(self, source: Stream | dict[str, Any]) -> None:
        schema = source.schema() if isinstance(source, Stream) else source
        self.names: list[str] = []
        self.columns: list[Group] = []
        self.parts: dict[str, list[Group]] = {}
        self.words: dict[str, list[Group]] = {}
        self._origins: list[Origin] = []
        for column in schema["columns"]:
            self._add(column)
        self._place = {name: j for j, name in enumerate(self.names)}

    def _add(self, column: dict[str, Any]) -> None:
        start, name = len(self.names), str(column["name"])
        parts: list[Group] = []
        if column["kind"] == "date":
            for part in column["parts"]:
                within = part_inputs(part)
                places = range(len(self.names), len(self.names) + len(within))
                parts.append(Group(f"{name}: {PART_WORDS[part]}", tuple(places)))
                self.names += [f"{name}.{each}" for each in within]
                self._origins += [Origin(column, part, each) for each in within]
        elif column["kind"] == "text":
            words = [f"word{j}" for j in range(column["n_words"])]
            self.names += [f"{name}.{each}" for each in words]
            self._origins += [Origin(column, "", each) for each in words]
            known = column.get("words", ())
            self.words[name] = [Group(f"{name}: {word}", (start + place,)) for place, word in known]
        else:
            self.names.append(name)
            self._origins.append(Origin(column, "", ""))
        self.columns.append(Group(name, tuple(range(start, len(self.names)))))
        if len(parts) > 1:
            self.parts[name] = parts

    def position(self, name: str) -> int | None:
        """Return the position of the input of this name; None if there is none."""
        return self._place.get(name)

    def origin(self, position: int) -> Origin:
        """Return where an input comes from."""
        return self._origins[position]

    def categories(self, position: int) -> list[str]:
        """Return the categories of an input in the order of their codes; none if it is a number."""
        column = self._origins[position].column
        if column["kind"] == "flag":
            return ["0", "1"]
        return [str(value) for value in column.get("values", ())]

    def is_spare(self, name: str, code: int) -> bool:
        """Return whether an input has categories, but none with this code."""
        position = self._place.get(name)
        return position is not None and code >= len(self.categories(position)) > 0

    def unit(self, name: str) -> str:
        """Return what an input says in terms of the file: a column, or a part of a date."""
        position = self._place.get(name)
        if position is None:
            return name
        column, part, within = self._origins[position]
        if column["kind"] == "text":
            return str(column["name"])
        if not part or (len(column["parts"]) == 1 and within != "hour"):
            return str(column["name"])
        return f"{column['name']}: {'hour' if within == 'hour' else PART_WORDS[part]}"

    def condition(self, name: str, sign: str, value: float) -> str:
        """Return what `sign` (=, ≠, ≤ or >) and a number say of an input, in terms of the file."""
        position = self._place.get(name)
        if position is None:
            return f"{name} {sign} {value:.5g}"
        categories = self.categories(position)
        if sign in "=≠" and categories:
            return f"{name} {sign} {categories[int(value)] if value < len(categories) else int(value)}"
        column, part, within = self._origins[position]
        if column["kind"] == "text":
            known = {group.inputs[0]: group.name for group in self.words[str(column["name"])]}
            place = f"{column['name']}: words in place {within.removeprefix('word')}"
            return f"{known.get(position, place)} {sign} {value:.5g}"
        if part == "elapsed":
            return f"{column['name']} {sign} {_moment(column['origin'], value)}"
        if within == "hour":
            return f"{column['name']}: {PART_WORDS[part]} {sign} {_clock(60 * value)}"
        if part:
            return f"{column['name']}: {PART_WORDS[part]} is {_chosen(part, within, sign, value)}"
        return f"{name} {sign} {value:.5g}"


def _moment(origin: float, days: float) -> str:
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=origin, days=days)
    except OverflowError:
        return f"{days:.5g} days after the first"
    return f"{moment:%Y-%m-%d %H:%M}"


def _clock(minutes: float) -> str:
    hours, rest = divmod(round(minutes), 60)
    return f"{hours:02d}:{rest:02d}"


def _chosen(part: str, within: str, sign: str, value: float) -> str:
    """Return the values of a cycle whose sine or cosine is at most, or above, `value`."""
    names = CYCLES.get(part)
    turn = np.arange(MINUTES if names is None else len(names)) / (MINUTES if names is None else len(names))
    circle = (np.sin if within.endswith("sin") else np.cos)(2 * np.pi * turn)
    chosen = circle <= value if sign == "≤" else circle > value
    if names is not None:
        return _listed([name for name, wanted in zip(names, chosen, strict=True) if wanted])
    edges = np.flatnonzero(np.diff(chosen.astype(int), prepend=0, append=0)).tolist()
    spans = [f"{_clock(start)} to {_clock(stop)}" for start, stop in list(pairwise(edges))[::2]]
    return _listed(spans)


def _listed(words: list[str]) -> str:
    if len(words) < 2:
        return words[0] if words else "none"
    return f"{', '.join(words[:-1])} or {words[-1]}"
