"""What a learner shows of itself: weights or forgetting over time, and parameters chosen by itself."""

from collections import deque
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thalweg._bounded_record import BoundedRecord
from thalweg._types import Floats, Ints
from thalweg.learners.ensembles.base import Ensemble
from thalweg.trust.calibrated import Calibrated
from thalweg.trust.prediction_sets import PredictionSets

MOST_RECORDED, MOST_MEMBERS, MOST_CHANGES = 128, 100, 1000
ATTRIBUTES = {
    "shares_": "share in the answer",
    "decay_": "forgetting",
    "weights_": "weight",
}


class Named(NamedTuple):
    """Numbers by name; `parts` are the names of the parts of some of them, which are numbers here too."""

    names: list[str]
    values: Floats
    parts: dict[str, list[str]] = {}

    def largest(self, most: int) -> "Named":
        """Return the `most` largest numbers, in the same order."""
        kept = np.sort(np.argsort(-np.abs(self.values), kind="stable")[:most])
        return Named([self.names[j] for j in kept], self.values[kept], self.parts)


@dataclass
class History:
    """Numbers of a learner over time: `values` has a line for each of `rows` and a column for each name.

    Some names may be parts of others, such as the weekday of a date: `parts` has them by the name of the
    whole.
    """

    title: str
    rows: Ints
    _: KW_ONLY
    values: Floats
    names: list[str] = field(default_factory=list)
    parts: dict[str, list[str]] = field(default_factory=dict)

    def wholes(self) -> "History":
        """Return the history without the parts of others."""
        parts = {name for names in self.parts.values() for name in names}
        return self._only([m for m, name in enumerate(self.names) if name not in parts])

    def most_important(self, most: int) -> "History":
        """Return the `most` columns that are largest on average; missing values count as 0."""
        size = np.nan_to_num(np.abs(self.values)).mean(axis=0)
        return self._only(np.sort(np.argsort(-size, kind="stable")[:most]).tolist())

    def between(self, start: int, stop: int) -> "History | None":
        """Return what was noted after the row `start`, up to `stop`; None if that is nothing."""
        inside = (self.rows > start) & (self.rows <= stop)
        return replace(self, rows=self.rows[inside], values=self.values[inside]) if inside.any() else None

    def _only(self, kept: list[int]) -> "History":
        names = [self.names[m] for m in kept]
        parts = {name: below for name, below in self.parts.items() if name in names}
        return History(self.title, self.rows, values=self.values[:, kept], names=names, parts=parts)

    def latest(self, n: int = 5) -> dict[str, float]:
        """Return by name the mean of the latest `n` values, largest first; missing values are left out."""
        found = {}
        for name, column in zip(self.names, self.values[-n:].T, strict=True):
            known = column[~np.isnan(column)]
            if len(known):
                found[name] = float(known.mean())
        return dict(sorted(found.items(), key=lambda pair: -abs(pair[1])))


