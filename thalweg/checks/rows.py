"""The rows that checks use, and learners that have learned them or were saved and loaded."""

import pickle
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from thalweg._types import Block, Floats
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.saving import from_bytes, to_bytes


def rows(n: int, with_gaps: bool = False) -> Block:
    """Return n rows of three clusters in three dimensions; `with_gaps`, one value in ten is missing."""
    rng = np.random.default_rng(7)
    y = rng.integers(0, 3, n)
    X = rng.normal(size=(n, 3)) * 0.5 + np.array([[0.0, 0.0, 2.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]])[y]
    if with_gaps:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def begun(learner: StreamClassifier) -> StreamClassifier:
    """Return a clone after `begin` for these rows."""
    return clone(learner).begin(3, [0, 1, 2])


def taught(learner: StreamClassifier, X: ArrayLike, y: ArrayLike) -> StreamClassifier:
    """Return a clone that has learned these rows."""
    learner = begun(learner)
    learner.test_then_train(X, y)
    return learner


def reloaded(learner: StreamClassifier) -> StreamClassifier:
    """Return a learner saved as a model file and loaded again; pickled, if it cannot be saved so."""
    if not learner.can_be_saved:
        return pickle.loads(pickle.dumps(learner))
    found: list[Any] = [learner]
    for value in learner.get_params().values():
        found += value if isinstance(value, list | tuple) else [value]
    own = [type(part) for part in found if isinstance(part, StreamClassifier)]
    return from_bytes(to_bytes(learner), allow=own)


def assert_proper(p: Floats) -> None:
    """Assert that probabilities are finite and not negative, and sum to 1."""
    assert np.isfinite(p).all(), f"a probability is not finite: {p[~np.isfinite(p).all(axis=1)][:1]}"
    assert (p >= 0).all() and np.allclose(p.sum(axis=1), 1.0), "probabilities do not sum to 1"
