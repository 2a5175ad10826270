"""Every owner around other learners: what a learner does alone, it does inside each of them."""

import pickle

import numpy as np
import pytest
from support.compositions import ONE_MEMBER, OWNERS, around, small

from thalweg.checks.rows import assert_proper, reloaded
from thalweg.checks.running import assert_same
from thalweg.errors import ParameterError
from thalweg.learners import (
    HUWRS,
    AdaptiveStacking,
    CategoryEffects,
    DecisionTree,
    LastLabels,
    LinearLogistic,
    LogisticMixture,
    NaiveBayes,
    SlidingHUWRS,
    StreamingRandomPatches,
)
from thalweg.preprocessing import OneHotEncoder, Pipeline

MEMBERS = [
    "AdaptiveStacking", "CategoryEffects", "DecisionTree", "HoeffdingTree", "HUWRS", "LogisticMixture",
    "MultinomialNaiveBayes", "NaiveBayes", "ParticleFilter", "RobustEnsemble", "SlidingHUWRS",
    "WindowLogistic",
]
SLOW = ["AdaptiveStacking"]  # in owners of one member only


def members_for(owner):
    """Return the names of the learners that this owner is put around."""
    return [name for name in MEMBERS if name not in SLOW or owner in ONE_MEMBER]


TEXTS = [{"shop": "a"}, {"shop": "b"}, {"shop": "a", "price": 1.5}, {"shop": "c", "colour": "red"}]


@pytest.mark.parametrize("owner", OWNERS)
def test_the_first_row_may_have_one_text_and_nothing_else(owner):
    for name in members_for(owner):
        learner = around(owner, small(name))
        for row, label in zip(TEXTS, "pqpq", strict=True):
            learner.learn_one(row, label)
            assert_same(reloaded(learner).state(), learner.state(), f"{name}: state")
        assert_proper(learner.predict_proba_block(TEXTS))


@pytest.mark.parametrize("owner", OWNERS)
def test_labels_may_come_one_by_one(owner):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2))
    y = ["ok"] * 20 + ["ok", "bad"] * 10 + ["ok", "bad", "other", "bad"] * 5
    for name in members_for(owner):
        learner = around(owner, small(name))
        learner.begin(2)
        for start in range(0, 60, 20):
            part = slice(start, start + 20)
            copied = reloaded(learner)
            assert_same(copied.state(), learner.state(), f"{name}: state")
            expected = learner.test_then_train(X[part], y[part])
            assert np.array_equal(copied.test_then_train(X[part], y[part]), expected)
            assert_same(copied.state(), learner.state(), f"{name}: state after {part}")
        assert_proper(learner.predict_proba_block(X))


def test_the_first_row_brings_a_class_and_a_copy_hears_of_it_no_sooner():
    learner = around("OnlineCoordinateBoost", small("NaiveBayes")).begin()
    learner.learn_one({"a": 1.0}, "p")
    copied = pickle.loads(pickle.dumps(learner))
    for _ in range(29):
        copied.learn_one({"a": 1.0}, "p")
        learner.learn_one({"a": 1.0}, "p")
    assert_same(copied.state(), learner.state())


SUBSPACES = {
    "widths": HUWRS(NaiveBayes(), n_members=3, chunk_size=20),
    "sliding": SlidingHUWRS(LogisticMixture(), n_members=3, window=20, period=7),
    "nested": HUWRS(HUWRS(NaiveBayes(), n_members=2, chunk_size=20), n_members=1, chunk_size=20),
    "categories": StreamingRandomPatches(LogisticMixture(), 2, drift_delta=0.5, warning_delta=0.7),
}


@pytest.mark.parametrize("member", SUBSPACES.values(), ids=SUBSPACES)
@pytest.mark.parametrize("owner", OWNERS)
def test_members_that_draw_their_inputs_may_be_replaced(owner, member):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(90, 8)), rng.integers(0, 2, 90)
    X[:, ::2] = rng.integers(0, 7, (90, 4))
    learner = around(owner, member).begin(8, [0, 1], n_categories=[7, 0] * 4)
    learner.test_then_train(X[:45], y[:45])
    again = pickle.loads(pickle.dumps(learner))
    assert np.array_equal(again.test_then_train(X[45:], y[45:]), learner.test_then_train(X[45:], y[45:]))


NAMED = [
    LogisticMixture(time_column=3), LogisticMixture(time_column="t"), NaiveBayes([3]),
    LastLabels(NaiveBayes([3])), Pipeline([OneHotEncoder([3])], NaiveBayes()),
]


@pytest.mark.parametrize("member", NAMED, ids=str)
@pytest.mark.parametrize("owner", [HUWRS, SlidingHUWRS, StreamingRandomPatches, CategoryEffects])
def test_a_member_names_no_input_of_rows_that_are_others_for_it(owner, member):
    message = f"{owner.__name__}: .* has .*(time_column|categorical|columns)=.*, but as a member it gets rows"
    with pytest.raises(ParameterError, match=message):
        owner(member).begin(4, [0, 1], names=["t", "a", "b", "c"], n_categories=[0, 40, 0, 0])


def test_nor_does_a_member_of_folded_rows_or_one_behind_the_latest_labels():
    with pytest.raises(ParameterError, match=r"has categorical=\[0\], but as a member"):
        AdaptiveStacking([NaiveBayes([0]), LinearLogistic()]).begin(300, [0, 1])
    learner = LastLabels(LogisticMixture(time_column=1)).begin(classes=["a", "b"])
    learner.begin(2, ["a", "b"]).learn_one([0.0, 1.0], "a")  # inputs known at begin keep their places
    learner.begin(classes=["a", "b"]).learn_one({"x": 1.0, "t": 0.0}, "a")
    learner.learn_one({"x": 1.0, "t": 2.0, "late": 3.0}, "b")
    with pytest.raises(ParameterError, match="has time_column=1, but as a member"):
        learner.begin(classes=["a", "b"]).learn_one({"x": 1.0}, "a")
    learner = LastLabels(NaiveBayes([0])).begin(classes=["a", "b"])
    learner.learn_one({"x": 1.0}, "a")
    learner.learn_one({"x": 1.0, "y": 2.0}, "b")
    assert learner.n_features_in_ == 2 and learner.member_.n_categories_.tolist()[1:] == [0, 0]


def test_members_that_see_whole_rows_may_name_inputs():
    assert StreamingRandomPatches(NaiveBayes([0]), 2, max_features=1.0).begin(3, [0, 1]).n_features_in_ == 3
    assert HUWRS(DecisionTree(categorical=[0]), 2).begin(3, [0, 1]).n_features_in_ == 3
    assert CategoryEffects(LogisticMixture(time_column=0)).begin(3, [0, 1]).n_features_in_ == 3
