"""Compiled code relies on sparse rows, so they are checked where they are made, and made nowhere else."""

import ast
import copy
import pickle

import numpy as np
import pytest
from scipy import sparse
from support.places import ROOT, needs_checkout

from thalweg.rows.sparse_rows import InfiniteValue, SparseRows, joined

STARTS, COLUMNS, VALUES = [0, 2, 2, 5], [1, 6, 0, 3, 6], [1.0, -2.0, np.nan, 0.0, 4.0]
DENSE = np.array([[0, 1, 0, 0, 0, 0, -2], [0] * 7, [np.nan, 0, 0, 0, 0, 0, 4.0]])


def rows(starts=STARTS, columns=COLUMNS, values=VALUES, n_features=7):
    """Return sparse rows of three lists."""
    places = np.array(starts, dtype=np.intp), np.array(columns, dtype=np.intp)
    return SparseRows(*places, np.array(values, dtype=float), n_features)


def full(X):
    """Return sparse rows in full."""
    found = np.zeros(X.shape)
    for i, (a, b) in enumerate(zip(X.starts[:-1], X.starts[1:], strict=True)):
        found[i, X.columns[a:b]] = X.values[a:b]
    return found


def test_what_fits_is_taken():
    np.testing.assert_array_equal(full(rows()), DENSE)
    assert rows([0], [], []).shape == (0, 7)
    assert rows([0, 0], [], [], 0).shape == (1, 0)
    assert rows([0, 5], [0, 1, 2, 3, 6]).shape == (1, 7)


WRONG = {
    "a column beyond": {"columns": [1, 7, 0, 3, 6]},
    "a column far beyond": {"columns": [1, 2**62, 0, 3, 6]},
    "a negative column": {"columns": [-1, 6, 0, 3, 6]},
    "falling columns": {"columns": [6, 1, 0, 3, 6]},
    "a column twice": {"columns": [1, 6, 0, 3, 3]},
    "too few columns": {"columns": [1, 6, 0, 3]},
    "too few values": {"values": [1.0, 2.0, 3.0, 4.0]},
    "an infinite value": {"values": [1.0, 2.0, 3.0, -np.inf, 4.0]},
    "falling starts": {"starts": [0, 3, 2, 5]},
    "starts from 1": {"starts": [1, 2, 2, 5]},
    "negative starts": {"starts": [0, -1, 2, 5]},
    "starts that go too far": {"starts": [0, 2, 2, 6]},
    "starts that end early": {"starts": [0, 2, 2, 4]},
    "no starts": {"starts": [], "columns": [], "values": []},
    "fewer inputs than it says": {"n_features": 6},
    "no input": {"n_features": 0},
    "a negative number of inputs": {"n_features": -1},
    "half an input": {"n_features": 7.5},
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG)
def test_what_does_not_fit_is_refused(change):
    with pytest.raises(ValueError, match=r"sparse rows are damaged|is -inf"):
        rows(**change)


@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("change", [
    lambda a: a.astype(object), lambda a: a.reshape(1, -1), lambda a: a.tolist(), lambda a: a.astype(str),
    lambda a: a[0], lambda a: a.astype("M8[s]"),
], ids=["objects", "2 axes", "list", "text", "number", "dates"])  # fmt: skip
def test_arrays_of_another_kind_are_refused(which, change):
    given = [np.array(STARTS), np.array(COLUMNS), np.array([1.0, 2.0, 3.0, 4.0, 5.0])]
    given[which] = change(given[which])
    with pytest.raises(ValueError, match="sparse rows are damaged"):
        SparseRows(*given, 7)


def test_columns_and_starts_must_be_whole_numbers_and_values_may_be_narrow():
    starts, columns, values = np.array(STARTS), np.array(COLUMNS), np.array(VALUES)
    for places in ((starts.astype(float), columns), (starts, columns.astype(float))):
        with pytest.raises(ValueError, match="not an array of whole numbers"):
            SparseRows(*places, values, 7)
    found = SparseRows(starts.astype("<u2"), columns.astype(">i4"), np.repeat(values.astype("f4"), 2)[::2], 7)
    np.testing.assert_array_equal(full(found), DENSE)
    assert [each.dtype for each in (found.starts, found.columns, found.values)] == ["p", "p", "d"]
    assert found.values.flags.c_contiguous


