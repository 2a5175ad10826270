"""Neighbours of several k and windows: what a plain search finds for each, weighted as a plain mixture is."""

import numpy as np
import pytest
from twins.learners.neighbours import neighbour_mixture as twin

from thalweg.learners import NearestNeighbours, NeighbourMixture
from thalweg.streams import RandomRBF

COUNTS, WINDOWS, SWITCHING = (1, 3, 8), (10, 25, 60), 0.01


def rows(n, seed=1):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 3, n), np.linspace(0, 1, n)])
    return X, (X[:, 0] + X[:, 1] > 1).astype(int) + (X[:, 1] == 2)


@pytest.mark.parametrize("categorical", [(), (1,)])
def test_kernel_is_its_twin(categorical):
    X, y = rows(200)
    w = np.random.default_rng(2).integers(1, 3, len(X)).astype(float)
    learner = NeighbourMixture(COUNTS, WINDOWS, switching=SWITCHING, categorical=categorical)
    learner.begin(3, [0, 1, 2])
    is_category = np.isin(np.arange(3), categorical)
    expected, trust = twin.run(X, y, w, 3, is_category, COUNTS, WINDOWS, SWITCHING)
    np.testing.assert_allclose(learner.test_then_train(X, y, sample_weight=w), expected, rtol=1e-9)
    np.testing.assert_allclose(learner.trust_, trust.reshape(3, 3), rtol=1e-9)


def test_learning_alone_gives_what_predicting_and_learning_gives():
    X, y = rows(300)
    one, other = (NeighbourMixture(COUNTS, WINDOWS).begin(3, [0, 1, 2]) for _ in range(2))
    one.test_then_train(X, y)
    for x, label in zip(X, y.tolist(), strict=True):
        other.learn_one(x, label)
    np.testing.assert_array_equal(one.predict_block(X), other.predict_block(X))
    np.testing.assert_array_equal(one.trust_, other.trust_)


def test_a_late_label_is_compared_with_what_was_said():
    # The latest row tells the label at once; five rows late it tells the opposite.
    X, y = np.arange(2000.0)[:, None] / 2000, np.repeat(np.arange(400) % 2, 5)
    prompt, late = (NeighbourMixture((1, 50), (60,)).begin(1, [0, 1]) for _ in range(2))
    prompt.test_then_train(X, y)
    for i in range(len(X)):
        late.observe(X[i : i + 1])
        if i >= 5:
            late.learn_one(X[i - 5], y[i - 5])
    assert prompt.trust_[0, 0] > 0.9
    assert late.trust_[0, 0] < 0.5


def test_it_is_close_to_the_best_of_them():
    X, y = next(RandomRBF(seed=4).blocks(10_000))
    mixture = NeighbourMixture().begin(10, [0, 1]).test_then_train(X, y)
    singles = [
        NearestNeighbours(k, window).begin(10, [0, 1]).test_then_train(X, y)
        for k in (1, 4, 10)
        for window in (200, 1000, 5000)
    ]
    right, *others = (float((p.argmax(axis=1) == y).mean()) for p in (mixture, *singles))
    assert right > max(others) - 0.005
    assert min(others) < max(others) - 0.02


@pytest.mark.parametrize(
    "settings", [{"n_neighbours": 3}, {"n_neighbours": ()}, {"windows": (0,)}, {"windows": (10, 2.5)}]
)
def test_bad_settings_are_refused(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        NeighbourMixture(**settings).begin(2, [0, 1])
