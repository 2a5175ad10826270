"""Random radial basis functions: centroids that move, and noise that does."""

import numpy as np
import pytest

from thalweg import streams


def test_rbf_centroids_move_by_speed_within_the_cube():
    stream = streams.RandomRBF(speed=0.001, seed=3)
    path = np.array([stream.centroids(t) for t in range(3000)])
    assert path.min() >= 0 and path.max() <= 1
    steps = np.linalg.norm(np.diff(path, axis=0), axis=2)
    assert np.median(steps) == pytest.approx(0.001) and steps.max() < 0.001 + 1e-12
    assert len(stream.drifts) == 0 and stream.n_rows == 1_000_000


def test_rbf_centroids_that_stop_at_walls_move_as_in_moa():
    stream = streams.RandomRBF(n_features=4, n_centroids=40, speed=1.2, walls="stop", seed=3)
    place, step = stream.centroids(0), stream._velocity.copy()
    for t in range(200):
        np.testing.assert_allclose(stream.centroids(t), place, rtol=0, atol=1e-9)
        place = place + step
        step[(place < 0) | (place > 1)] *= -1
        place = place.clip(0, 1)
    fast = streams.RandomRBF(n_features=4, n_centroids=40, speed=1e6, walls="stop", seed=3)
    assert set(fast.centroids(9).ravel().round(12).tolist()) == {0.0, 1.0}


def test_rbf_rows_scatter_round_their_own_classes_centroids():
    stream = streams.RandomRBF(n_centroids=2, speed=0, seed=1)
    X, y = stream.sample(0, 50_000)
    centroids = stream.centroids(0)
    means = np.array([X[y == k].mean(axis=0) for k in (0, 1)])
    distance = np.linalg.norm(means[:, None] - centroids, axis=2)
    assert distance.min(axis=1).max() < 0.01 and set(distance.argmin(axis=1)) == {0, 1}


def test_rbf_shift_moves_only_the_chosen_inputs():
    stream = streams.RandomRBF(n_features=20, speed=0, n_shifted=4, shift=5, seed=2)
    early, late = stream.sample(0, 20_000)[0], stream.sample(1_000_000, 20_000)[0]
    moved = late.mean(axis=0) - early.mean(axis=0)
    assert len(stream.shifted) == 4
    assert np.abs(np.abs(moved[stream.shifted]) - 5).max() < 0.02
    assert np.abs(np.delete(moved, stream.shifted)).max() < 0.02
