"""Ensembles of learners of different kinds: each member is what it would be among its own kind."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from support.counting import Counting, NearestMean
from support.ensemble_rows import ALL, FORESTS, begun, drifting_rows, restless_rows
from support.late_classes import as_learned

from thalweg.checks import safety
from thalweg.checks.mutate import mutated
from thalweg.checks.running import assert_same
from thalweg.errors import ParameterError, StateError
from thalweg.learners import (
    AdwinBagging,
    DecisionTree,
    DriftReset,
    DynamicWeightedMajority,
    HoeffdingTree,
    LeveragingBagging,
    MajorityClass,
    NaiveBayes,
    NearestNeighbours,
    OnlineBagging,
    OnlineBoost,
    ParticleFilter,
    StreamingRandomPatches,
)

THREE = [NaiveBayes(), HoeffdingTree(grace_period=20, max_features=2), NearestNeighbours(window=40)]


def restless(kind, members, n_members=3):
    """Return an ensemble that replaces members all the time."""
    settings = {"n_members": n_members}
    if kind is DynamicWeightedMajority:
        settings = {"max_members": 5, "period": 7}
    elif kind in FORESTS:
        settings |= {"warning_delta": 0.7, "drift_delta": 0.5}
    elif kind in (AdwinBagging, LeveragingBagging):
        settings |= {"delta": 0.9}
    return kind(members, **settings)


def names(members):
    return [type(member).__name__ for member in members]


def with_gaps(X, seed=8):
    return np.where(np.random.default_rng(seed).random(X.shape) < 0.2, np.nan, X)


@pytest.mark.parametrize("kind", [each for each in ALL if each is not DynamicWeightedMajority])
def test_learners_of_a_list_take_turns_and_their_members_stay_of_their_kind(kind):
    X, y = restless_rows(2000)
    learner = begun(restless(kind, THREE, 7))
    for _ in range(2):
        assert names(learner.members_) == names(THREE * 3)[:7]
        learner.test_then_train(X, y)
    assert learner.n_replaced_ > 20 or kind not in (AdwinBagging, LeveragingBagging, *FORESTS)


@pytest.mark.parametrize("kind", [OnlineBagging, StreamingRandomPatches, OnlineBoost])
def test_without_a_number_of_members_there_is_one_of_each(kind):
    assert names(begun(kind(tuple(THREE), n_members=None)).members_) == names(THREE)
    assert len(begun(kind(NaiveBayes(), n_members=None)).members_) == 1


def test_a_majority_begins_with_one_of_each_and_takes_them_in_turn():
    X, y = restless_rows(3000)
    learner = begun(restless(DynamicWeightedMajority, THREE))
    assert names(learner.members_) == names(THREE)
    seen = set()
    for start in range(0, len(X), 50):
        learner.test_then_train(X[start : start + 50], y[start : start + 50])
        made = [THREE[template] for template in learner._kernel.templates()[: len(learner.members_)]]
        assert names(learner.members_) == names(made)
        seen.add(tuple(names(learner.members_)))
    came = (learner.history_["event"] == "came").sum()
    assert came > 50 and learner._kernel.arrays["n_built"].sum() == came + 3
    newest = {members[-1] for members in seen}
    assert newest == set(names(THREE)) and len(seen) > 10


@pytest.mark.parametrize("kind", [OnlineBagging, StreamingRandomPatches])
def test_a_member_is_what_it_is_among_its_own_kind(kind):
    X, y = drifting_rows(600)
    mixed = begun(kind(THREE, n_members=5))
    mixed.test_then_train(X, y)
    alike = [begun(kind(each, n_members=5)) for each in THREE]
    for each in alike:
        each.test_then_train(X, y)
    for slot, member in enumerate(mixed.members_):
        assert_same(member.state(), alike[slot % 3].members_[slot].state())


def drawn_weights(n, n_members):
    w, counting = np.zeros((n, n_members)), OnlineBagging(MajorityClass(), n_members).begin(1, [0, 1])
    for i in range(n):
        before = [member._kernel.arrays["counts"].sum() for member in counting.members_]
        counting.test_then_train(np.zeros((1, 1)), [0])
        w[i] = [member._kernel.arrays["counts"].sum() for member in counting.members_]
        w[i] -= before
    return w


def test_missing_values_are_filled_for_those_that_do_not_take_them():
    X, y = drifting_rows(300)
    X = with_gaps(X)
    templates = [NaiveBayes(), NearestMean(), ParticleFilter(n_particles=30)]
    mixed = begun(OnlineBagging(templates, n_members=None))
    assert mixed.takes_missing and not OnlineBagging(templates[1:]).takes_missing
    p, w = mixed.test_then_train(X, y), drawn_weights(len(X), 3)
    alone = [begun(clone(template)) for template in templates]
    alone[2].set_params(random_state=mixed.members_[2].random_state).begin(3, [0, 1])
    answers = [each.test_then_train(X, y, sample_weight=w[:, m]) for m, each in enumerate(alone)]
    by_hand = np.mean(answers, axis=0)
    np.testing.assert_allclose(p, by_hand, rtol=0, atol=1e-13)
    for member, each in zip(mixed.members_, alone, strict=True):
        np.testing.assert_array_equal(member.predict_proba_block(X), each.predict_proba_block(X))


@pytest.mark.parametrize("kind", ALL)
def test_members_that_are_reset_are_as_good_as_new(kind, monkeypatch):
    X, y = restless_rows(1500)
    X = with_gaps(X)
    learner = restless(kind, [*THREE, ParticleFilter(n_particles=20)], 5)
    expected = begun(clone(learner)).test_then_train(X, y)
    build = kind._build
    monkeypatch.setattr(kind, "_build", lambda self, *arguments: build(self, *arguments[:3], None))
    np.testing.assert_array_equal(begun(clone(learner)).test_then_train(X, y), expected)


@pytest.mark.parametrize("kind", ALL)
def test_reloading_half_way_and_threads_change_nothing(kind):
    X, y = restless_rows(1500)
    X, half = with_gaps(X), 800
    learner = restless(kind, [THREE[1], NearestMean(), THREE[2]])
    original = begun(clone(learner))
    original.test_then_train(X[:half], y[:half])
    other = pickle.loads(pickle.dumps(original))
    expected = original.test_then_train(X[half:], y[half:])
    np.testing.assert_array_equal(other.test_then_train(X[half:], y[half:]), expected)
    assert_same(other.state(), original.state())
    if hasattr(learner, "n_jobs"):
        threads = begun(clone(learner).set_params(n_jobs=3, member__1=ParticleFilter(n_particles=20)))
        one = begun(clone(learner).set_params(member__1=ParticleFilter(n_particles=20)))
        np.testing.assert_array_equal(threads.test_then_train(X, y), one.test_then_train(X, y))


@pytest.mark.parametrize("kind", [OnlineBagging, DynamicWeightedMajority, StreamingRandomPatches])
def test_damaged_states_are_refused_or_harmless(kind):
    X, y = restless_rows(400)
    X = with_gaps(X)
    learner = begun(restless(kind, [MajorityClass(), NearestMean()], None))
    learner.test_then_train(X, y)
    state, rng = learner.state(), np.random.default_rng(7)
    for _ in range(120):
        safety.try_damaged_state(learner, *mutated(state, rng), X[:40], y[:40])


@pytest.mark.parametrize("kind", ALL)
def test_members_in_each_others_places_are_refused(kind):
    X, y = restless_rows(300)
    learner = begun(restless(kind, [NaiveBayes(), MajorityClass()], 2))
    learner.test_then_train(X[:20], y[:20])
    state = learner.state()
    state["memory"]["members"].reverse()
    with pytest.raises(StateError, match="this is the state of"):
        learner.restore(state)


def test_lost_adapters_are_noticed():
    learner = begun(OnlineBagging([NaiveBayes(), NearestMean()], n_members=2))
    state = learner.state()
    state["memory"]["adapters"][1] = None
    with pytest.raises(StateError, match="must be a dict of arrays"):
        learner.restore(state)
    assert "adapters" not in begun(OnlineBagging([NaiveBayes(), HoeffdingTree()]))._state()


@pytest.mark.parametrize("kind", ALL)
def test_a_class_that_comes_later_is_as_if_it_had_been_known(kind):
    X, y = restless_rows(900)
    y[500::3] = 2
    learner = kind([NaiveBayes(), HoeffdingTree(grace_period=20), Counting()])
    known, learner = clone(learner).begin(3, list(dict.fromkeys(y.tolist()))), learner.begin(3)
    X = np.concatenate([X[:500], with_gaps(X[500:])])
    known.test_then_train(*as_learned(X, y, 2))
    learner.test_then_train(X, y)
    np.testing.assert_array_equal(learner.predict_proba_block(X), known.predict_proba_block(X))
    assert_same(learner._state()["adapters"], known._state()["adapters"])


class Watching(NearestMean):
    """Adds up the rows that have no label."""

    def _begin(self, n_features, n_classes):
        super()._begin(n_features, n_classes)
        self._seen = np.zeros(n_features)

    def _observe(self, X):
        self._seen = self._seen + X.sum(axis=0)


@pytest.mark.parametrize("kind", ALL)
def test_rows_without_labels_reach_the_members_that_look_at_them(kind):
    X, y = restless_rows(400)
    learner = begun(restless(kind, [NaiveBayes(), Watching()], 2))
    assert learner.observes and not kind([NaiveBayes(), NearestMean()]).observes
    learner.test_then_train(X, y)
    before = learner.members_[1].copy() if type(learner.members_[1]) is Watching else None
    learner.observe(X[:50])
    for member in learner.members_:
        assert type(member) is NaiveBayes or member._seen.any()
    if before is not None and kind not in FORESTS:
        np.testing.assert_allclose(learner.members_[1]._seen - before._seen, X[:50].sum(axis=0))


def test_members_hold_no_row_back_after_a_flush():
    X, y = drifting_rows(500)
    learner = begun(OnlineBagging([DecisionTree(), ParticleFilter(n_particles=30), NaiveBayes()], 4))
    learner.test_then_train(X, y)
    held_back = learner.state()
    learner.flush()
    state = learner.state()
    for member in learner.members_:
        member.flush()
    assert_same(learner.state(), state)
    with pytest.raises(AssertionError):
        assert_same(held_back, state)


@pytest.mark.parametrize("kind", ALL)
def test_members_have_seeds_of_their_own(kind):
    template = [OnlineBagging([HoeffdingTree(), NaiveBayes()], 2), HoeffdingTree()]
    learner = begun(kind(template))
    seeds = {}
    for member in learner.members_:
        seeds |= {(id(member), name): value for name, value in member.get_params().items()
                  if name.endswith("random_state")}
    assert len(set(seeds.values())) == len(seeds) > len(learner.members_)


def test_parameters_of_learners_in_a_list_have_names():
    learner = OnlineBagging([NaiveBayes(), DriftReset(HoeffdingTree())])
    assert learner.get_params()["member__1__member__grace_period"] == 200
    assert learner.get_params()["member__0"] is learner.member[0]
    assert "member__0" not in learner.get_params(deep=False)
    given = learner.member
    learner.set_params(member__1__member__grace_period=50, member__0=MajorityClass(), n_members=4)
    assert learner.member[1].member.grace_period == 50 and learner.n_members == 4
    assert names(learner.member) == ["MajorityClass", "DriftReset"]
    assert names(given) == ["NaiveBayes", "DriftReset"]
    outer = DriftReset(learner).set_params(member__member__1__member__delta=0.5)
    assert learner.member[1].member.delta == 0.5
    assert "grace_period=50" in repr(outer) and "MajorityClass()" in repr(outer)
    copy = clone(learner)
    assert copy.member[1].member is not learner.member[1].member
    assert repr(copy) == repr(learner)
    learner.set_params(member=(NaiveBayes(), HoeffdingTree()), member__1__delta=0.25)
    assert isinstance(learner.member, tuple) and learner.member[1].delta == 0.25


@pytest.mark.parametrize("name", ["member__2", "member__2__delta", "member__1x", "member__0__delta"])
def test_unknown_parameters_in_a_list_are_refused(name):
    with pytest.raises(ValueError, match=r"Invalid parameter|has no parameter"):
        OnlineBagging([NaiveBayes(), HoeffdingTree()]).set_params(**{name: 1})


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("members", [[], (), [NaiveBayes(), "tree"], [HoeffdingTree], [[NaiveBayes()]]])
def test_lists_of_anything_else_are_refused(kind, members):
    with pytest.raises(ParameterError, match=r"member must be a learner such as .*, or a list of them"):
        begun(kind(members))


@pytest.mark.parametrize("kind", ALL)
def test_fewer_members_than_learners_are_refused(kind):
    name = "max_members" if kind is DynamicWeightedMajority else "n_members"
    with pytest.raises(ParameterError, match=f"{name} must be a whole number of at least 3, got 2"):
        begun(kind(THREE, **{name: 2}))


def test_one_learner_is_wanted_where_there_is_one_member():
    with pytest.raises(ParameterError, match="member must be a learner such as"):
        begun(DriftReset([NaiveBayes()]))
