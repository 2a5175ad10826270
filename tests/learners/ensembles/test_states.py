"""Damaged states of ensembles, and those of other ensembles, are refused or harmless."""

import numpy as np
import pytest
from sklearn.base import clone
from support.ensemble_rows import ALL, FORESTS, begun, restless_rows

from thalweg.checks import safety
from thalweg.checks.mutate import mutated
from thalweg.checks.running import assert_same
from thalweg.drift import ADWIN
from thalweg.errors import StateError
from thalweg.learners import (
    AdaptiveRandomForest,
    AdwinBagging,
    DriftReset,
    DynamicWeightedMajority,
    HoeffdingTree,
    LeveragingBagging,
    MajorityClass,
    NaiveBayes,
    NoChange,
    OnlineBagging,
    OnlineBoost,
    StreamingRandomPatches,
)

N_MUTATIONS = 120


def small(kind, member):
    if kind is DriftReset:
        return DriftReset(member, ADWIN(delta=0.3))
    settings = {"max_members": 3, "period": 5} if kind is DynamicWeightedMajority else {"n_members": 2}
    if kind in FORESTS:
        settings |= {"warning_delta": 0.7, "drift_delta": 0.5}
    elif kind in (AdwinBagging, LeveragingBagging):
        settings |= {"delta": 0.9}
    return kind(member, **settings)


def taught(learner, n=900):
    X, y = restless_rows(n)
    learner = begun(clone(learner))
    learner.test_then_train(X, y)
    return learner, X, y


@pytest.mark.parametrize("member", [MajorityClass(), HoeffdingTree(grace_period=20, max_features=2)])
@pytest.mark.parametrize("kind", [*ALL, DriftReset])
def test_damaged_states_are_refused_or_harmless(kind, member):
    learner, X, y = taught(small(kind, member))
    state, rng = learner.state(), np.random.default_rng(5)
    n = N_MUTATIONS if isinstance(member, MajorityClass) else N_MUTATIONS // 4
    for _ in range(n):
        safety.try_damaged_state(learner, *mutated(state, rng), X[:60], y[:60])


@pytest.mark.parametrize("kind", [*ALL, DriftReset])
def test_damaged_numbers_of_the_ensemble_itself_are_refused_or_harmless(kind):
    learner, X, y = taught(small(kind, NoChange()))
    state, rng = learner.state(), np.random.default_rng(6)
    own = {name: value for name, value in state["memory"].items() if isinstance(value, np.ndarray)}
    for _ in range(N_MUTATIONS):
        what, damaged = mutated(own, rng)
        damaged = {**state, "memory": state["memory"] | damaged}
        safety.try_damaged_state(learner, what, damaged, X[:60], y[:60])


def changed(state, change):
    memory = dict(state["memory"])
    memory = {name: value.copy() if hasattr(value, "copy") else value for name, value in memory.items()}
    change(memory)
    return {**state, "memory": memory}


def put(name, place, value):
    def change(memory):
        memory[name][place] = value

    return change


TREE = HoeffdingTree(grace_period=20)
WRONG = [
    (AdaptiveRandomForest(TREE, 3), put("active", 1, 2), "'active' holds 2"),
    (AdaptiveRandomForest(TREE, 3), put("has_next", 1, -1), "'has_next' holds -1"),
    (AdaptiveRandomForest(TREE, 3), put("right", (0, 0), 1e9), "'right' holds more than 'seen'"),
    (AdaptiveRandomForest(TREE, 3), put("warning", (0, 0), 0.5), "'warning' holds ADWINs with"),
    (AdaptiveRandomForest(TREE, 3), put("drift", (0, 5), 99.0), "'drift' holds an ADWIN"),
    (StreamingRandomPatches(TREE, 3), put("adapters", 0, {"columns": np.array([0, 3])}), "'columns' holds 3"),
    (StreamingRandomPatches(TREE, 3), put("adapters", 0, None), "must be a dict of arrays"),
    (LeveragingBagging(TREE, 3), put("watch", (0, 6), -1.0), "'watch' holds an ADWIN"),
    (LeveragingBagging(TREE, 3), put("progress", 2, 300), "'progress' holds"),
    (LeveragingBagging(TREE, 3), put("progress", 3, 7), "'progress' holds"),
    (LeveragingBagging(TREE, 3), put("progress", 1, 129), "'progress' holds"),
    (LeveragingBagging(TREE, 3), put("noted_row", 0, 10**6), "'noted_row' must hold growing numbers"),
    (OnlineBoost(TREE, 3), put("order", 0, 1), "'order' must hold every member once"),
    (OnlineBoost(TREE, 3), put("total", 0, np.nan), "'total' holds nan"),
    (DynamicWeightedMajority(NaiveBayes()), put("weight", slice(None), 0.5), "'weight' is 1 for none"),
    (DriftReset(NaiveBayes()), put("counts", 2, 2), "'counts' holds"),
    (DriftReset(NaiveBayes()), put("counts", 1, 10**6), "'counts' holds"),
]


