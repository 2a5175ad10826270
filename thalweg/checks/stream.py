"""The checks that every stream must pass."""

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from thalweg._types import Block
from thalweg.checks.running import for_random_cuts, run_checks
from thalweg.streams.base import Stream, first_rows
from thalweg.streams.source import Source, as_stream

ROWS = 700


def check_stream(stream: Source, excused: Collection[str] = ()) -> None:
    """Run all checks on the first rows of `stream`, which must be readable more than once.

    It may be anything that `thalweg.streams.as_stream` takes.

    Raises AssertionError with the name of the check that failed; `excused` are names of checks to skip.
    """
    run_checks(CHECKS, as_stream(stream, who="check_stream"), excused)


def says_what_it_is(stream: Stream) -> None:
    """`n_features`, `classes`, `names`, `n_categories` and `drifts` are consistent with the rows."""
    X, _ = _head(stream)
    d = stream.n_features
    assert X.shape[1] == d == len(stream.names) == len(stream.n_categories), "widths disagree"
    assert len(set(stream.names)) == d, "two inputs have the same name"
    assert len(np.unique(stream.classes)) == len(stream.classes) >= 1, "classes repeat"
    drifts = np.asarray(stream.drifts)
    assert drifts.dtype.kind == "i" and (np.diff(drifts) > 0).all(), "drifts are not increasing row numbers"
    assert (drifts > 0).all(), "a drift is the first row of a new concept, so it is never row 0"
    if stream.n_rows is not None:
        assert len(X) == min(ROWS, stream.n_rows), f"n_rows is {stream.n_rows} but {len(X)} rows came"
        assert (drifts < stream.n_rows).all(), "a drift lies beyond the end"


def rows_are_arrays(stream: Stream) -> None:
    """Rows are C-ordered float64 without infinities, codes are positions in `classes` or -1."""
    for X, codes in first_rows(stream.coded_blocks(100), ROWS):
        assert X.dtype == np.float64 and X.flags.c_contiguous and X.ndim == 2, "X is not rows of float64"
        assert codes.dtype == np.intp and codes.shape == (len(X),), "codes are not one integer a row"
        assert not np.isinf(X).any(), "a value is infinite"
        assert ((codes >= -1) & (codes < len(stream.classes))).all(), "a code is not a position in classes"
        for j in np.flatnonzero(stream.n_categories):
            values = X[~np.isnan(X[:, j]), j]
            assert ((values == np.floor(values)) & (values >= 0)).all(), f"input {j} is not category codes"


def block_size_changes_nothing(stream: Stream) -> None:
    """With blocks of any size it is the same stream, each time it is read."""
    X, codes = _head(stream)

    def cut(sizes: list[int]) -> None:
        size = max(sizes) or 1
        parts = list(first_rows(stream.coded_blocks(size), ROWS))
        assert all(len(part[0]) == size for part in parts[:-1]), f"blocks of {size} rows are not full"
        again = np.concatenate([part[0] for part in parts])
        labels = np.concatenate([part[1] for part in parts])
        assert np.array_equal(again, X, equal_nan=True), f"blocks of {size} rows hold other values"
        assert np.array_equal(labels, codes), f"blocks of {size} rows hold other labels"

    for_random_cuts(min(len(X), 300), cut)


def labels_are_named(stream: Stream) -> None:
    """`blocks` yields the labelled rows with labels from `classes`."""
    X, codes = _head(stream)
    rows, labels = next(iter(stream.blocks(max(len(X), 1))))
    known = codes >= 0
    assert np.array_equal(rows, X[known], equal_nan=True)
    assert np.array_equal(labels, stream.classes[codes[known]])


def samples_are_fresh(stream: Stream) -> None:
    """`sample(t, n)` returns n rows and labels, the same each time."""
    try:
        X, y = stream.sample(0, 200)
    except NotImplementedError:
        return
    assert X.shape == (200, stream.n_features) and y.shape == (200,)
    assert set(y.tolist()) <= set(stream.classes.tolist())
    again = stream.sample(0, 200)
    assert np.array_equal(X, again[0]) and np.array_equal(y, again[1]), "the same sample differs"


CHECKS: list[Callable[[Any], object]] = [
    says_what_it_is,
    rows_are_arrays,
    block_size_changes_nothing,
    labels_are_named,
    samples_are_fresh,
]


def _head(stream: Stream) -> Block:
    empty = np.empty((0, stream.n_features)), np.empty(0, dtype=np.intp)
    return next(iter(stream.coded_blocks(ROWS)), empty)
