"""What a bank is compared with: a dict of learners, one row at a time."""

import numpy as np
from sklearn.base import clone

from thalweg._parameters import seeds_of
from thalweg.keyed.keys import key_seed


class SeparateLearners:
    """A learner for each key, which learns its rows one by one."""

    def __init__(self, learner, n_features, classes):
        self.learner, self.shape = learner, (n_features, classes)
        self.learners = {}

    def at(self, key):
        if key not in self.learners:
            made = clone(self.learner)
            made.set_params(**{name: key_seed(key, seed) for name, seed in seeds_of(made).items()})
            self.learners[key] = made.begin(*self.shape)
        return self.learners[key]

    def test_then_train(self, keys, X, y, w=None):
        w = np.ones(len(X)) if w is None else w
        p = np.empty((len(X), len(self.shape[1])))
        for i, key in enumerate(keys):
            row = slice(i, i + 1)
            p[i] = self.at(key).test_then_train(X[row], y[row], sample_weight=w[row])[0]
        return p

    def predict(self, keys, X):
        return np.array([self.at(key).predict_proba_block(X[i : i + 1])[0] for i, key in enumerate(keys)])


def rows_of(seed, n, n_keys, n_features=3, n_classes=2, missing=0.0):
    """Return keys, rows and labels; each key has a rule of its own."""
    rng = np.random.default_rng(seed)
    keys = rng.integers(n_keys, size=n)
    X = rng.normal(size=(n, n_features)) + keys[:, None] % 3
    rules = rng.normal(size=(n_keys, n_features, n_classes))
    y = np.einsum("ij,ijk->ik", X, rules[keys]).argmax(axis=1)
    if missing:
        X[rng.random(X.shape) < missing] = np.nan
    return keys, X, y