@pytest.mark.parametrize(("learner", "change", "message"), WRONG)
def test_contradictions_are_named(learner, change, message):
    learner, *_ = taught(learner)
    before = learner.state()
    with pytest.raises(StateError, match=message):
        learner.restore(changed(before, change))
    assert_same(learner.state(), before)


@pytest.mark.parametrize("kind", ALL)
def test_members_of_another_make_are_refused(kind):
    settings = {"max_members": 5} if kind is DynamicWeightedMajority else {"n_members": 2}
    learner, _X, _y = taught(kind(TREE, **settings))
    others = {
        "this is the state of NaiveBayes": begun(NaiveBayes()),
        "has grace_period=77, the parameters say 20": begun(HoeffdingTree(grace_period=77)),
        "other classes than": HoeffdingTree(grace_period=20).begin(3, [0, 1, 2]),
        "other inputs than|'columns' must have the": HoeffdingTree(grace_period=20).begin(4, [0, 1]),
        "has other classes": HoeffdingTree(grace_period=20),
    }
    before = learner.state()
    for message, other in others.items():
        with pytest.raises(StateError, match=message):
            learner.restore(changed(before, put("members", 0, other.state())))
        assert_same(learner.state(), before)
    with pytest.raises(StateError, match="'members' are"):
        learner.restore(changed(before, lambda memory: memory["members"].extend(memory["members"] * 9)))
    with pytest.raises(StateError, match="'members' are 0"):
        learner.restore(changed(before, lambda memory: memory["members"].clear()))


def test_a_detector_of_another_make_is_refused():
    learner, *_ = taught(DriftReset(NaiveBayes(), ADWIN(delta=0.3)))
    before = learner.state()
    for detector in (ADWIN(delta=0.1).state(), None):
        with pytest.raises(StateError):
            learner.restore(changed(before, lambda memory, other=detector: memory.update(detector=other)))
        assert_same(learner.state(), before)


@pytest.mark.parametrize("kind", FORESTS)
def test_replacements_are_counted_for_good(kind):
    X, y = restless_rows(3000)
    learner = begun(kind(NaiveBayes(), 20, warning_delta=0.9, drift_delta=0.8))
    found = []
    for _ in range(8):
        learner.test_then_train(X, y)
        found.append(learner.n_replaced_)
    assert (np.diff(found) > 0).all() and len(learner.history_["event"]) == 1000
    assert found[-1] > (learner.history_["event"] == "replaced").sum()


def test_a_member_begun_again_by_its_owner_does_no_harm():
    X, y = restless_rows(3000)
    learner = begun(LeveragingBagging(TREE, 3, delta=0.9))
    forest = begun(AdaptiveRandomForest(TREE, 3, warning_delta=0.9, drift_delta=0.8))
    for each in (learner, forest):
        for member in each.members_:
            member.begin(7, range(5))
        each.test_then_train(X, y)
        assert each.n_replaced_ > 3
        for member in each.members_:
            if member.n_features_in_ == 7:
                member.predict_proba_block(np.zeros((5, 7)))


def test_an_ensemble_whose_parameters_change_while_it_learns_goes_on_with_its_members():
    X, y = restless_rows(3000)
    learner = begun(OnlineBagging(DriftReset(NaiveBayes(), ADWIN(delta=0.5)), 3))
    learner.set_params(member=HoeffdingTree(), n_members=7)
    learner.test_then_train(X, y)
    assert len(learner.members_) == 3


def test_a_window_whose_variance_is_rounded_below_0_is_restored():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 600)
    X = np.column_stack([y, rng.normal(size=600)])
    X[:200, 0] = rng.integers(0, 2, 200)
    learner = AdwinBagging(NaiveBayes(), n_members=3).begin(2, [0, 1], n_categories=[2, 0])
    learner.test_then_train(X, y)
    state = learner.state()
    assert (state["memory"]["watch"][:, 8] < 0).any()
    assert_same(learner.copy().state(), state)
