"""Predicting rows one after another up to one whose label is asked for, at the speed of blocks."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Floats, Mask, Numbers
from thalweg.errors import set_rows_learned
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.trust.label_budget import LabelBudget


class Budget(Protocol):
    """A way to choose the rows to ask a label for."""

    def ask_one(self, p: Any) -> tuple[bool, float]:
        """Decide for one row by its probabilities; return also the chance with which it is asked for."""


class Decisions:
    """What was decided for rows: whether their labels are asked for, and with which chance."""

    def __init__(self, n_rows: int) -> None:
        self._asked = np.zeros(n_rows, dtype=np.uint8)
        self.chances = np.zeros(n_rows)

    @property
    def asked(self) -> Mask:
        """Whether the label of each row is asked for."""
        return self._asked.view(np.bool_)


def predict_and_ask(
    learner: Any, budget: Budget, X: Any, p: Floats, at_once: Mask, ids: Numbers | None, into: Decisions
) -> int:
    """Predict rows and decide for each, up to the first that is asked for; return how many that are.

    Writes the probabilities into `p`. If the learner observes, it sees each row right after its prediction,
    but for one that is asked for and whose label comes `at_once`. If it raises, the exception's
    `rows_learned` says how many rows were decided for.
    """
    is_ours = isinstance(learner, StreamClassifier)
    if is_ours and isinstance(budget, LabelBudget) and isinstance(X, np.ndarray) and X.dtype != object:
        return _in_a_block(learner, budget, X, p, at_once, ids, into)
    return _row_by_row(learner, budget, X, p, at_once, ids, into)


def _in_a_block(
    learner: StreamClassifier, budget: LabelBudget, X: Floats, p: Floats, at_once: Mask,
    ids: Numbers | None, into: Decisions,
) -> int:
    n, n_classes = 0, len(learner.classes_)
    with learner._writing, budget._own_lock().write:
        observes = learner.observes
        waiting = learner._index() if observes and ids is not None else None
        rows, has_missing = learner._checked(X)
        answers = np.empty((len(rows), learner._n_columns))
        try:
            n = budget._handle().predict_and_ask(
                learner._handle(), learner._filled(rows, has_missing), answers, n_classes,
                np.ascontiguousarray(at_once).view(np.uint8), observes, waiting, ids, into._asked,
                into.chances,
            )
        except BaseException as error:
            n = getattr(error, "rows_learned", 0)
            raise
        finally:
            p[:n, :n_classes], p[:n, n_classes:] = answers[:n, :n_classes], 0.0
    return n


def _row_by_row(
    learner: Any, budget: Budget, X: Any, p: Floats, at_once: Mask, ids: Numbers | None, into: Decisions
) -> int:
    observes = not isinstance(learner, StreamClassifier) or learner.observes
    for i in range(len(X)):
        row = X[i : i + 1]
        try:
            answer = learner.predict_proba_block(row)[0]
            p[i, : len(answer)], p[i, len(answer) :] = answer, 0.0
            is_asked, into.chances[i] = budget.ask_one(answer)
            into.asked[i] = is_asked
            if observes and not (is_asked and at_once[i]):
                _observe(learner, row, None if ids is None else ids[i : i + 1])
        except BaseException as error:
            set_rows_learned(error, i)
            raise
        if is_asked:
            return i + 1
    return len(X)


def _observe(learner: Any, row: Any, ids: NDArray[Any] | None) -> None:
    if isinstance(learner, StreamClassifier):
        learner.observe(row, ids)
    else:
        learner.observe(row)
