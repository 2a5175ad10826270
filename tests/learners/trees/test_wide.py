"""Trees with vector instructions against the same trees without: the same probabilities, bit for bit."""

import numpy as np
import pytest

from thalweg.learners import (
    AdaptiveRandomForest,
    HoeffdingAdaptiveTree,
    HoeffdingOptionTree,
    HoeffdingTree,
    LeveragingBagging,
)
from thalweg.learners.trees._native import estimates, leaf

QUICK = {"grace_period": 20, "delta": 0.05, "tie": 0.2}
LEARNERS = {
    "tree": HoeffdingTree(**QUICK),
    "some inputs": HoeffdingTree(max_features="sqrt", **QUICK),
    "Gini": HoeffdingTree(criterion="gini", **QUICK),
    "adaptive": HoeffdingAdaptiveTree(**QUICK),
    "options": HoeffdingOptionTree(**QUICK),
    "forest": AdaptiveRandomForest(n_members=3, random_state=1),
    "bagging": LeveragingBagging(HoeffdingTree(**QUICK), n_members=3, random_state=1),
}
SHAPES = [
    (3, 2, 0, 0.0), (130, 2, 0, 0.0), (3, 12, 0, 0.0), (130, 12, 0, 0.0), (9, 5, 3, 0.0), (9, 5, 3, 0.1),
]


def rows(n_features, n_classes, n_categorical, missing, n=1500):
    """Return rows whose first inputs tell the class, and the numbers of categories of the inputs."""
    rng = np.random.default_rng(n_features + n_classes)
    y = rng.integers(n_classes, size=n)
    X = rng.normal(size=(n, n_features))
    X[:, 0] += y // 2
    X[:, 1] += y % 3 * 2 - (np.arange(n) > n // 2) * y
    X[:, 2] = np.round(X[:, 2])
    if n_categorical:
        X[:, -n_categorical:] = (rng.integers(4, size=(n, n_categorical)) + y[:, None]) % 6
    X[rng.random(X.shape) < missing] = np.nan
    n_categories = np.zeros(n_features, dtype=np.intp)
    n_categories[n_features - n_categorical :] = 6
    return X, y, n_categories


@pytest.fixture
def narrow():
    """Switch vector instructions off when called; they are on again after the test."""
    def switch():
        leaf.use_vectors(False)
        estimates.use_vectors(False)
    yield switch
    leaf.use_vectors(True)
    estimates.use_vectors(True)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", LEARNERS)
def test_vectors_change_nothing(name, shape, narrow):
    X, y, n_categories = rows(*shape)
    found = []
    for switch in (lambda: None, narrow):
        switch()
        learner = LEARNERS[name].begin(X.shape[1], np.arange(shape[1]), n_categories=n_categories)
        weights = np.random.default_rng(3).choice([0.0, 0.5, 1.0, 3.0], len(X))
        found.append(learner.test_then_train(X, y, sample_weight=weights))
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_estimates_are_as_close_as_they_say(shape):
    X, y, n_categories = rows(*shape)
    X[:, 1] *= 1e6
    X[:, 0] = X[:, 0] * 1e-3 + 1e5
    tree = HoeffdingTree(delta=1e-300, tie=0, grace_period=1e9)
    tree.begin(X.shape[1], np.arange(shape[1]), n_categories=n_categories)
    n_known = 0
    for start in range(0, len(X), 50):
        tree.partial_fit(X[start : start + 50], y[start : start + 50])
        rough, exact = estimates.of_leaf(tree._kernel, 0)
        is_known = rough > -np.inf
        np.testing.assert_allclose(rough[is_known], exact[is_known], rtol=0, atol=estimates.ROUGH_ERROR / 2)
        n_known += is_known.sum()
    assert n_known > 0.8 * (len(X) // 50) * (shape[0] - shape[2]) or not estimates.use_vectors(True)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("vote", ["majority", "bayes", "adaptive"])
def test_the_class_after_learning_is_the_one_predicted_then(vote, shape):
    X, y, n_categories = rows(*shape)
    tree = HoeffdingTree(leaf=vote, max_features="sqrt" if shape[0] > 3 else None, **QUICK)
    twin = HoeffdingTree(leaf=vote, max_features=tree.max_features, **QUICK)
    for each in (tree, twin):
        each.begin(X.shape[1], np.arange(shape[1]), n_categories=n_categories)
    p, again = np.zeros(shape[1]), np.zeros((1, shape[1]))
    for i in range(len(X)):
        said = tree._kernel.predict_learn_again(X[i], int(y[i]), 1.0 + i % 3, p)
        before = twin.test_then_train(X[i : i + 1], y[i : i + 1], sample_weight=[1.0 + i % 3])
        twin._kernel.predict(X[i : i + 1], again)
        np.testing.assert_array_equal(p, before[0])
        assert said == again[0].argmax()
    assert tree.n_nodes_ == twin.n_nodes_ > 1
