"""Labels that are asked for: which rows, by a budget, and what they tell about all rows."""

import heapq
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thalweg._native.argmax import likeliest
from thalweg._parameters import is_real, wrong
from thalweg._types import Block, Floats, Ints, Numbers
from thalweg.evaluation.arrivals import NEVER, Arrivals
from thalweg.evaluation.formatting import count, percentage, plus_minus
from thalweg.evaluation.sparse_blocks import WaitingSparse
from thalweg.evaluation.steps import Step
from thalweg.trust.asking import Budget, Decisions, predict_and_ask
from thalweg.trust.label_budget import LabelBudget, WeightedSums
from thalweg.trust.prediction_sets import PredictionSets
from thalweg.waiting import WaitingRows

UnderWay: TypeAlias = tuple[int, int, int, tuple[float, float]]
_MOST_AT_ONCE = 256  # rows: more would be checked again after each label


class AskedLabels(NamedTuple):
    """What was asked for in a run.

    `allowed` is what the budget allows in the end, None if it says nothing of it; `closed` is the number of
    rows without a chance, since the budget was used up. `accuracy` and `error` are the accuracy over all rows
    and its standard error, estimated from the rows asked for whose label has come.
    """

    budget: str
    rows: int
    asked: int
    allowed: float | None
    closed: int
    accuracy: float
    error: float

    def to_plain(self) -> dict[str, Any]:
        """Return the same for JSON; None where a number is not defined."""
        return {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in self._asdict().items()
        }

    def part(self, asked: NDArray[np.bool_], chances: Floats) -> "AskedLabels":
        """Return the same for a part of the rows; which of their labels have come is not known any more."""
        counts = len(asked), int(np.count_nonzero(asked)), None, int(np.count_nonzero(chances == 0))
        return AskedLabels(self.budget, *counts, math.nan, math.nan)

    def in_words(self) -> str:
        """Return a sentence about it."""
        limit = "" if self.allowed is None else f" of {math.floor(self.allowed):,} that the budget allows"
        said = f"Labels asked for: {self.asked:,}{limit}, for {percentage(self.asked / max(self.rows, 1))}"
        said += f" of {count(self.rows, 'row')}."
        if math.isnan(self.accuracy):
            return said
        estimate = plus_minus(percentage(self.accuracy), self.error)
        return f"{said} Weighted by their chances, they alone estimate the accuracy as {estimate}."


class Asking:
    """Runs the steps in which labels are asked for, and records what was decided."""

    def __init__(self, budget: Budget, keeps_rows: bool) -> None:
        self.budget = budget
        self.n_done = 0  # rows of the last step
        self.is_asked = False  # for the last of them
        self._n_rows = self._n_asked = self._n_closed = 0
        self.answers: Callable[[Floats], Ints] = likeliest  # to probabilities
        self._sums = WeightedSums()
        self._judged = 0.0, 0.0  # the last row asked for: whether it was answered rightly, and its chance
        self._kept: list[Decisions] | None = [] if keeps_rows else None
        self._lengths: list[int] = []

    def run(self, learner: Any, step: Step, p: Floats) -> int:
        """Predict rows up to one asked for; return how many, and write their probabilities into `p`."""
        n, into = 0, Decisions(len(step.X))
        at_once = np.ones(len(step.X), dtype=bool) if step.at_once is None else step.at_once
        try:
            n = predict_and_ask(learner, self.budget, step.X, p, at_once, step.ids, into)
        except BaseException as error:
            n = getattr(error, "rows_learned", 0)
            raise
        finally:
            if isinstance(learner, PredictionSets):  # no label was learned in between
                learner.record_sets_of(p[:n, : len(learner.classes_)])
            self._add(into, p, step.codes, n)
        return n

    def _add(self, made: Decisions, p: Floats, codes: Ints | None, n: int) -> None:
        self.n_done, self.is_asked = n, n > 0 and bool(made.asked[n - 1])
        self._n_rows += n
        self._n_asked += self.is_asked
        self._n_closed += n - int(np.count_nonzero(made.chances[:n]))
        if self._kept is not None:
            self._kept.append(made)
            self._lengths.append(n)
        if self.is_asked and codes is not None:
            is_right = self.answers(p[n - 1 : n])[0] == codes[n - 1]
            self._judged = float(is_right), float(made.chances[n - 1])

    @property
    def judged(self) -> tuple[float, float]:
        """Whether the answer to the last row asked for was right, 1 or 0, and the chance of asking for it."""
        return self._judged

    def add_label(self, judged: tuple[float, float]) -> None:
        """Count a row that was asked for and whose label has come."""
        is_right, chance = judged
        if chance > 0:
            self._sums.add(is_right, chance)

    def fields(self) -> dict[str, Any]:
        """Return the fields of a Run about what was asked for."""
        share, advance = getattr(self.budget, "share", None), getattr(self.budget, "advance", None)
        allowed = None if share is None or advance is None else share * (self._n_rows + advance)
        counts = self._n_rows, self._n_asked, allowed, self._n_closed
        in_all = AskedLabels(repr(self.budget), *counts, *self._sums.estimate())
        found: dict[str, Any] = {"asked_labels": in_all}
        if self._kept is not None:
            parts = list(zip(self._kept, self._lengths, strict=True))
            asked: list[NDArray[Any]] = [each.asked[:n] for each, n in parts]
            found["asked"] = np.concatenate([np.zeros(0, dtype=bool), *asked])
            found["chances"] = np.concatenate([np.zeros(0), *(each.chances[:n] for each, n in parts)])
        return found


