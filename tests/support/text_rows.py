"""Models with a column of text, whose rows are sparse, and damaged forms of what they store of such rows."""

import numpy as np

import thalweg
from thalweg.rows.sparse_rows import SparseRows

STACKING = "AdaptiveStacking([LinearLogistic(), NaiveBayes()])"
SPARSE_LEARNERS = ["LinearLogistic", "MultinomialNaiveBayes", STACKING]


def text_record(i):
    """Return a record with a number, a category and a text."""
    return {"price": i % 7 if i % 5 else None, "shop": "abc"[i % 3], "txt": f"word{i % 5} more{i % 3}"}


def text_model(learner="LinearLogistic", n_waiting=0, n_words=4096):
    """Return a model that has learned such records; `n_waiting` more wait, as "r0", "r1", …"""
    rows = [text_record(i) | {"lab": "ab"[i % 2]} for i in range(60)]
    kinds = {"price": "number", "shop": "category", "txt": "text"}
    made = thalweg.Model("lab", learner, columns=kinds, n_words=n_words).learn(rows)
    if n_waiting:
        made.predict([text_record(i) for i in range(n_waiting)], ids=[f"r{i}" for i in range(n_waiting)])
    return made


def lower_each(columns):
    columns[:] = columns[::-1].copy()


def repeat(columns):
    columns[1] = columns[0]


# What may be wrong with the columns and values of one row of 4,098 inputs; both are changed in place.
DAMAGED_ROWS = {
    "a column far beyond": lambda columns, values: columns.__iadd__(10**6),
    "the first column beyond": lambda columns, values: columns.__setitem__(-1, 10**4),
    "negative columns": lambda columns, values: columns.__isub__(10**4),
    "falling columns": lambda columns, values: lower_each(columns),
    "a column twice": lambda columns, values: repeat(columns),
    "an infinite value": lambda columns, values: values.__setitem__(0, np.inf),
}


def as_stored(X, damage):
    """Return starts, columns and values of sparse rows, of which the last row is damaged."""
    starts, columns, values = X.starts.copy(), X.columns.copy(), X.values.copy()
    assert isinstance(X, SparseRows)
    DAMAGED_ROWS[damage](columns[starts[-2] :], values[starts[-2] :])
    return starts, columns, values