def test_an_infinite_value_has_a_place():
    with pytest.raises(InfiniteValue, match=r"row 2, column 3 is inf: infinity is not a value"):
        rows(values=[1.0, 2.0, 3.0, np.inf, 4.0])
    with pytest.raises(InfiniteValue, match="row 1, column 0 is -inf"):
        SparseRows.of_dense(np.array([[1.0, 0.0], [-np.inf, 0.0]]))


def test_huge_values_are_clipped_as_those_of_dense_rows_are():
    found = rows(values=[1e200, -1e300, np.nan, 1e150, 4.0])
    np.testing.assert_array_equal(found.values, [1e150, -1e150, np.nan, 1e150, 4.0])
    np.testing.assert_array_equal(SparseRows.of_dense(np.array([[0.0, 1e200]])).values, [1e150])


def test_parts_of_checked_rows():
    X = rows()
    slices = [(1, 3), (0, 0), (2, 1), (None, None, -1), (0, 3, 2), (-2, None)]
    for part in (*(slice(*each) for each in slices), np.array([2, 0, 2]), np.array([True, False, True])):
        found = X[part]
        np.testing.assert_array_equal(full(found), DENSE[part])
        assert len(found) == len(DENSE[part])
    each = list(X[1:].each())
    assert [len(row) for row in each] == [1, 1]
    np.testing.assert_array_equal(np.concatenate([full(row) for row in each]), DENSE[1:])
    assert each[1].values.base is None, "a row keeps its whole block in memory"
    found = full(joined([X[2:], each[0], X], 9))
    np.testing.assert_array_equal(found[:, :7], np.vstack([DENSE[2], DENSE[1], DENSE]))


def test_rows_are_not_joined_to_narrower_ones():
    with pytest.raises(ValueError, match="sparse rows of 7 inputs are none of 6 inputs"):
        joined([rows()], 6)


def test_rows_of_a_dense_array_and_of_a_matrix():
    np.testing.assert_array_equal(full(SparseRows.of_dense(DENSE)), DENSE)
    for form in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        np.testing.assert_array_equal(full(SparseRows.of_matrix(form(DENSE))), DENSE)
    roomy = sparse.csr_array((np.r_[VALUES, 9.0, 9.0], np.r_[COLUMNS, 0, 1], STARTS), DENSE.shape)
    np.testing.assert_array_equal(full(SparseRows.of_matrix(roomy)), DENSE)


def test_rows_cannot_be_changed():
    X, given = rows(), sparse.csr_array(DENSE)
    for name in ("starts", "columns", "values", "n_features"):
        with pytest.raises(AttributeError, match="cannot be changed"):
            setattr(X, name, getattr(X, name))
    matrix = SparseRows.of_matrix(given)
    for each in (X, X[1:], X[[0, 2]], joined([X], 7), SparseRows.of_dense(DENSE), matrix, *X.each()):
        for array in (each.starts, each.columns, each.values):
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0
    given.data[:] = 5.0
    np.testing.assert_array_equal(full(matrix), DENSE)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda X: pickle.loads(pickle.dumps(X))])
def test_copies_and_pickles_are_checked(again, monkeypatch):
    np.testing.assert_array_equal(full(again(rows()[1:])), DENSE[1:])
    X, checked, original = rows(), [], SparseRows.__init__
    monkeypatch.setattr(SparseRows, "__init__", lambda *given: checked.append(1) or original(*given))
    again(X)
    assert checked


@needs_checkout
def test_nothing_else_makes_sparse_rows():
    """No module but that of SparseRows uses its unchecked path, or makes objects without a constructor."""
    allowed = ROOT / "thalweg/rows/sparse_rows.py"
    found = []
    for path in sorted((ROOT / "thalweg").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            imports = isinstance(node, ast.ImportFrom) and str(node.module).endswith("sparse_rows")
            if imports and any(each.name.startswith("_") for each in node.names):
                found.append(f"{path}: {ast.unparse(node)}")
            is_new = isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "__new__"
            is_kind = isinstance(node, ast.ClassDef) and node.bases
            parts = node.args if is_new else node.bases if is_kind else []
            if any("SparseRows" in ast.unparse(each) for each in parts):
                found.append(f"{path}: {node.name if is_kind else ast.unparse(node)}")
    assert found == [f"{allowed}: object.__new__(SparseRows)"]
