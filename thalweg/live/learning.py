"""What the learner makes of the rows of a block: it predicts some and learns others, in their order."""

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Floats, Ints, Mask
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.live.events import PREDICT

if TYPE_CHECKING:
    from thalweg.live.engine import Engine


class Found(NamedTuple):
    """What the rows of a block were answered: an entry for each row that was predicted or learned.

    Entries of rows that were learned without a prediction are undefined.
    """

    p: Floats
    answers: Ints
    asks: Mask
    sets: Mask | None
    n_classes: Ints


class Rows(NamedTuple):
    """The rows of the events of a block: inputs, and for each its kind, code, number and place.

    Codes of rows that are only predicted are 0. Numbers are None unless the learner observes. The place of a
    row is that of its answer, counted among the rows that came with this block; others have none.
    """

    X: Any
    kinds: NDArray[np.uint8]
    codes: Ints
    numbers: NDArray[np.int64] | None
    places: Ints

    def part(self, part: slice) -> "Rows":
        """Return some of them."""
        numbers = None if self.numbers is None else self.numbers[part]
        return Rows(self.X[part], self.kinds[part], self.codes[part], numbers, self.places[part])


def run(engine: "Engine", rows: Rows, kinds: set[int], n: int) -> Found:
    """Predict and learn rows of these kinds; return what was answered, an entry for each of `n` places."""
    n_after = len(engine.model._coding.labels)
    found = Found(
        np.zeros((n, n_after)), np.full(n, -1, dtype=np.intp), np.zeros(n, dtype=bool),
        np.zeros((n, n_after), dtype=bool) if engine.has_sets else None, np.zeros(n, dtype=np.int32),
    )
    if not kinds:
        return found
    if len(kinds) == 1:
        _run_part(engine, rows, PREDICT in kinds, found)
    elif _is_one_call(engine.learner):
        _in_one_call(engine, rows, found)
    else:
        for part, is_predicted in _runs(rows.kinds == PREDICT):
            _run_part(engine, rows.part(part), is_predicted, found)
    return found


def _run_part(engine: "Engine", rows: Rows, is_predicted: bool, found: Found) -> None:
    if is_predicted:
        _predict_run(engine, rows, found)
    else:
        engine.learner.test_then_train_coded(
            rows.X, rows.codes, tested=np.zeros(len(rows.codes), dtype=bool), classes=engine.new_classes(),
            ids=rows.numbers,
        )  # fmt: skip


def _is_one_call(learner: StreamClassifier) -> bool:
    """Return whether one call of the learner can predict some rows and learn others."""
    plain = type(learner)._answers is StreamClassifier._answers
    return plain and not learner.observes and bool(len(learner.classes_))


def _in_one_call(engine: "Engine", rows: Rows, found: Found) -> None:
    predicted = rows.kinds == PREDICT
    before = len(engine.learner.classes_)
    known = np.maximum.accumulate(np.concatenate([[before], rows.codes + 1]))[:-1]
    p = engine.learner.test_then_train_coded(
        rows.X, rows.codes, sample_weight=(~predicted).astype(np.float64), tested=predicted,
        classes=engine.new_classes(),
    )  # fmt: skip
    places = rows.places[predicted]
    found.p[places, : p.shape[1]] = p[predicted]
    found.n_classes[places] = known[predicted]
    found.answers[places] = engine.learner._answers(p[predicted])
    if engine.budget is not None and len(places):
        found.asks[places] = engine.asks(found.p[places], found.n_classes[places])


def _predict_run(engine: "Engine", rows: Rows, found: Found) -> None:
    learner, places = engine.learner, rows.places
    if learner.observes:
        p = learner.predict_then_observe(rows.X, ids=rows.numbers)
    else:
        p = learner.predict_proba_block(rows.X)
    k = p.shape[1]
    found.p[places, :k], found.n_classes[places] = p, k
    if k:
        found.answers[places] = learner._answers(p)
        if found.sets is not None:
            found.sets[places, :k] = engine.sets_of(p)
    if engine.budget is not None:
        found.asks[places] = engine.asks(p, found.n_classes[places])


def _runs(mask: Mask) -> Iterator[tuple[slice, bool]]:
    """Yield the parts of a mask within which it does not change."""
    inner = np.flatnonzero(mask[1:] != mask[:-1]) + 1
    for start, stop in pairwise([0, *inner.tolist(), len(mask)]):
        if stop > start:
            yield slice(start, stop), bool(mask[start])