class HistoryRecorder:
    """Reads a learner during a run: an attribute over time, and where it found changes.

    At most 128 values are kept, evenly spread over the run, and the latest 1000 changes. A learner numbers
    the rows that it has learned, whenever and from whatever source; here they are rows of the run's source.
    """

    def __init__(self, learner: Any) -> None:
        self._outer, inner = learner, inner_of(learner)
        named = () if isinstance(inner, Ensemble) else ATTRIBUTES
        self._name = next((name for name in named if hasattr(type(inner), name)), None)
        self._record = BoundedRecord[Floats](MOST_RECORDED)
        self._n_changes = _n_changes(inner)
        self._changes: deque[int] = deque(maxlen=MOST_CHANGES)
        self._noted = inner._noted_rows if isinstance(inner, Ensemble) else np.empty(0, dtype=np.int64)
        self._noted_at: dict[int, int] = {}  # what an Ensemble noted in this run, and at which row

    def add(self, row: int, learned: Callable[[], Ints]) -> None:
        """Record what is due at this row; `learned` returns where rows of the last step were learned."""
        inner = inner_of(self._outer)
        if self._name is not None and self._record.is_due(row):
            value = np.ravel(getattr(inner, self._name))[:MOST_MEMBERS]
            self._record.add(row, np.array(value, dtype=np.float64))
        if isinstance(inner, Ensemble):
            noted = inner._noted_rows
            new = noted[noted > self._noted[-1]] if len(self._noted) else noted
            rows = _source_rows(inner, new - 1, learned) + 1
            now = dict(zip(new.tolist(), rows.tolist(), strict=True))
            self._noted = noted
            self._noted_at = {n: each for n, each in (self._noted_at | now).items() if n in noted}
        elif (n := _n_changes(inner)) > self._n_changes:
            new = np.asarray(inner.drifts_)[self._n_changes - n :]
            self._changes.extend(_source_rows(inner, new, learned).tolist())
            self._n_changes = n

    def alarms(self) -> NDArray[np.int64]:
        """Return the rows at which the learner found a change."""
        return np.array(self._changes, dtype=np.int64)

    def history(self) -> History | None:
        """Return the recorded values, or those the learner itself recorded; None if there are none."""
        learner = inner_of(self._outer)
        if self._name is not None:
            rows = np.array(self._record.rows, dtype=np.int64)
            found = History(ATTRIBUTES[self._name], rows, values=_joined(self._record.values))
        elif isinstance(learner, Ensemble):
            kept, noted = learner.history_, learner.noted
            of_run = [n in self._noted_at for n in kept["row"].tolist()]
            rows = np.array([self._noted_at[n] for n in kept["row"][of_run].tolist()], dtype=np.int64)
            found = History(noted, rows, values=np.asarray(kept[noted])[of_run, :MOST_MEMBERS])
        else:
            return None
        found.names = member_names(learner, found.values.shape[1])
        has_values = found.values.size and not np.isnan(found.values).all()
        return found if has_values and np.nanmin(found.values) < np.nanmax(found.values) else None


def _n_changes(learner: Any) -> int:
    """Return how many changes a learner has found so far."""
    return int(getattr(learner, "n_drifts_", len(getattr(learner, "drifts_", ()))))


def _source_rows(learner: Any, numbers: Ints, learned: Callable[[], Ints]) -> Ints:
    """Return the source's rows at which the learned rows of these numbers were learned, all of them just now.

    A learner counts rows from its beginning, whatever they were read from.
    """
    if not len(numbers):
        return np.empty(0, dtype=np.int64)
    rows = learned()
    first = learner._rows_learned - len(rows) if hasattr(learner, "_rows_learned") else int(numbers[-1])
    return rows[np.clip(numbers - first, 0, len(rows) - 1)]


def inner_of(learner: Any) -> Any:
    """Return the learner that prediction sets or a calibration are around, else the learner itself."""
    return learner.learner_ if isinstance(learner, PredictionSets | Calibrated) else learner


def resolved_parameters(learner: Any, parameters: dict[str, Any]) -> dict[str, str]:
    """Return as text the values that the learner chose for parameters that are None, where it shows them."""
    chosen = {}
    for name in (name for name, value in parameters.items() if value is None):
        value = _kinds(learner) if name in ("member", "members") else getattr(learner, f"{name}_", None)
        if isinstance(value, float):
            chosen[name] = f"{value:g}"
        elif isinstance(value, int | str):
            chosen[name] = str(value)
    return chosen


def _kinds(learner: Any) -> str | None:
    return ", ".join(dict.fromkeys(_member_names(learner))) or None


def member_names(learner: Any, n: int) -> list[str]:
    """Return the members' names if they differ, numbered where there are several of one, else numbers."""
    names = _member_names(learner)[:n]
    if len(names) != n or len(set(names)) == 1:
        return [f"member {m + 1}" for m in range(n)] if n > 1 else [""]
    return numbered(names)


def numbered(names: list[str]) -> list[str]:
    """Return names, each that is there several times with a number."""
    return [f"{name} {names[:i].count(name) + 1}" if names.count(name) > 1 else name
            for i, name in enumerate(names)]


def _member_names(learner: Any) -> list[str]:
    """Return the names that the learner gives its members, else their kinds."""
    given = getattr(learner, "member_names_", None)
    if given is not None:
        return [str(name) for name in given]
    return [type(member).__name__ for member in getattr(learner, "members_", ())]


def _joined(values: list[Floats]) -> Floats:
    """Return the values as one array, with NaN where there was no such member."""
    joined = np.full((len(values), max(map(len, values), default=0)), np.nan)
    for line, value in zip(joined, values, strict=True):
        line[: len(value)] = value
    return joined
