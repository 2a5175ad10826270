"""Generators whose labels are known before any is flipped, still, drifting, and with abrupt changes."""

import numpy as np

from thalweg.streams import LED, SEA, DriftingGaussians, Hyperplane, RandomRBF, drifting


def sea(n, seed):
    return SEA(n, period=n // 4, noise=0, seed=seed)


def sea_far(n, seed):
    return SEA(n, thresholds=[5, 13, 6, 14], period=n // 4, noise=0, seed=seed)


def rbf(n, seed):
    return RandomRBF(n, n_classes=3, speed=0, seed=seed)


def rbf_moving(n, seed):
    return RandomRBF(n, seed=seed)


def rbf_abrupt(n, seed):
    return drifting.Abrupt(*[RandomRBF(n // 4, speed=0, seed=100 * seed + part) for part in range(4)])


def hyperplane(n, seed):
    return Hyperplane(n, period=n // 4, noise=0, seed=seed)


def hyperplane_rotating(n, seed):
    return Hyperplane(n, rotating=True, noise=0, seed=seed)


def led(n, seed):
    return LED(n, period=n // 4, seed=seed)


def gaussians(n, seed):
    return DriftingGaussians(n, seed=seed)


def gaussians_drifting(n, seed):
    return DriftingGaussians(n, kind="drift", seed=seed)


def gaussians_abrupt(n, seed):
    return DriftingGaussians(n, kind="abrupt", period=n // 4, seed=seed)


KINDS = (
    sea, sea_far, rbf, rbf_moving, rbf_abrupt, hyperplane, hyperplane_rotating, led, gaussians,
    gaussians_drifting, gaussians_abrupt,
)
NAMES = {kind.__name__: kind for kind in KINDS}


def made(name, seed, n):
    """Return rows, codes of their classes, and where the changes are that leave 2000 rows to look at."""
    stream = NAMES[name](n, seed)
    X, codes = next(stream.coded_blocks(n))
    return np.ascontiguousarray(X), codes, [int(row) for row in stream.drifts if row + 2000 <= n]


def flipped(codes, share, seed):
    """Return labels of which a share is replaced by other classes."""
    rng = np.random.default_rng([seed, 77])
    n_classes = int(codes.max()) + 1
    others = (codes + rng.integers(1, n_classes, len(codes))) % n_classes
    return np.where(rng.random(len(codes)) < share, others, codes)
