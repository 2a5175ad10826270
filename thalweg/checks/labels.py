"""Checks of labels that are rare or in an order: a model is used after it has learned."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from thalweg._types import Floats, Ints
from thalweg.checks.rows import rows
from thalweg.checks.running import assert_same
from thalweg.learners.base.stream_classifier import StreamClassifier

N_LEARNED, MOST_COST = 600, 0.5  # rows, and points of accuracy


def _accuracy(learner: StreamClassifier, X: Floats, y: Ints) -> float:
    p = learner.predict_proba_block(X)
    return 100 * float((learner.classes_[p.argmax(axis=1)] == y).mean())


def a_mistyped_label_changes_no_answer(learner: StreamClassifier) -> None:
    """A label that comes once, after many rows, costs at most half a point on the next rows.

    In blocks, row by row and in copies the learner then continues alike.
    """
    X, y = rows(2 * N_LEARNED)
    part, rest = slice(N_LEARNED), slice(N_LEARNED + 1, None)
    plain = clone(learner).begin(X.shape[1])
    plain.test_then_train(X[part], y[part])
    odd = plain.copy()
    odd.learn_one(X[N_LEARNED], 9)
    cost = _accuracy(plain, X[rest], y[rest]) - _accuracy(odd, X[rest], y[rest])
    assert cost <= MOST_COST, f"one label of its own costs {cost:.1f} points"
    whole = clone(learner).begin(X.shape[1])
    labels = np.concatenate([y[part], [9], y[rest]])
    labels[-1] = 9  # it comes again: its first row is learned now
    whole.test_then_train(X, labels)
    copied = odd.copy()
    for row, label in zip(X[rest], labels[rest].tolist(), strict=True):
        copied.learn_one(row, label)
    assert_same(copied.state(), whole.state(), "row by row after a copy: state")


def a_class_that_never_comes_costs_nothing(learner: StreamClassifier) -> None:
    """A class that is declared and never occurs costs at most half a point."""
    X, y = rows(2 * N_LEARNED)
    part, rest = slice(N_LEARNED), slice(N_LEARNED, None)
    found = []
    for classes in ([0, 1, 2], [0, 1, 2, 9]):
        other = clone(learner).begin(X.shape[1], classes)
        other.test_then_train(X[part], y[part])
        found.append(_accuracy(other, X[rest], y[rest]))
    assert found[0] - found[1] <= MOST_COST, f"a class that never came costs {found[0] - found[1]:.1f} points"


def fit_does_not_look_at_the_order(learner: StreamClassifier) -> None:
    """Fitted on rows sorted by their labels, or whose labels repeat, the learner is right on new ones."""
    X, y = rows(2 * N_LEARNED)
    part, rest = slice(N_LEARNED), slice(N_LEARNED, None)
    for order in (np.argsort(y[part], kind="stable"), _cyclic(y[part])):
        found = _accuracy(clone(learner).fit(X[order], y[order]), X[rest], y[rest])
        assert found > 90, f"fitted on rows in the order of their labels, it is right on {found:.1f} %"


def _cyclic(y: Ints) -> Ints:
    """Return places of rows in an order in which their labels are 0, 1, 2, 0, 1, 2, …"""
    n = np.bincount(y).min()
    return np.stack([np.flatnonzero(y == k)[:n] for k in range(3)], axis=1).ravel()


def frozen_answers_need_no_labels(learner: StreamClassifier) -> None:
    """Frozen after rows whose labels repeat, the learner is right on new ones; learning undoes it."""
    X, y = rows(2 * N_LEARNED)
    order, rest = _cyclic(y[:N_LEARNED]), slice(N_LEARNED, None)
    learner = clone(learner).begin(X.shape[1], [0, 1, 2])
    learner.test_then_train(X[order], y[order])
    frozen = learner.copy().freeze()
    found = _accuracy(frozen, X[rest], y[rest])
    assert found > 90, f"frozen after labels that repeat, it is right on {found:.1f} %"
    for each in (learner, frozen):
        each.learn_one(X[0], int(y[0]))
    assert_same(frozen.state(), learner.state(), "frozen, after a row is learned: state")


def masked_classes_are_never_answered(learner: StreamClassifier) -> None:
    """A masked class has the probability 0 in every answer, and the others sum to 1."""
    X, y = rows(300)
    learner = clone(learner).begin(X.shape[1], [0, 1, 2])
    learner.test_then_train(X, y)
    learner.mask_class(1)
    again = learner.copy()
    answers = [learner.predict_proba_block(X), again.predict_proba_block(X)]
    answers += [np.array([learner.predict_proba_one(row) for row in X]), learner.predict_then_observe(X)]
    answers += [learner.test_then_train(X, y)]
    for p in answers:
        assert (p[:, 1] == 0).all() and np.allclose(p.sum(axis=1), 1.0), "a masked class was answered"
    learner.mask_class(1, masked=False)
    assert learner.masked_classes_ == [], "a class is still masked"


LABEL_CHECKS: list[Callable[[Any], object]] = [
    a_mistyped_label_changes_no_answer,
    a_class_that_never_comes_costs_nothing,
    fit_does_not_look_at_the_order,
    frozen_answers_need_no_labels,
    masked_classes_are_never_answered,
]
