"""Inputs that appear later in HUWRS: members keep what they see, and some see the new ones too."""

import numpy as np
import pytest

from thalweg.errors import StateError
from thalweg.learners import HUWRS, LinearLogistic, NaiveBayes, SlidingHUWRS
from thalweg.saving import from_bytes, to_bytes

SETTINGS = [
    HUWRS(n_members=12, chunk_size=60),
    HUWRS(n_members=12, chunk_size=60, distance="plain", subspace=(0.3, 1.0)),
    HUWRS(NaiveBayes(), n_members=8, chunk_size=60),
    HUWRS(LinearLogistic(), n_members=8, chunk_size=60),
    SlidingHUWRS(n_members=8, window=60, period=20),
    SlidingHUWRS(LinearLogistic(), n_members=8, window=60, period=20),
]


def rows(n=400, new_at=150, width=5, seed=0):
    """Return dict rows of two inputs, from `new_at` on of `width`, of which the last one tells the label."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, width)), rng.integers(0, 2, n)
    X[:, -1] += 3 * y
    found = []
    for i, x in enumerate(X.tolist()):
        found.append({f"x{j}": value for j, value in enumerate(x) if j < 2 or i >= new_at})
    return found, y.tolist()


def fresh(learner):
    return type(learner)(**learner.get_params(deep=False))


def taught(learner, X, y):
    for x, label in zip(X, y, strict=True):
        learner.learn_one(x, label)
    return learner


def answers(learner, X):
    return [learner.predict_proba_one(x) for x in X]


@pytest.mark.parametrize("learner", SETTINGS, ids=str)
def test_members_keep_their_inputs_and_learn_new_ones(learner):
    X, y = rows()
    learner = taught(fresh(learner), X[:150], y[:150])
    before = learner.subspaces_
    taught(learner, X[150:], y[150:])
    after = learner.subspaces_
    assert all(np.array_equal(new[: len(old)], old) for old, new in zip(before, after, strict=True))
    assert all((new[len(old) :] >= 2).all() for old, new in zip(before, after, strict=True))
    n_more = [len(new) - len(old) for old, new in zip(before, after, strict=True)]
    assert 0 < np.mean(n_more) < 3 and learner.n_retrained_ > 0
    tests, labels = rows(300, 0, seed=1)
    right = np.mean([learner.predict_one(x) == label for x, label in zip(tests, labels, strict=True)])
    assert right > 0.8


@pytest.mark.parametrize("learner", [SETTINGS[0], SETTINGS[1], SETTINGS[4]], ids=str)
def test_it_is_a_learner_that_knew_them_and_found_them_missing(learner):
    X, y = rows()
    late = taught(fresh(learner).begin(classes=[0, 1]), X, y)
    known = fresh(learner).begin(5, [0, 1], names=[f"x{j}" for j in range(5)])
    known._subspaces = late.subspaces_
    known._begin_again()
    taught(known, X, y)
    assert known.n_retrained_ == late.n_retrained_ and np.allclose(known.weights_, late.weights_)
    for one, other in zip(answers(known, X), answers(late, X), strict=True):
        assert one == pytest.approx(other, abs=1e-9)


@pytest.mark.parametrize("learner", SETTINGS, ids=str)
def test_saved_and_loaded_at_any_time(learner):
    X, y = rows()
    for n in (150, 151, 190, 330):
        one = taught(fresh(learner), X[:n], y[:n])
        other = from_bytes(to_bytes(one))
        assert list(map(list, one.subspaces_)) == list(map(list, other.subspaces_))
        assert answers(taught(one, X[n:], y[n:]), X[:50]) == answers(taught(other, X[n:], y[n:]), X[:50])


def test_how_many_come_at_once_does_not_matter():
    X, y = rows(20, 10)
    together = taught(HUWRS(), X, y)
    one_by_one = HUWRS()
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        n = max(i - 7, 2)
        one_by_one.learn_one({name: value for name, value in x.items() if int(name[1:]) < n}, label)
    assert one_by_one.n_features_in_ == together.n_features_in_ == 5
    drawn = [learner.subspaces_ for learner in (together, one_by_one)]
    new = [[set(each.tolist()) & {3, 4} for each in subspaces] for subspaces in drawn]
    assert new[0] == new[1] and 0.3 < np.mean([len(each) for each in new[0]]) / 2 < 0.7


def test_new_classes_and_inputs_together():
    X, y = rows()
    for learner in (SETTINGS[0], SETTINGS[4]):
        learner = taught(fresh(learner), X[:200], y[:200])
        subspaces = [each.tolist() for each in learner.subspaces_]
        learner.learn_one(X[200], "other")
        assert [each.tolist() for each in learner.subspaces_] == subspaces
        learner.learn_one({"x9": 1.0}, "one more")
        taught(learner, X[200:], y[200:])
        assert len(learner.classes_) == 4 and learner.n_features_in_ == 6


def test_beginning_again_forgets_the_new_inputs():
    X, y = rows()
    learner = taught(fresh(SETTINGS[0]), X, y)
    learner.begin(5, [0, 1])
    expected = fresh(SETTINGS[0]).begin(5, [0, 1]).subspaces_
    assert all(map(np.array_equal, learner.subspaces_, expected))
    assert "subspaces" not in learner.state()["memory"]


@pytest.mark.parametrize("columns", [[], [1, 0], [0, 0], [-1, 2], [0, 5], [0.0], [[0]], ["a"], None])
def test_a_damaged_state_is_refused(columns):
    X, y = rows()
    state = taught(fresh(SETTINGS[0]), X, y).state()
    state["memory"]["subspaces"][3] = columns
    with pytest.raises(StateError, match="subspace"):
        fresh(SETTINGS[0]).begin(5, [0, 1]).restore(state)
    state["memory"]["subspaces"][3:] = []
    with pytest.raises(StateError, match="members"):
        fresh(SETTINGS[0]).begin(5, [0, 1]).restore(state)


def test_a_state_whose_members_see_other_inputs_is_refused():
    X, y = rows()
    learner = taught(fresh(SETTINGS[4]), X, y)
    state = learner.state()
    state["memory"]["subspaces"] = [each[::-1][:1] for each in learner.subspaces_]
    with pytest.raises(StateError, match="member 0 has other inputs than its subspace"):
        fresh(SETTINGS[4]).begin(5, [0, 1]).restore(state)