def as_budget(given: Any, seed: int, resume: bool) -> Budget:
    """Return a budget, reset unless `resume`, or the LabelBudget of a share."""
    if is_real(given):
        return LabelBudget(given, random_state=seed).reset()
    if isinstance(given, type) or not hasattr(given, "ask_one"):
        raise wrong("prequential", "label_budget", "a share of rows, a LabelBudget or None", given)
    if not resume and hasattr(given, "reset"):
        given.reset()
    return given


def steps_as_labels_are_asked(
    blocks: Iterable[Block],
    arrivals: Arrivals,
    asking: Asking,
    observes: bool,
    total: int | None,
    waiting: WaitingRows | WaitingSparse,
) -> Iterator[Step]:
    """Yield the steps of test-then-train for labels that are asked for, and come when `arrivals` says.

    A step tests rows up to one that is asked for, or one after which a label comes; the next learns. Rows
    are kept in `waiting` until their labels come.
    """
    start = 0
    # (row after which a label comes, its own row, its code, how its answer was judged)
    under_way: list[UnderWay] = []
    for X, codes in blocks:
        rows = np.arange(start, start + len(X), dtype=np.int64)
        comes = np.where(codes >= 0, arrivals.of(start, len(X)), NEVER)
        if total is not None:
            comes[comes >= total] = NEVER
        at_once, place = comes == rows, 0
        while place < len(X):
            stop = min(len(X), place + _MOST_AT_ONCE)
            if under_way:
                stop = min(stop, under_way[0][0] + 1 - start)
            part = slice(place, stop)
            ids = rows[part] if observes else None
            yield Step(X[part], codes[part], tested=True, ids=ids, at_once=at_once[part], asking=asking)
            place += asking.n_done
            i = place - 1
            if asking.is_asked and rows[i] < comes[i] < NEVER:
                waiting.add(X[i : i + 1], ids=rows[i : i + 1], now=rows[i : i + 1])
                label = int(comes[i]), int(rows[i]), int(codes[i]), asking.judged
                heapq.heappush(under_way, label)
            is_asked, judged = asking.is_asked, asking.judged
            yield from _due(under_way, int(rows[i]), observes, waiting, asking)
            if is_asked and at_once[i]:
                asking.add_label(judged)
                ids = -1 - rows[i : i + 1] if observes else None
                yield Step(X[i : i + 1], codes[i : i + 1], learned=True, ids=ids)
        start += len(X)


def _due(
    under_way: list[UnderWay], row: int, observes: bool, waiting: WaitingRows | WaitingSparse, asking: Asking
) -> Iterator[Step]:
    """Yield the step that learns the labels which come after a row, if there are any."""
    due = []
    while under_way and under_way[0][0] == row:
        due.append(heapq.heappop(under_way)[1:])
    if due:
        for *_, judged in due:
            asking.add_label(judged)
        ids: Numbers = np.array([each for each, *_ in due], dtype=np.int64)
        codes = np.array([code for _, code, _ in due])
        X: Any = waiting.resolve(ids).X
        yield Step(X, codes, learned=True, ids=ids if observes else None)
