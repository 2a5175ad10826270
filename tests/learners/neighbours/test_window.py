"""The search finds what measuring every row finds, bit for bit, though it measures few of them."""

import numpy as np
import pytest
from twins.learners.neighbours import window as twin

import thalweg
from thalweg.learners import NearestNeighbours, NeighbourMixture


def plain_votes(X, y, w, k, window, is_category):
    """Return each row's shares of votes among the rows before it, all of which are measured."""
    n_classes = int(y.max()) + 1
    p = np.full((len(X), n_classes), 1 / n_classes)
    for i in range(1, len(X)):
        kept = slice(max(i - window, 0), i)
        d = twin.distances(X[i], X[kept], is_category)
        near = d <= np.sort(d)[min(k, len(d)) - 1]
        votes = np.bincount(y[kept][near], w[kept][near], n_classes)
        p[i] = votes / votes.sum()
    return p


def numbers(rng, n, d):
    return rng.normal(size=(n, d))


def ties(rng, n, d):
    return rng.integers(0, 2, (n, d)).astype(float)


def trends(rng, n, d):
    return np.cumsum(rng.normal(size=(n, d)) ** 3, axis=0)


def codes(rng, n, d):
    return rng.integers(0, 3, (n, d)) + 65536.0 * rng.integers(0, 2, (n, d))


def wild(rng, n, d):
    """Ranges that come and go, from nearly nothing to nearly all."""
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-300, 140, (n, d))
    X[n // 3 : n // 2] = 1.0
    return X


KINDS = (numbers, ties, trends, codes, wild)


def rows(kind, n, d, share_missing, seed=1):
    rng = np.random.default_rng(seed)
    X = kind(rng, n, d)
    X[rng.random(X.shape) < share_missing] = np.nan
    return X, rng.integers(0, 3, n), rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("share_missing", [0.0, 0.1])
@pytest.mark.parametrize(
    ("d", "n_categories", "k", "window"),
    [(3, 0, 1, 33), (3, 1, 10, 100), (3, 0, 60, 350), (4, 4, 10, 70), (130, 7, 5, 70)],
)
@pytest.mark.parametrize("kind", KINDS)
def test_votes_are_those_of_all_rows_measured(kind, d, n_categories, share_missing, k, window):
    X, y, w = rows(kind, 160, d, share_missing)
    learner = NearestNeighbours(k, window, categorical=range(n_categories)).begin(d, [0, 1, 2])
    with np.errstate(over="ignore", divide="ignore"):
        expected = plain_votes(X, y, w, k, window, np.arange(d) < n_categories)
    np.testing.assert_array_equal(learner.test_then_train(X, y, sample_weight=w), expected)


@pytest.mark.parametrize("share_missing", [0.0, 0.1])
@pytest.mark.parametrize("d", [3, 130])
@pytest.mark.parametrize("kind", KINDS)
def test_a_loaded_window_goes_on_bit_for_bit(kind, d, share_missing):
    X, y, _ = rows(kind, 400, d, share_missing)
    learner = NeighbourMixture((1, 10), (20, 150), categorical=(0,)).begin(d, [0, 1, 2])
    learner.test_then_train(X[:300], y[:300])
    again = thalweg.saving.from_bytes(thalweg.saving.to_bytes(learner))
    expected = learner.test_then_train(X[300:], y[300:])
    np.testing.assert_array_equal(again.test_then_train(X[300:], y[300:]), expected)


@pytest.mark.parametrize("share_missing", [0.0, 0.1])
@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_the_windows_changes_nothing(kind, share_missing):
    X, y, w = rows(kind, 400, 5, share_missing)
    order = [2, 0, 3, 1]
    windows = np.array([10, 40, 40, 300])
    given = (list(windows), list(windows[order]))
    one, other = (NeighbourMixture((1, 4), each).begin(5, [0, 1, 2]) for each in given)
    p, q = (learner.test_then_train(X, y, sample_weight=w) for learner in (one, other))
    np.testing.assert_allclose(p, q, rtol=1e-12)
    np.testing.assert_allclose(one.trust_[order], other.trust_, rtol=1e-9)


def test_a_row_far_outside_the_window_has_neighbours():
    X = np.column_stack([np.linspace(0, 1, 100), np.zeros(100)])
    learner = NearestNeighbours(3, 100).begin(2, [0, 1])
    learner.test_then_train(X, (X[:, 0] > 0.9).astype(int))
    far = np.array([[40.0, 0.0], [-40.0, 0.0], [40.0, 1e150]])
    np.testing.assert_array_equal(learner.predict_proba_block(far), [[0, 1], [1, 0], [0, 1]])


def test_a_state_keeps_its_form():
    """States hold 16 rows input by input, as all releases wrote them."""
    X, y, _ = rows(numbers, 40, 3, 0.0)
    learner = NearestNeighbours(3, 40).begin(3, [0, 1, 2])
    learner.test_then_train(X, y)
    held = learner._state()["X"]
    assert held.shape == (3, 3, 16)
    np.testing.assert_array_equal(held.swapaxes(1, 2).reshape(48, 3)[:40], X)
