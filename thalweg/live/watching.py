"""What a live model tells its watch about each block of events."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from thalweg._types import Ints
from thalweg.live.events import LABEL, PREDICT
from thalweg.live.requests import ALREADY, OTHER_LABEL, UNKNOWN_ID
from thalweg.live.waiting import Said

if TYPE_CHECKING:
    from thalweg.live.block import Found
    from thalweg.live.engine import Engine

COUNTED = {ALREADY: "already", UNKNOWN_ID: "unknown", OTHER_LABEL: "other_label"}


def feed(
    engine: "Engine", times: list[float], X: Any, kinds: Any, codes: Ints, sources: Ints, found: "Found",
    taken: Said, rows: Ints, counts: dict[str, int],
) -> None:
    """Tell the watch about a block: first its predictions, then its labels."""
    watch, when = engine.watch, np.array(times)
    if watch is None:
        return
    predicted = kinds == PREDICT
    if predicted.any():
        places = sources[predicted]
        watch.predicted(when[predicted], X[predicted], found.p[places], found.answers[places])
    learned = ~predicted
    if learned.any():
        places, now = sources[learned], when[learned]
        is_label = kinds[learned] == LABEL
        own = np.zeros(len(found.answers))
        own[sources[predicted]] = when[predicted]
        said = np.concatenate([found.answers, taken.fields["answer"][::-1]])[places]
        row = np.concatenate([rows, taken.fields["row"][::-1]])[places]
        came = np.concatenate([own, taken.fields["time"][::-1]])[places]
        was_predicted = is_label & (said >= 0) & (row >= 0)
        delays = np.where(was_predicted, engine.n_predicted - 1 - row, 0)
        seconds = np.where(was_predicted, np.maximum(now - came, 0.0), 0.0)
        inputs = None if was_predicted.all() else X[learned]
        watch.learned(now, np.where(was_predicted, said, -1), codes[learned], delays, seconds, inputs)
    if counts:
        watch.counted(float(when[-1]) if len(when) else 0.0, **counts)


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
