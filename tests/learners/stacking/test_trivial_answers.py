"""The stack beside the three trivial learners: never clearly behind the best of them, from the start on."""

import numpy as np
import pytest

from thalweg.evaluation import prequential
from thalweg.learners import AdaptiveStacking, LabelChain, MajorityClass, NaiveBayes, NoChange
from thalweg.streams import from_arrays

TRIVIAL = (MajorityClass, NoChange, LabelChain)


def sorted_labels(rng, n):
    """Inputs that say nothing, twelve classes one after another."""
    return rng.normal(size=(n, 3)), np.sort(rng.integers(0, 12, n))


def long_runs(rng, n):
    """A lamp that follows the label, and flickers more often than the label changes."""
    y = np.cumsum(rng.random(n) < 0.005) % 2
    lamp = np.where(rng.random(n) < 0.02, 1 - y, y)
    return np.column_stack([lamp + 0.1 * rng.normal(size=n), rng.normal(size=n)]), y


def label_chain(rng, n):
    """Each label depends on the one before, and on nothing else."""
    table, y = rng.dirichlet(np.full(8, 0.3), size=8).cumsum(axis=1), np.zeros(n, dtype=int)
    for i in range(1, n):
        y[i] = min(int(np.searchsorted(table[y[i - 1]], rng.random())), 7)
    return rng.normal(size=(n, 3)), y


def biased_coin(rng, n):
    """Labels by chance alone."""
    return rng.normal(size=(n, 5)), (rng.random(n) < 0.3).astype(int)


def rows_behind(stream, learner, **protocol):
    """Return how many rows the best trivial learner is ahead, and how many by chance at most."""
    classes = sorted(set(stream[1].tolist()))
    source = from_arrays(*stream, classes=classes)
    learners = [learner, *(kind() for kind in TRIVIAL)]
    runs = [prequential(source, each, **protocol) for each in learners]
    right = [run.probabilities.argmax(axis=1) == stream[1] for run in runs]
    best = max(right[1:], key=np.sum)
    return int(best.sum() - right[0].sum()), 2 * np.sqrt((best != right[0]).sum())


@pytest.mark.filterwarnings("ignore:rows are sorted by label")
@pytest.mark.parametrize("delay", [0, 20])
@pytest.mark.parametrize("size", ["small", "medium"])
@pytest.mark.parametrize("made", [sorted_labels, long_runs, label_chain, biased_coin])
def test_it_is_not_behind_a_trivial_learner(made, size, delay):
    n = 3000 if size == "medium" else 6000
    stream = made(np.random.default_rng(3), n)
    behind, by_chance = rows_behind(stream, AdaptiveStacking(size=size), delay=delay)
    # Which of them is right after the first change can be known only when its labels have come.
    assert behind <= max(3, by_chance) + delay


def test_a_trivial_member_is_followed_where_it_was_right_more_often():
    # The other member is sure, and wrong where the inputs flicker.
    X, y = long_runs(np.random.default_rng(1), 4000)
    misled = [NaiveBayes(), NaiveBayes()]
    behind = rows_behind((X, y), AdaptiveStacking([*misled, NoChange()]))[0]
    assert behind <= 3 < rows_behind((X, y), AdaptiveStacking(misled))[0]


def test_an_answer_that_is_changed_is_changed_as_little_as_can_be():
    X, y = long_runs(np.random.default_rng(2), 4000)
    p = AdaptiveStacking([NaiveBayes(), NoChange()]).begin(2, [0, 1]).test_then_train(X, y)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    changed = np.abs(p[:, 0] - 0.5) < 1e-8
    assert 3 < changed.sum() < 400 and not (p[:, 0] == 0.5)[1:].any()


def test_trivial_members_alone_are_weighed_as_any_others():
    stack = AdaptiveStacking([NoChange(), MajorityClass()]).begin(1, [0, 1])
    y = np.arange(200) // 50 % 2
    p = stack.test_then_train(np.zeros((200, 1)), y)
    assert (p.argmax(axis=1) == y).mean() > 0.95
    assert stack.weights_.shape == (2,)
