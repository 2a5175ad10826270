"""Arrays, lists and frames as streams: the same rows whatever they come in."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest

from thalweg.streams import from_arrays
from thalweg.streams.base import first_rows

X = np.random.default_rng(0).normal(size=(50, 3))
y = np.arange(50) % 3


def whole(stream, size=7):
    blocks = list(stream.coded_blocks(size))
    return np.concatenate([X for X, _ in blocks]), np.concatenate([codes for _, codes in blocks])


@pytest.mark.parametrize(
    "rows",
    [
        X,
        np.asfortranarray(X),
        np.repeat(X, 2, axis=1)[:, ::2],
        X.tolist(),
        X.astype(object),
        pd.DataFrame(X),
        pd.DataFrame(X.astype(object)),
        np.broadcast_to(X, X.shape),
    ],
    ids=["C", "Fortran", "strided", "list", "object", "frame", "object frame", "read-only"],
)
def test_every_container_gives_the_same_stream(rows):
    stream = from_arrays(rows, y)
    for block, codes in stream.coded_blocks(7):
        assert block.dtype == np.float64 and block.flags.c_contiguous and block.flags.writeable
        assert codes.dtype == np.intp
    Z, codes = whole(stream)
    assert np.array_equal(Z, X) and np.array_equal(codes, y)
    assert stream.n_rows == 50 and stream.n_features == 3 and stream.classes.tolist() == [0, 1, 2]


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8, bool])
def test_other_number_types_become_floats(dtype):
    rows = (10 * np.abs(X)).astype(dtype)
    assert np.array_equal(whole(from_arrays(rows, y))[0], rows.astype(float))


def test_numeric_arrays_are_not_copied():
    rows = np.zeros((50_000, 100), dtype=np.float32)
    labels = np.zeros(50_000, dtype=int)
    tracemalloc.start()
    for _ in from_arrays(rows, labels).coded_blocks(1000):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < rows.nbytes / 4
    block, _ = next(from_arrays(X, y).coded_blocks(10))
    assert np.shares_memory(block, X)


def test_missing_values_are_nan():
    rows = np.array([[1, None], [np.nan, 2.5], [3, 4]], dtype=object)
    Z, _ = whole(from_arrays(rows, [0, 1, 0]))
    assert np.array_equal(Z, [[1, np.nan], [np.nan, 2.5], [3, 4]], equal_nan=True)
    frame = pd.DataFrame({"a": pd.array([1, None, 3], dtype="Int64"), "b": [1.5, np.nan, None]})
    Z, _ = whole(from_arrays(frame, [0, 1, 0]))
    assert np.array_equal(Z, [[1, 1.5], [np.nan, np.nan], [3, np.nan]], equal_nan=True)


@pytest.mark.parametrize(
    "labels",
    [["no", "yes", "no"], [False, True, False], [-1, 1, -1], [0.5, 1.5, 0.5], pd.Series(["a", "b", "a"]),
     pd.Series(["a", "b", "a"], dtype="category"), np.array(["a", "b", "a"], dtype=object)],
)  # fmt: skip
def test_labels_of_any_type(labels):
    stream = from_arrays(X[:3], labels)
    assert whole(stream)[1].tolist() == [0, 1, 0]
    named = np.concatenate([got for _, got in stream.blocks(2)])
    assert named.tolist() == list(labels)


@pytest.mark.parametrize(
    "labels",
    [[1.0, np.nan, 2.0, 1.0], ["x", None, "y", "x"], pd.Series(pd.array([1, None, 2, 1], dtype="Int64")),
     pd.Series(["x", None, "y", "x"], dtype="category"), pd.Series(["x", None, "y", "x"])],
)  # fmt: skip
def test_missing_labels_are_coded_minus_one(labels):
    stream = from_arrays(X[:4], labels)
    assert whole(stream)[1].tolist() == [0, -1, 1, 0] and len(stream.classes) == 2
    assert sum(len(block) for block, _ in stream.blocks(2)) == 3


def test_labels_of_several_types_keep_their_first_order():
    stream = from_arrays(X[:4], ["b", 1, None, "b"])
    assert whole(stream)[1].tolist() == [0, 1, -1, 0] and stream.classes.tolist() == ["b", 1]


def test_classes_fix_the_order_of_the_codes():
    stream = from_arrays(X[:3], ["b", "a", "b"], classes=["b", "c", "a"])
    assert whole(stream)[1].tolist() == [0, 2, 0] and stream.classes.tolist() == ["b", "c", "a"]


def test_text_and_category_columns_of_a_frame_are_categorical():
    frame = pd.DataFrame(
        {
            "size": [1.0, 2.0, 3.0],
            "colour": ["red", None, "blue"],
            "grade": pd.Categorical(["low", "high", "low"], categories=["low", "mid", "high"]),
            "flag": [True, False, True],
        }
    )
    stream = from_arrays(frame, [0, 1, 0])
    assert stream.names == ("size", "colour", "grade", "flag")
    assert stream.n_categories.tolist() == [0, 2, 3, 0]
    Z, _ = whole(stream)
    assert np.array_equal(Z, [[1, 1, 0, 1], [2, np.nan, 2, 0], [3, 0, 0, 1]], equal_nan=True)
    assert list(stream.categories["colour"]) == ["blue", "red"]


def test_categorical_inputs_by_name_or_number():
    rows = np.array([[5.0, 1.5], [9.0, 2.5], [5.0, np.nan]])
    for which in (["a"], [0], [np.int64(0)]):
        stream = from_arrays(rows, [0, 1, 0], names=["a", "b"], categorical=which)
        Z, _ = whole(stream)
        assert Z[:, 0].tolist() == [0, 1, 0] and stream.n_categories.tolist() == [2, 0]
    assert rows[0, 0] == 5


def test_drifts_are_kept():
    assert from_arrays(X, y, drifts=[10, 20]).drifts.tolist() == [10, 20]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: from_arrays(X, y[:-1]), "50 rows, but 49 labels"),
        (lambda: from_arrays(X[0], y), "two dimensions"),
        (lambda: from_arrays(X, y[:, None]), "one dimension"),
        (lambda: from_arrays(X, y, names=["a"]), "1 names for 3 inputs"),
        (lambda: from_arrays(X, y, names=["a", "b", "a"]), "different names, got a, b, a"),
        (lambda: from_arrays(pd.DataFrame({"t": pd.to_timedelta(["1h"])}), [0]), "input t has spans of time"),
        (lambda: from_arrays(X, y, categorical=["a"]), "no input 'a'; inputs are x0, x1, x2"),
        (lambda: from_arrays(X, y, categorical=[3]), "no input 3"),
        (lambda: from_arrays([[1.0, "red"]], [0]), "row 0, input x1: 'red' is not a number; name the input"),
        (lambda: from_arrays([[1.0], [np.inf]], [0, 1]), "row 1, input x0: infinite value"),
        (lambda: from_arrays(X[:2], ["a", "z"], classes=["a", "b"]), "label 'z' is not among the classes"),
        (lambda: next(from_arrays(X, y).coded_blocks(0)), "at least one row"),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("n", [0, 1, 7, 20, 50, 90, None])
def test_the_first_rows_are_cut_from_blocks_and_no_more_are_read(n):
    read = []

    def blocks():
        for block in [(X[:0], y[:0]), *from_arrays(X, y).coded_blocks(7)]:
            read.append(len(block[0]))
            yield block

    found = list(first_rows(blocks(), n))
    assert all(len(rows) == len(codes) > 0 for rows, codes in found)
    np.testing.assert_array_equal(np.concatenate([X[:0], *(rows for rows, _ in found)]), X[:n])
    np.testing.assert_array_equal(np.concatenate([y[:0], *(codes for _, codes in found)]), y[:n])
    assert n is None or sum(read[:-1]) < max(n, 1)
