"""Small versions of learners, and rows, for tests of what a kernel keeps where."""

import numpy as np

PARAMETERS = {
    "AdaptiveStacking": {"random_state": 1}, "NearestNeighbours": {"window": 30},
    "ParticleFilter": {"n_particles": 20, "batch_size": 10, "random_state": 1},
    "LikelihoodParticleFilter": {"n_particles": 20, "batch_size": 10, "random_state": 1},
    "RegularisedParticleFilter": {"n_particles": 20, "batch_size": 10, "random_state": 1},
    "RefittingParticleFilter": {"n_particles": 20, "batch_size": 10, "random_state": 1},
}  # fmt: skip


def rows(n, n_classes):
    """Return rows of four inputs, some of them missing, and their labels."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 4))
    y = (np.abs(X[:, 0] + 0.5 * rng.normal(size=n)) * n_classes / 2).astype(np.intp).clip(0, n_classes - 1)
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, y
