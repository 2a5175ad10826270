"""Rows and streams on which the particle filters are tested, and the check that one is its twin."""

import numpy as np
from sklearn.base import clone
from twins.learners.particles.particle_filter import ParticleTwin

from thalweg.evaluation import holdout

PUBLISHED = {"form": "published", "start": "zeros"}
CIRCLE = {"boundary": ("circle", 2.0), "start": "uniform"}


def rows(n, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    X = 2 * rng.random((n, 2))
    y = np.minimum((X.sum(axis=1) / 4 * n_classes).astype(np.intp), n_classes - 1)
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


def assert_is_its_twin(learner, n_classes):
    """Assert that a filter and its twin keep the same particles and centre after each batch."""
    learner = clone(learner).set_params(n_particles=37, batch_size=17, random_state=5)
    learner.begin(2, range(n_classes))
    twin = ParticleTwin(2, n_classes, learner._settings())
    X, y = rows(17 * 25, n_classes)
    y[17 * 9 :] = n_classes - 1 - y[17 * 9 :]
    for start in range(0, len(X), 17):
        batch = slice(start, start + 17)
        learner.test_then_train(X[batch], y[batch])
        twin.learn(X[batch], y[batch])
        arrays = learner._kernel.arrays
        np.testing.assert_allclose(arrays["centre"], twin.centre, rtol=1e-9, atol=1e-12)
        n_kept = learner._kernel.n_kept
        if not learner._settings()["likelihood"]:
            assert n_kept == len(twin.best)
            np.testing.assert_allclose(arrays["kept"][:n_kept], twin.particles, rtol=1e-9, atol=1e-12)
