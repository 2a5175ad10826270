"""Rows and streams on which the particle filters are tested, and the check that one is its twin."""

import numpy as np
from sklearn.base import clone
from twins.learners.particles.particle_filter import ParticleTwin

from thalweg.evaluation import holdout

PUBLISHED = {"form": "published", "start": "zeros"}
CIRCLE = {"boundary": ("circle", 2.0), "start": "uniform"}


def rows(n, n_classes, seed=0, n_features=2):
    """Return rows in a cube, cut by sums of the first two inputs, and a tenth of the labels random."""
    rng = np.random.default_rng(seed)
    X = 2 * rng.random((n, n_features))
    y = np.minimum((X[:, :2].sum(axis=1) / 4 * n_classes).astype(np.intp), n_classes - 1)
    return X, np.where(rng.random(n) < 0.1, rng.integers(0, n_classes, n), y)


def answers(learner, n=1000):
    """Return what a filter says of rows of two classes."""
    return learner.begin(2, [0, 1]).test_then_train(*rows(n, 2))


def accuracy(stream, learner):
    run = holdout(stream, learner, every=50, n=1000)
    return 100 * float((run.predicted == run.codes).mean())


def mean_accuracy(stream, learner):
    """Return the mean accuracy over three seeds of the stream and of the learner."""
    learners = [clone(learner).set_params(random_state=seed) for seed in range(3)]
    return np.mean([accuracy(stream(seed), learners[seed]) for seed in range(3)])


def turned_rows(n_classes, n_features):
    X, y = rows(17 * 25, n_classes, n_features=n_features)
    y[17 * 9 :] = n_classes - 1 - y[17 * 9 :]
    y[:17] = 0
    return X, y


def moving_rows(n, n_classes, n_features=2, seed=0):
    """Return rows whose boundaries swing to and fro every 250 rows, and stand still in the second half."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, n_features))
    shift = np.where(np.arange(n) < n // 2, 0.5 * np.sin(np.arange(n) / 40), 0.0)
    y = np.clip((X[:, 0] + shift) * n_classes, 0, n_classes - 1).astype(np.intp)
    return X, np.where(rng.random(n) < 0.05, rng.integers(0, n_classes, n), y)


def assert_is_its_twin(learner, n_classes, n_features=2, kind=ParticleTwin, given=None):
    """Assert that a filter and its twin answer and keep the same at each batch; return the twin.

    The rows are `given` as (X, y), or else such whose concept is turned round at the tenth batch.
    """
    learner = clone(learner).set_params(n_particles=37, batch_size=17, random_state=5)
    learner.begin(n_features, range(n_classes))
    twin = kind(n_features, n_classes, learner._settings())
    X, y = given or turned_rows(n_classes, n_features)
    start = 0
    while start + twin.size <= len(X):
        batch = slice(start, start + twin.size)
        start = batch.stop
        p = learner.test_then_train(X[batch], y[batch])
        np.testing.assert_allclose(p, twin.test_then_train(X[batch], y[batch]), rtol=0, atol=1e-12)
        if batch.start == 0:
            continue  # rows of one class wait
        arrays, kept = learner._kernel.arrays, twin.kept
        assert learner._kernel.n_kept == len(kept)
        raw = twin.in_raw_units(kept)
        for found, expected in (
            (arrays["centre"], twin.centre),
            (arrays["averages"], twin.candidates[1:]),
            (arrays["kept"][: len(kept)], kept),
            (learner.particles_, raw),
            (learner.coefficients_, twin.in_raw_units(twin.candidates[[twin.chosen]])[0]),
            (learner.coefficient_spread_, raw.std(axis=0)),
        ):
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    return twin
