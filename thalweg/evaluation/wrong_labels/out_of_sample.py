"""Probabilities of each row's label from models that have not seen it."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from thalweg._types import Floats, Ints
from thalweg.learners.batch_trees._native.grow import BatchTree
from thalweg.learners.batch_trees._native.sorted_rows import SortedRows

N_DRAWS = 5  # trees on the same inputs
LEAST_SUBSETS, MOST_SUBSETS, ROWS_OF_SUBSETS = 20, 100, 500_000
GINI = 0


def read_both_ways(
    learner: Any, X: Floats, codes: Ints, classes: Sequence[Any], n_categories: Ints
) -> Iterator[tuple[str, Floats]]:
    """Yield ("forwards", p) and ("backwards", p): the probabilities before each row is learned.

    A learner that has read up to a row from either side knows how things were just before and after it.
    """
    for direction, step in (("forwards", 1), ("backwards", -1)):
        reader = clone(learner).begin(X.shape[1], classes, n_categories=n_categories)
        rows, labels = np.ascontiguousarray(X[::step]), np.ascontiguousarray(codes[::step])
        yield direction, reader.test_then_train_coded(rows, labels)[::step]


def forest_of_others(X: Floats, codes: Ints, n_classes: int, n_categories: Ints, seed: int) -> Floats:
    """Return the probabilities from the trees of a forest that were grown without the row.

    Each of 100 to 500 trees, the fewer rows the more, has two thirds of the inputs and rows drawn with
    repetition; 37 % of the trees lack a given row. The row's position is an input too, so that a tree can
    tell early rows from late ones. Knows more than a learner that reads in order where little changes and
    rows are few.
    """
    rng = np.random.default_rng(seed)
    X = np.column_stack([X, np.arange(len(X))])
    n_categories = np.append(n_categories, 0)
    n, d = X.shape
    p, n_trees = np.full((n, n_classes), 1 / n_classes), np.ones((n, 1))
    for _ in range(min(max(ROWS_OF_SUBSETS // n, LEAST_SUBSETS), MOST_SUBSETS)):
        columns = np.sort(rng.choice(d, (2 * d + 2) // 3, replace=False))
        part = np.ascontiguousarray(X[:, columns])
        sorted_rows = SortedRows(n, len(columns), n_classes)
        sorted_rows.load(part)
        for _ in range(N_DRAWS):
            times = np.asarray(rng.poisson(1.0, n), dtype=float)
            tree = BatchTree(len(columns), n_classes, n_categories[columns], n, GINI, 0.0)
            tree.grow(sorted_rows, codes, times)
            others = np.flatnonzero(times == 0)
            answer = np.empty((len(others), n_classes))
            tree.predict(np.ascontiguousarray(part[others]), answer)
            p[others] += answer
            n_trees[others] += 1
    return p / n_trees
