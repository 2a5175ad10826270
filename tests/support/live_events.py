"""Rows that a live model predicts, and labels that come late or never, as events for a LiveWatch."""

from typing import NamedTuple

import numpy as np


class Events(NamedTuple):
    """Rows, what was said of them, their labels, when each label comes (in rows; -1: never) and times."""

    X: np.ndarray
    p: np.ndarray
    answers: np.ndarray
    codes: np.ndarray
    comes: np.ndarray
    times: np.ndarray


def late_events(n, n_features=3, n_classes=3, delay=50, share=1.0, seed=0, right=None):
    """Return events whose labels come after `delay` rows on average; the answer is right as often as said."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features))
    p = rng.dirichlet(np.full(n_classes, 0.4), size=n)
    codes = (rng.random((n, 1)) > np.cumsum(p, axis=1)).sum(axis=1).clip(0, n_classes - 1)
    if right is not None:  # share of rows whose label is the answer, for each row
        lucky = rng.random(n) < right
        codes = np.where(lucky, p.argmax(axis=1), (p.argmax(axis=1) + 1) % n_classes)
    comes = np.arange(n) + rng.integers(0, 2 * delay + 1, n)
    comes[rng.random(n) >= share] = -1
    return Events(X, p, p.argmax(axis=1), codes, comes, 1e9 + 0.5 * np.arange(n))


def script(events):
    """Return the events one by one: ("row", i), and ("label", i, rows predicted by then)."""
    due = {}
    for i, at in enumerate(events.comes.tolist()):
        due.setdefault(at, []).append(i)
    found = []
    for i in range(len(events.X)):
        found.append(("row", i, i + 1))
        found += [("label", j, i + 1) for j in due.get(i, ())]
    return found


def feed(watch, events, cuts, learned_at_once=None, looks=()):
    """Give the events to a watch in blocks: `cuts` are positions in the script at which a block ends.

    At those in `looks` someone looks, so that events that were kept back are added to the sums.
    """
    lines = script(events)
    stops = [*sorted({c for c in {*cuts, *looks} if 0 < c < len(lines)}), len(lines)]
    start = 0
    for stop in stops:
        part, at = lines[start:stop], 0
        while at < len(part):
            kind, end = part[at][0], at
            while end < len(part) and part[end][0] == kind:
                end += 1
            give(watch, events, kind, part[at:end], learned_at_once)
            at = end
        if stop in looks:
            watch.snapshot(now=0.0)
        start = stop


def give(watch, events, kind, lines, learned_at_once=None):
    """Give a block of rows, or of labels, to a watch."""
    numbers = np.array([line[1] for line in lines])
    n_rows = np.array([line[2] for line in lines])
    times = events.times[n_rows - 1]
    if kind == "row":
        watch.predicted(times, events.X[numbers], events.p[numbers], events.answers[numbers])
        return
    said, delays = events.answers[numbers], n_rows - 1 - numbers
    X = None
    if learned_at_once is not None:  # some labels come as if with rows that were never predicted
        said, X = np.where(learned_at_once[numbers], -1, said), events.X[numbers]
    watch.learned(times, said, events.codes[numbers], delays, times - events.times[numbers], X)


def feed_blocks(watch, events, size=500):
    """Give the events to a watch in blocks of rows; labels that come meanwhile come after their block."""
    order = np.argsort(events.comes, kind="stable")
    comes = events.comes[order]
    for start in range(0, len(events.X), size):
        stop = min(len(events.X), start + size)
        part, late = slice(start, stop), order[slice(*np.searchsorted(comes, [start, stop]))]
        times, now = events.times[part], events.times[stop - 1]
        watch.predicted(times, events.X[part], events.p[part], events.answers[part])
        waited = now - events.times[late]
        watch.learned(now, events.answers[late], events.codes[late], stop - 1 - late, waited)
