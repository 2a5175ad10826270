"""Ensembles keep to the memory their docstrings state, and record their members in a bounded history."""

import gc
import pickle
import tracemalloc

import numpy as np
import pytest
from support.ensemble_rows import ALL, BAGS, FORESTS, begun, drifting_rows

from thalweg.learners import (
    BOLE,
    DynamicWeightedMajority,
    HoeffdingTree,
    NaiveBayes,
    NearestNeighbours,
    NonstationaryOnlineBoost,
    OnlineBagging,
)

WATCHED = BAGS[1:]
SPARING = [*WATCHED, NonstationaryOnlineBoost]  # keep a spare member
OBJECTS = 16  # kilobytes for Python's objects and for the copy of a member at its beginning


def sized(kind, member, n_members):
    return kind(member, **{"max_members" if kind is DynamicWeightedMajority else "n_members": n_members})


def kilobytes_at_work(kind, n_members, n_classes=2):
    """The memory for a block of rows: probabilities, votes, and what is watched."""
    if kind not in BAGS + FORESTS:
        return 0
    room = max(16, min(4096, 65536 // (n_members * n_classes)))
    watched = 1 if kind in FORESTS else 9 if kind in WATCHED else 0
    return room * (n_members * (8 * n_classes + 8 + watched) + 8) / 1024


def stated_kilobytes(kind, n_members):
    """What the docstrings say, without the members."""
    each = 9 if kind in FORESTS else 5 if kind in WATCHED else 2
    window = 200 * (3 + 2) * 8 / 1024 if kind is NonstationaryOnlineBoost else 0
    return each * n_members + 25 + window + kilobytes_at_work(kind, n_members)


def taught(make, n_features):
    X, y = drifting_rows(2000)
    X = np.tile(X, (1, -(-n_features // 3)))[:, :n_features]
    learner = make().begin(n_features, [0, 1])
    learner.test_then_train(X, y)
    return learner


def traced(make, n_features=3, n_times=1):
    """Return the kilobytes of a learner that has learned rows with a drift, once all it imports is there."""
    taught(make, n_features)
    gc.collect()
    tracemalloc.start()
    kept = [taught(make, n_features) for _ in range(n_times)]
    gc.collect()
    size = tracemalloc.get_traced_memory()[0] / 1024
    tracemalloc.stop()
    return size / len(kept)


@pytest.mark.parametrize("n_members", [10, 30])
@pytest.mark.parametrize("kind", ALL)
def test_memory_is_what_the_docstring_says(kind, n_members):
    member = traced(NaiveBayes, n_times=20)
    n_built = 2 * n_members + 1 if kind in FORESTS else n_members + (kind in SPARING)
    most = n_built * member + stated_kilobytes(kind, n_members) + OBJECTS
    found = traced(lambda: sized(kind, NaiveBayes(), n_members))
    assert found <= most
    assert kind is DynamicWeightedMajority or found > 0.8 * most  # or the formula says nothing


@pytest.mark.parametrize(("window", "n_features"), [(1000, 3), (3000, 20)])
def test_memory_of_a_window_is_what_the_docstring_says(window, n_features):
    found = traced(lambda: NearestNeighbours(window=window), n_features)
    stated = ((window + 32) * (n_features + 2 + (n_features + 1) / 4) + 14 * n_features) * 8 / 1024
    assert 0.95 * stated < found < stated + OBJECTS


@pytest.mark.parametrize("kind", ALL)
def test_memory_is_bounded_by_the_members(kind):
    X, y = drifting_rows(9000, seed=2)
    y = np.where(np.random.default_rng(3).random(len(y)) < 0.2, 1 - y, y)
    tree = HoeffdingTree(grace_period=20, tie=0.5, max_bytes=20_000)
    learner = begun(kind(tree, **({"max_members": 10} if kind is DynamicWeightedMajority else {})))
    learner.test_then_train(X, y)
    trees = 2 if kind is BOLE or kind in FORESTS else 1
    assert len(learner.members_) <= 10
    assert len(pickle.dumps(learner)) < 10 * (trees * 20_000 + 8_000) + 48_000


@pytest.mark.parametrize("kind", ALL)
def test_history_is_bounded_and_covers_the_run(kind):
    n = 140 * 256
    X, y = np.random.default_rng(1).normal(size=(n, 3)), np.random.default_rng(2).integers(0, 2, n)
    learner = begun(kind(NaiveBayes()))
    learner.test_then_train(X, y)
    history = learner.history_
    assert 64 <= len(history["row"]) <= 128
    assert history["row"][-1] > n - 1024 and (np.diff(history["row"]) > 0).all()
    numbers = history["error" if kind in BAGS[1:] else "weight"]
    assert numbers.shape == history["size"].shape and numbers.shape[0] == len(history["row"])
    assert len(history["event_row"]) <= 1000


@pytest.mark.parametrize("kind", ALL)
def test_history_knows_sizes_and_can_be_drawn(kind):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    X, y = drifting_rows()
    learner = begun(sized(kind, HoeffdingTree(grace_period=50), 10))
    learner.test_then_train(X, y)
    history = learner.history_
    assert np.nanmax(history["size"]) > 1
    assert kind not in WATCHED or (history["error"] <= 1).all()
    kinds = sorted(set(history["event"]))
    assert bool(kinds) == (kind is not OnlineBagging and kind.__name__ != "OnlineBoost" and kind is not BOLE)
    for ax in learner.plot_history():
        assert len(ax.lines) == 10 + len(kinds)
        assert [line.get_label() for line in ax.lines[10:]] == [f"member {name}" for name in kinds]
    matplotlib.pyplot.close("all")
