"""Checks of rows whose labels come late: they are found by their ids as by their values."""

from collections.abc import Callable
from typing import Any

import numpy as np

from thalweg._types import Floats, Ints, Numbers
from thalweg.checks.rows import assert_proper, begun, reloaded, rows
from thalweg.checks.running import assert_same
from thalweg.learners.base.stream_classifier import StreamClassifier


def ids_find_the_rows_that_wait(learner: StreamClassifier) -> None:
    """Rows whose labels come late and out of order may have ids: the result is as without them.

    No two rows are equal. It is the same in blocks and row by row, and if the learner is saved in between.
    """
    X, y = rows(150, with_gaps=True)
    X[:, 0] = np.linspace(-1.0, 1.0, len(X))  # not missing: different in each row
    rng = np.random.default_rng(0)
    comes = np.arange(len(X)) + rng.integers(1, 30, len(X))
    ids = rng.permutation(len(X)) - 50
    by_values, in_blocks, single = begun(learner), begun(learner), begun(learner)
    expected = _follow(by_values, X, y, comes, None)
    assert np.array_equal(_follow(in_blocks, X, y, comes, ids), expected), "with ids the result differs"
    half = len(X) // 2
    first = _follow(single, X, y, comes, ids, stop=half, one_by_one=True)
    single = reloaded(single)
    rest = _follow(single, X, y, comes, ids, start=half, one_by_one=True)
    assert np.array_equal(np.concatenate([first, rest]), expected), "row by row the result differs"
    for other in (by_values, in_blocks, single):
        assert other.n_waiting_ == 0, f"{other.n_waiting_} rows still wait, but all labels have come"
        assert_same(other.state(), by_values.state())
        assert_proper(other.predict_proba(X))


def _follow(
    learner: StreamClassifier,
    X: Floats,
    y: Ints,
    comes: Ints,
    ids: Numbers | None,
    start: int = 0,
    stop: int | None = None,
    one_by_one: bool = False,
) -> Floats:
    """Observe each row from `start` on, then learn those whose labels come; return what was predicted."""
    answers = [np.empty((0, 3))]
    for i in range(start, int(comes.max()) + 1 if stop is None else stop):
        if i < len(X):
            learner.observe(X[i : i + 1], None if ids is None else ids[i : i + 1])
        due = np.flatnonzero(comes == i)[::-1]
        for part in due[:, None] if one_by_one else [due]:
            given = None if ids is None else ids[part]
            answers.append(learner.test_then_train(X[part], y[part], ids=given))
    return np.concatenate(answers)


LATE_CHECKS: list[Callable[[Any], object]] = [ids_find_the_rows_that_wait]
