"""Checks at several shapes of rows: a learner that is saved and loaded continues as if it never had been.

A learner that cannot handle a shape may refuse it with a ValueError that begins with its name; the check then
returns the message as `Refused`. A learner of this library that refuses a shape is listed in
`tests/learners/test_contract.py` with the reason.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import clone

from thalweg._types import Block, Floats, Ints
from thalweg.checks.rows import assert_proper, reloaded
from thalweg.checks.running import assert_same
from thalweg.learners.base.stream_classifier import StreamClassifier

FEW, MANY = 3, 130  # inputs
N_ROWS = {FEW: 120, MANY: 36}
LATE = 10  # rows before the first of the classes or names that come later


class Refused(str):
    """The message of the error by which a learner refused a shape of rows."""


class Shape(NamedTuple):
    """Numbers of inputs and of classes; every other input has `n_values` categories, if not 0."""

    n_features: int
    n_classes: int
    n_values: int = 0
    is_missing: float = 0.0  # share of values

    @property
    def n_categories(self) -> Ints:
        """Number of categories of each input."""
        return np.where(np.arange(self.n_features) % 2 == 0, self.n_values, 0)

    def rows(self) -> Block:
        """Return rows whose labels depend on the first two inputs."""
        rng = np.random.default_rng(11)
        n = N_ROWS[self.n_features]
        X = rng.normal(size=(n, self.n_features))
        for j in np.flatnonzero(self.n_categories):
            X[:, j] = rng.integers(0, self.n_values + 1, n)  # one code more than was announced
        order = np.argsort(X[:, 0] + X[:, 1], kind="stable")
        y = np.empty(n, dtype=np.intp)
        y[order] = np.arange(n) * self.n_classes // n
        X[rng.random(X.shape) < self.is_missing] = np.nan
        return X, y


def few_inputs_carry_on(learner: StreamClassifier) -> Refused | None:
    """3 numbers and 2 classes."""
    return _carries_on(learner, Shape(FEW, 2))


def many_inputs_carry_on(learner: StreamClassifier) -> Refused | None:
    """130 numbers and 2 classes."""
    return _carries_on(learner, Shape(MANY, 2))


def many_classes_carry_on(learner: StreamClassifier) -> Refused | None:
    """3 numbers, some of them missing, and 12 classes."""
    return _carries_on(learner, Shape(FEW, 12, is_missing=0.1))


def many_inputs_and_classes_carry_on(learner: StreamClassifier) -> Refused | None:
    """130 numbers, some of them missing, and 12 classes."""
    return _carries_on(learner, Shape(MANY, 12, is_missing=0.1))


def few_categories_carry_on(learner: StreamClassifier) -> Refused | None:
    """130 inputs, half of them categories of 2 values, some of them missing."""
    return _carries_on(learner, Shape(MANY, 2, 2, is_missing=0.1))


def many_categories_carry_on(learner: StreamClassifier) -> Refused | None:
    """3 inputs, two of them categories of 500 values, some of them missing, and 12 classes."""
    return _carries_on(learner, Shape(FEW, 12, 500, is_missing=0.1))


def sparse_rows_carry_on(learner: StreamClassifier) -> Refused | None:
    """130 numbers, most of them 0, and 12 classes; a learner that takes no sparse rows gets them dense."""
    shape = Shape(MANY, 12)
    X, y = shape.rows()
    X[np.random.default_rng(1).random(X.shape) < 0.9] = 0.0
    sparse = csr_matrix(X)
    if learner.takes_sparse:
        return _carries_on(learner, shape, (sparse, y))
    refused = _refusal(lambda: _begin(clone(learner), shape).test_then_train(sparse, y))
    assert refused is not None, "takes_sparse is False, but sparse rows were accepted"
    return _carries_on(learner, shape, (X, y))


def late_classes_carry_on(learner: StreamClassifier) -> Refused | None:
    """130 numbers and 12 classes, of which ten come later."""
    shape = Shape(MANY, 12)
    X, y = shape.rows()
    y[:LATE] %= 2
    return _carries_on(learner, shape, (X, y), is_open=True)


def named_rows_carry_on(learner: StreamClassifier) -> Refused | None:
    """Dicts of 3 numbers and texts of 500 values, and of 130, with some missing; all classes come later."""
    for shape in (Shape(FEW, 2, 500), Shape(MANY, 2, 500, is_missing=0.1)):
        refused = _named_carry_on(learner, *_named(shape))
        if refused is not None:
            return refused
    return None


def new_names_carry_on(learner: StreamClassifier) -> Refused | None:
    """Dicts of 130 numbers and texts, half of which come later."""
    rows, y = _named(Shape(MANY, 2, 500))
    for i in range(LATE):
        rows[i] = {name: value for name, value in rows[i].items() if int(name[1:]) < MANY // 2}
    return _named_carry_on(learner, rows, y)


def a_text_alone_carries_on(learner: StreamClassifier) -> Refused | None:
    """Dicts whose first rows have one text and nothing else, and one label for long; others come later."""
    X, y = Shape(FEW, 2).rows()
    rows: list[dict[str, Any]] = [{"shop": "abc"[i % 3]} for i in range(len(y))]
    y[: 2 * LATE] = 1
    one = clone(learner)
    refused = _refusal(lambda: one.learn_one(rows[0], "first"))
    if refused is None:
        assert_same(reloaded(one).state(), one.state(), "the state after one row, when loaded")
        refused = _named_carry_on(learner, rows, y)
    for row, x in zip(rows[2 * LATE :], X[2 * LATE :].tolist(), strict=True):
        row |= {"price": x[0], "colour": f"v{x[1]:.0f}"}
    end = 2 * LATE + 1
    refused = refused or _refusal(lambda: _learn(clone(learner), rows[:end], y[:end].tolist()))
    return refused or _named_carry_on(learner, rows, y)


def the_first_rows_begin(learner: StreamClassifier) -> Refused | None:
    """3 numbers and 12 classes without `begin`: rows begin with as many inputs as they have, and no class."""
    shape = Shape(FEW, 12, is_missing=0.1)
    X, y = shape.rows()
    one, many = clone(learner), clone(learner)
    refused = _refusal(lambda: many.test_then_train(X, y))
    if refused is not None:
        return refused
    assert one.predict_one(X[0]) is None, "there is an answer before the first row"
    assert one.predict_proba_one(X[0]).shape == (0,), "there are probabilities before the first row"
    begun = _begin(clone(learner), shape, is_open=True)
    for x, label in zip(X, y, strict=True):
        assert np.array_equal(one.predict_proba_one(x), begun.predict_proba_one(x)), "predictions differ"
        one.learn_one(x, label)
        begun.learn_one(x, label)
    assert_same(one.state(), begun.state(), "begun by one row: state")
    assert_same(many.state(), begun.state(), "begun by a block: state")
    return None


def _carries_on(
    learner: StreamClassifier, shape: Shape, given: tuple[Any, Ints] | None = None, is_open: bool = False
) -> Refused | None:
    X, y = shape.rows() if given is None else given
    whole, part = clone(learner), clone(learner)
    refused = _refusal(lambda: _begin(whole, shape, is_open).test_then_train(X[:1], y[:1]))
    if refused is not None:
        return refused
    expected = _begin(whole, shape, is_open).test_then_train(X, y)
    assert_proper(expected[1:])
    half = len(y) // 2
    p = _begin(part, shape, is_open).test_then_train(X[:half], y[:half])
    _assert_begins(p, expected[:half], "the first half alone")
    loaded = reloaded(part)
    assert_same(loaded.state(), part.state(), "the state when loaded")
    _assert_begins(loaded.test_then_train(X[half:], y[half:]), expected[half:], "the loaded learner")
    assert_same(loaded.state(), whole.state(), "the state of the loaded learner at the end")
    return None


def _begin(learner: StreamClassifier, shape: Shape, is_open: bool = False) -> StreamClassifier:
    classes = None if is_open else range(shape.n_classes)
    counts = shape.n_categories if shape.n_values else None
    return learner.begin(shape.n_features, classes, n_categories=counts)


def _assert_begins(p: Floats, expected: Floats, what: str) -> None:
    # Classes that came later have had no probability.
    n = p.shape[1]
    assert np.array_equal(p, expected[:, :n]) and not expected[:, n:].any(), f"{what} gives other results"


def _named(shape: Shape) -> tuple[list[dict[str, Any]], Ints]:
    X, y = shape.rows()
    is_text = shape.n_categories > 0
    rows: list[dict[str, Any]] = []
    for values in X.tolist():
        cells = enumerate(values)
        rows.append({f"x{j}": f"v{v:.0f}" if is_text[j] else v for j, v in cells if v == v})
    return rows, y


def _named_carry_on(learner: StreamClassifier, rows: list[dict[str, Any]], y: Ints) -> Refused | None:
    labels = [f"c{code}" for code in y.tolist()]
    refused = _refusal(lambda: _learn(clone(learner), rows[: LATE + 1], labels[: LATE + 1]))
    if refused is not None:
        return refused
    whole, half = clone(learner), len(rows) // 2
    _learn(whole, rows[:half], labels[:half])
    loaded = reloaded(whole)
    assert_same(loaded.state(), whole.state(), "the state when loaded")
    same = _learn(loaded, rows[half:], labels[half:]) == _learn(whole, rows[half:], labels[half:])
    assert same, "the loaded learner gives other results"
    assert_same(loaded.state(), whole.state(), "the state of the loaded learner at the end")
    return None


def _learn(learner: StreamClassifier, rows: list[dict[str, Any]], labels: list[str]) -> list[Any]:
    answers = []
    for row, label in zip(rows, labels, strict=True):
        answers.append(learner.predict_proba_one(row))
        learner.learn_one(row, label)
    return answers


def _refusal(call: Callable[[], object]) -> Refused | None:
    try:
        call()
    except ValueError as error:
        who, colon, _ = str(error).partition(": ")
        assert colon and who.isidentifier(), f"an unclear error: {error!r}"
        return Refused(error)
    return None


SHAPE_CHECKS: list[Callable[[Any], Refused | None]] = [
    few_inputs_carry_on,
    many_inputs_carry_on,
    many_classes_carry_on,
    many_inputs_and_classes_carry_on,
    few_categories_carry_on,
    many_categories_carry_on,
    sparse_rows_carry_on,
    late_classes_carry_on,
    named_rows_carry_on,
    new_names_carry_on,
    a_text_alone_carries_on,
    the_first_rows_begin,
]
