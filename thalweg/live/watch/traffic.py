"""When rows and labels come: throughput, and how long no label has come."""

import math
from typing import Any, Self

import numpy as np

from thalweg._types import Floats, Mask
from thalweg.errors import StateError
from thalweg.live.watch.part import Part

SPANS = {"10 seconds": (10, 61), "hour": (3600, 169)}  # seconds of a part, and how many are kept
DAY, DAYS = 86_400, 14
LATEST = 2.0**50  # seconds: later times, of a damaged log, have no part with a whole number
ROWS, LABELS = 0, 1


class Traffic(Part):
    """Counts of rows predicted and labels learned, by time; and the longest time without a label, by day.

    Times never go back here: an event that is earlier than the one before counts as simultaneous.

    Attributes
    ----------
    time : float
        When the latest event was, in Unix seconds; -1 before the first.
    last_row, last_label : float
        When the latest row and label came; -1 before the first.
    n_since : int
        Rows predicted since the latest label.
    counts : dict of ndarray
        Rows and labels in each of the latest parts; part i is in line i % length.
    silences, days : ndarray
        The longest time without a label, of the latest 14 days on which one ended, and those days.
    """

    def __init__(self) -> None:
        self.time = self.last_row = self.last_label = -1.0
        self.n_since = 0
        self.counts = {name: np.zeros((length, 2), dtype=np.int64) for name, (_, length) in SPANS.items()}
        self.silences = np.zeros(DAYS)
        self.days = np.full(DAYS, -1, dtype=np.int64)

    def restore(self, state: Any) -> Self:
        """Go on from what `state` returned; raise StateError, and change nothing, if it does not fit."""
        made = super(Traffic, Traffic()).restore(state)
        times = np.array([made.time, made.last_row, made.last_label, *made.silences])
        if not ((times >= -1.0) & (times <= LATEST)).all():
            raise StateError("Traffic: a time is none of a clock")
        self.__dict__ = made.__dict__
        return self

    def add(self, times: Floats, are_labels: Mask) -> None:
        """Add events in order: their times, and whether each is a label or a row that was predicted."""
        if not len(times):
            return
        times = np.minimum(times, LATEST)
        before, times = self.time, np.maximum(np.maximum.accumulate(times), self.time)
        self.time = float(times[-1])
        for name, (seconds, length) in SPANS.items():
            parts = (times // seconds).astype(np.int64)
            old = int(before // seconds) if before >= 0 else int(parts[0])
            self._clear(self.counts[name], old, int(parts[-1]))
            kept = parts > parts[-1] - length
            places = 2 * (parts[kept] % length) + are_labels[kept]
            self.counts[name] += np.bincount(places, minlength=2 * length).reshape(length, 2)
        labels, rows = np.flatnonzero(are_labels), np.flatnonzero(~are_labels)
        if len(rows):
            self.last_row = float(times[rows[-1]])
        if len(labels):
            self._add_silences(times[labels])
        self.n_since = self.n_since + len(rows) if not len(labels) else int((rows > labels[-1]).sum())

    def snapshot(self, now: float) -> dict[str, Any]:
        """Return throughput and silence as they are at this time."""
        now = max(now, self.time)
        known = self.silences[self.days >= 0]
        return {
            "last_row": _known(self.last_row), "last_label": _known(self.last_label),
            "rows_since_label": self.n_since,
            "silence": now - self.last_label if self.last_label >= 0 else None,
            "longest_silence": float(known.max()) if len(known) else None,
            "per_second": self._per_second(now),
            "over_time": {name: self._over_time(name, now) for name in SPANS},
        }  # fmt: skip

    def _add_silences(self, times: Floats) -> None:
        first = times[0] if self.last_label < 0 else self.last_label
        gaps = np.diff(times, prepend=first)
        days = (times // DAY).astype(np.int64)
        for day in np.unique(days).tolist():
            longest = float(gaps[days == day].max())
            place = day % DAYS
            self.silences[place] = max(longest, self.silences[place]) if self.days[place] == day else longest
            self.days[place] = day
        self.days[self.days <= days[-1] - DAYS] = -1
        self.last_label = float(times[-1])

    def _clear(self, counts: Any, old: int, new: int) -> None:
        """Empty the lines of the parts after `old` up to `new`."""
        n = min(new - old, len(counts))
        counts[(new - np.arange(n)) % len(counts)] = 0

    def _per_second(self, now: float) -> dict[str, float]:
        """Return rows and labels a second over the last minute, which ends with the last whole part."""
        found = self._over_time("10 seconds", now)
        return {name: sum(found[name][-7:-1]) / 60 for name in ("rows", "labels")}

    def _over_time(self, name: str, now: float) -> dict[str, Any]:
        """Return the counts of the latest parts, the current one last, and when the first of them began."""
        seconds, length = SPANS[name]
        last, current = math.floor(now / seconds), math.floor(self.time / seconds)
        parts = last - length + 1 + np.arange(length)
        there = (parts <= current) & (parts > current - length) & (self.time >= 0)
        counts = np.where(there[:, None], self.counts[name][parts % length], 0)
        rows, labels = counts.T.tolist()
        return {"start": float(parts[0] * seconds), "seconds": seconds, "rows": rows, "labels": labels}


def _known(time: float) -> float | None:
    return time if time >= 0 else None
