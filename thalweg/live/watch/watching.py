"""What a live model tells its watch about each block of events."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from thalweg._types import Floats, Ints, Mask
from thalweg.live.events import LABEL, PREDICT
from thalweg.live.learning import Found, Rows
from thalweg.live.requests import ALREADY, OTHER_LABEL, UNKNOWN_ID, UNKNOWN_LABEL

if TYPE_CHECKING:
    from thalweg.live.engine import Engine

COUNTED = {
    ALREADY: "already", UNKNOWN_ID: "unknown", OTHER_LABEL: "other_label", UNKNOWN_LABEL: "unknown_label",
}


class Taken(NamedTuple):
    """What was kept of the rows that waited before a block and got their labels in it."""

    answer: Ints
    row: Ints
    time: Floats


def feed(
    engine: "Engine", times: list[float], rows: Rows, found: Found, taken: Taken, before: Ints | None,
    counts: dict[str, int],
) -> None:
    """Tell the watch about a block: first its predictions, then its labels.

    `before` says of each row that came with the block how many were predicted before it; None if none is.
    """
    watch, when = engine.watch, np.array(times)
    if watch is None:
        return
    n, places = len(when), rows.places
    if before is None:
        predicted = np.zeros(n, dtype=bool)
    elif len(before) == n and not len(taken.row) and PREDICT == rows.kinds.min() == rows.kinds.max():
        watch.predicted(when, rows.X, found.p, found.answers)
        n, predicted = 0, np.zeros(0, dtype=bool)
    else:
        predicted = rows.kinds == PREDICT
        at = places[predicted]
        watch.predicted(when[predicted], rows.X[predicted], found.p[at], found.answers[at])
    if n and len(taken.row) == n:
        _feed_labels(engine, when, rows.X, rows.codes, taken, np.ones(n, dtype=bool))
    elif n and before is None and not len(taken.row):  # rows that were learned with their labels
        watch.learned(when, np.full(n, -1), rows.codes, 0, 0.0, rows.X)
    elif n:
        learned, own = ~predicted, np.zeros(len(found.answers))
        own[places[predicted]] = when[predicted]
        row = np.zeros(len(own), dtype=np.intp) if before is None else before
        at = places[learned]
        said = Taken(
            np.concatenate([found.answers, taken.answer[::-1]])[at],
            np.concatenate([row, taken.row[::-1]])[at],
            np.concatenate([own, taken.time[::-1]])[at],
        )
        are_labels = rows.kinds[learned] == LABEL
        _feed_labels(engine, when[learned], rows.X[learned], rows.codes[learned], said, are_labels)
    if counts:
        watch.counted(times[-1] if times else 0.0, **counts)


def _feed_labels(engine: "Engine", now: Floats, X: Any, codes: Ints, said: Taken, are_labels: Mask) -> None:
    """Tell the watch about labels, and rows that were learned with theirs."""
    assert engine.watch is not None
    known = are_labels & (said.answer >= 0) & (said.row >= 0)
    delays = np.where(known, engine.n_predicted - 1 - said.row, 0)
    seconds = np.where(known, np.maximum(now - said.time, 0.0), 0.0)
    inputs = None if known.all() else X
    engine.watch.learned(now, np.where(known, said.answer, -1), codes, delays, seconds, inputs)


def count_statuses(engine: "Engine", time: float, results: Sequence[Any], n_refused: int) -> None:
    """Tell the watch how many rows were refused, and how many came again or were not known."""
    if engine.watch is None:
        return
    counts = {"refused": n_refused} if n_refused else {}
    for result in results:
        for status, name in COUNTED.items():
            n = result.statuses.count(status)
            if n:
                counts[name] = counts.get(name, 0) + n
    if counts:
        engine.watch.counted(time, **counts)
