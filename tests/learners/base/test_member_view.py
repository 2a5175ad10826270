"""A member behind an adapter is the learner alone on its columns, with gaps filled as for one alone."""

import numpy as np
import pytest
from support.counting import NearestMean

from thalweg.checks.running import assert_same
from thalweg.errors import StateError
from thalweg.learners import (
    DecisionTree,
    DriftReset,
    HoeffdingTree,
    IBoost,
    NaiveBayes,
    NearestNeighbours,
    ParticleFilter,
    WindowLogistic,
)
from thalweg.learners.base._native.member_view import AdapterKernel

COLUMNS = [0, 2, 3]
MEMBERS = [
    NaiveBayes(),
    HoeffdingTree(grace_period=20),
    NearestNeighbours(window=50),
    DriftReset(NearestMean()),
    IBoost(n_members=5, window=30),
    ParticleFilter(n_particles=30),
    WindowLogistic(window=50, period=20),
    NearestMean(),
]


def gappy_rows(n=200):
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 5)) + y[:, None]
    X[rng.random(X.shape) < 0.2] = np.nan
    w = rng.integers(0, 4, n).astype(float)
    return X, y, w


def adapted(learner, columns=COLUMNS, n_features=5):
    kernel = learner._handle()
    return AdapterKernel("test", kernel, n_features, columns, not learner.takes_missing)


def begun(member):
    return type(member)(**member.get_params(deep=False)).begin(len(COLUMNS), [0, 1])


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: type(member).__name__)
def test_a_member_sees_its_columns_with_gaps_filled_by_means_of_its_own(member):
    X, y, w = gappy_rows()
    alone, inside = begun(member), begun(member)
    adapter, p = adapted(inside), np.empty((len(X), 2))
    adapter.learn(X, y, w, p)
    part = np.ascontiguousarray(X[:, COLUMNS])
    np.testing.assert_array_equal(p, alone.test_then_train(part, y, sample_weight=w))
    adapter.predict(X, p)
    np.testing.assert_array_equal(p, alone.predict_proba_block(part))
    assert_same(inside._state(), alone._state())
    if not member.takes_missing:
        assert_same([adapter.arrays["mean"], adapter.arrays["count"]], list(alone._means))
    assert adapter.size == adapter.member.size and adapter.bytes > adapter.member.bytes


@pytest.mark.parametrize(
    "member", [DecisionTree(), NaiveBayes(), ParticleFilter(n_particles=30), NearestMean()]
)
def test_a_batch_is_fitted_as_by_the_member_alone(member):
    X, y, w = gappy_rows()
    alone, inside = begun(member), begun(member)
    adapter = adapted(inside)
    adapter.fit_block(X, y, w)
    alone._fit_block(alone._filled(np.ascontiguousarray(X[:, COLUMNS]), True, w), y, w)
    assert_same(inside._state(), alone._state())


class Watching(NearestMean):
    """Adds up the rows that have no label."""

    def _begin(self, n_features, n_classes):
        super()._begin(n_features, n_classes)
        self._seen = np.zeros(n_features)

    def _observe(self, X):
        self._seen = self._seen + X.sum(axis=0)


def test_rows_without_labels_are_seen_and_rows_held_back_are_learned():
    X, y, w = gappy_rows()
    alone, inside = begun(Watching()), begun(Watching())
    adapter = adapted(inside)
    for each in (lambda X: adapter.learn(X, y, w, np.empty((len(X), 2))), adapter.observe):
        each(X)
    part = np.ascontiguousarray(X[:, COLUMNS])
    alone.test_then_train(part, y, sample_weight=w)
    alone.observe(part)
    np.testing.assert_allclose(inside._seen, alone._seen, rtol=1e-13)
    filter_ = begun(ParticleFilter(n_particles=30, batch_size=150))
    adapter = adapted(filter_)
    adapter.learn(X, y, w, np.empty((len(X), 2)))
    adapter.flush()
    state = filter_.state()
    filter_.flush()
    assert_same(filter_.state(), state)


def test_a_state_is_restored_in_place_and_inherited():
    X, y, w = gappy_rows()
    adapter = adapted(begun(NearestMean()))
    adapter.learn(X, y, w, np.empty((len(X), 2)))
    for way in ("restore", "inherit"):
        other = adapted(begun(NearestMean()), columns=None)
        before = other.arrays["mean"]
        getattr(other, way)(adapter.state() if way == "restore" else adapter)
        assert_same(other.state(), adapter.state())
        assert other.arrays["mean"] is before


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("columns", [0, 1, 5], "'columns' holds 5"),
        ("columns", [-1, 1, 2], "'columns' holds -1"),
        ("columns", [0, 2, 2], "'columns' must hold columns in growing order"),
        ("columns", [0, 1], "'columns' must have the shape"),
        ("mean", [0.0, np.nan, 0.0], "'mean' holds nan"),
        ("mean", [0.0, 1e200, 0.0], "'mean' holds 1e"),
        ("count", [0.0, -1.0, 0.0], "'count' holds -1"),
    ],
)
def test_damaged_states_are_named(name, value, message):
    adapter = adapted(begun(NearestMean()))
    before = adapter.state()
    with pytest.raises(StateError, match=message):
        adapter.restore(before | {name: np.array(value)})
    assert_same(adapter.state(), before)
