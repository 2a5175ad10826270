"""Inputs that are updated four at a time get the same numbers, bit for bit, as those updated one by one.

Of seven inputs the first four are updated together and the last three one by one; the last three are copies
of the first three.
"""

import numpy as np
import pytest

from thalweg.learners import HoeffdingTree, LinearLogistic, NaiveBayes

KINDS = ["usual", "missing", "constant", "wild", "tiny", "zeros"]


def doubled_rows(kind, n=400):
    rng = np.random.default_rng(7)
    X = rng.normal(3.0, [1.0, 2.0, 5.0, 1.0], (n, 4))
    if kind == "missing":
        X[rng.random((n, 4)) < 0.1] = np.nan
    elif kind == "constant":
        X[:, 1] = 2.5
    elif kind == "wild":
        X[n // 2 :: 17, 0] = 1e150
        X[5::23, 2] = -1e9
    elif kind == "tiny":
        X *= 1e-160
    elif kind == "zeros":
        X[rng.random((n, 4)) < 0.3] = 0.0
    return np.hstack([X, X[:, :3]]), rng.integers(0, 2, n), rng.choice([0.5, 1.0, 3.0], n)


@pytest.mark.parametrize("kind", KINDS)
def test_a_leaf_knows_the_same_of_equal_inputs(kind):
    X, y, w = doubled_rows(kind)
    tree = HoeffdingTree(grace_period=10**6).begin(7, [0, 1])
    tree.test_then_train(X, y, sample_weight=w)
    numbers = tree._kernel.state()["numbers"]
    assert len(numbers) == 2
    np.testing.assert_array_equal(numbers[:, :, :3], numbers[:, :, 4:])


@pytest.mark.parametrize("kind", KINDS)
def test_linear_logistic_measures_equal_inputs_alike(kind):
    X, y, w = doubled_rows(kind)
    model = LinearLogistic().begin(7, [0, 1])
    model.test_then_train(X, y, sample_weight=w)
    state = model._kernel.state()
    for name in ("count", "mean", "variance", "beta", "square"):
        np.testing.assert_array_equal(state[name][:3], state[name][4:], err_msg=name)


@pytest.mark.parametrize("kind", KINDS)
def test_naive_bayes_knows_the_same_of_equal_inputs(kind):
    X, y, w = doubled_rows(kind)
    model = NaiveBayes().begin(7, [0, 1])
    model.test_then_train(X, y, sample_weight=w)
    arrays = model._kernel.arrays
    for name in ("n", "mean", "squares", "inverse"):
        np.testing.assert_array_equal(arrays[name][:, :3], arrays[name][:, 4:], err_msg=name)
