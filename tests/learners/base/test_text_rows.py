"""Text values in dict rows are categories."""

import numpy as np
import pytest
from sklearn.base import clone
from support import every_learner

from thalweg import from_bytes, to_bytes
from thalweg.errors import StateError
from thalweg.learners import (
    AdaptiveLogistic,
    HoeffdingTree,
    LogisticMixture,
    NaiveBayes,
    ParticleFilter,
    WindowLogistic,
)

COLOURS = ["red", "green", "blue", "grey"]
WEAK = {"MajorityClass", "NoChange", "LabelChain", "DecisionStump"}  # cannot use an input of four categories


def rows(n, seed=0):
    rng = np.random.default_rng(seed)
    colours, numbers = rng.choice(COLOURS, n).tolist(), rng.normal(size=n).tolist()
    return [
        ({"x": x, "colour": colour}, "warm" if colour in ("red", "grey") else "cold")
        for x, colour in zip(numbers, colours, strict=True)
    ]


@pytest.mark.parametrize("name", list(every_learner.registry))
def test_every_learner_learns_from_text(name):
    learner, n_right = every_learner.registry.load(name)(), 0
    for i, (x, y) in enumerate(rows(450)):
        n_right += i >= 300 and learner.predict_one(x) == y
        learner.learn_one(x, y)
    assert name in WEAK or n_right > 130
    again = from_bytes(to_bytes(learner))
    for x, y in rows(20, seed=1):
        assert again.predict_proba_one(x) == learner.predict_proba_one(x)
        learner.learn_one(x, y)
        again.learn_one(x, y)


def test_codes_are_those_of_the_order_of_appearance():
    learner = NaiveBayes()
    for colour in ["red", " blue ", "red", None, "", float("nan"), "green"]:
        learner.learn_one({"colour": colour, "x": 1.0}, 0)
    assert learner._names.texts == {"colour": {"red": 0, "blue": 1, "green": 2}}
    assert learner.n_categories_[0] > 0 and learner.n_categories_[1] == 0
    learner.learn_one({"colour": 7}, 0)
    learner.learn_one({"colour": "7"}, 0)
    assert list(learner._names.texts["colour"]) == ["red", "blue", "green", "7"]


def test_asking_teaches_no_categories():
    learner = NaiveBayes()
    for x, y in rows(50):
        learner.learn_one(x, y)
    before = learner.state()
    unknown, missing = learner.predict_proba_one({"colour": "mauve"}), learner.predict_proba_one({"x": None})
    assert unknown == missing
    assert learner.state()["texts"] == before["texts"] == [[1, list(learner._names.texts["colour"])]]


def test_a_refused_row_teaches_no_categories():
    learner = NaiveBayes().begin(classes=[0, 1])
    learner.learn_one({"colour": "red", "x": 1.0}, 0)
    for row, label in [({"colour": "blue", "x": np.inf}, 0), ({"colour": "blue"}, 7)]:
        with pytest.raises(ValueError):
            learner.learn_one(row, label)
    assert learner._names.texts == {"colour": {"red": 0}}


def test_a_number_does_not_become_text():
    learner = NaiveBayes()
    learner.learn_one({"x": 1.0}, 0)
    with pytest.raises(ValueError, match="x is 'red', not a number"):
        learner.learn_one({"x": "red"}, 0)
    with pytest.raises(ValueError, match=r"'wet', not a number.*without begin\(n_features\)"):
        NaiveBayes().begin(1, [0, 1]).learn_one({"a": "wet"}, 0)


@pytest.mark.parametrize("name", list(every_learner.registry))
def test_text_that_comes_later_is_an_input(name):
    learner, given = every_learner.registry.load(name)(), rows(500)
    for x, y in given[:50]:
        learner.learn_one({"x": x["x"]}, y)
    for x, y in given[50:350]:
        learner.learn_one(x, y)
    again = from_bytes(to_bytes(learner))
    n_right = 0
    for x, y in given[350:]:
        n_right += learner.predict_one(x) == y
        assert again.predict_proba_one(x) == learner.predict_proba_one(x)
        learner.learn_one(x, y)
        again.learn_one(x, y)
    assert name in WEAK or n_right > 130


TREE = HoeffdingTree(grace_period=20)
EQUAL = [NaiveBayes(), TREE, HoeffdingTree(leaf="majority", grace_period=20, tie=0.5)]
COEFFICIENTS = [AdaptiveLogistic(), WindowLogistic(), LogisticMixture(), ParticleFilter()]


@pytest.mark.parametrize("learner", EQUAL, ids=str)
def test_a_learner_that_knew_it_answers_the_same(learner):
    known, late = clone(learner).begin(names=["x", "colour"], n_categories=[0, 16]), clone(learner)
    codes = {colour: code for code, colour in enumerate(COLOURS)}
    known.learn_one({"x": 0.0}, "warm")
    late.learn_one({"x": 0.0}, "warm")
    for colour in COLOURS:  # in the order of the codes
        known.learn_one({"x": 0.0, "colour": codes[colour]}, "warm")
        late.learn_one({"x": 0.0, "colour": colour}, "warm")
    for x, y in rows(300):
        expected = known.predict_proba_one(x | {"colour": codes[x["colour"]]})
        assert late.predict_proba_one(x) == pytest.approx(expected, abs=1e-12)
        known.learn_one(x | {"colour": codes[x["colour"]]}, y)
        late.learn_one(x, y)


def test_numbers_and_text_come_later_one_after_another():
    learner = HoeffdingTree(grace_period=20)
    more = {"a": 1.0, "shape": "round", "b": 2.0, "size": "big"}
    for i, (x, y) in enumerate(rows(400)):
        some = dict(list(more.items())[: i // 60])
        learner.learn_one({"x": x["x"], **some, "colour": x["colour"]} if i >= 30 else {"x": x["x"]}, y)
    assert [n > 0 for n in learner.n_categories_] == [False, True, False, True, False, True]
    assert all(learner.predict_one(x) == y for x, y in rows(50, seed=1))


@pytest.mark.parametrize("learner", COEFFICIENTS, ids=str)
def test_many_inputs_of_text_one_after_another_leave_the_others_their_coefficients(learner):
    for x, y in rows(300):
        learner.learn_one(x, y)
    for j, (x, y) in enumerate(rows(20, seed=2)):
        learner.learn_one(x | {f"t{j}": "a"}, y)
    assert np.mean([learner.predict_one(x) == y for x, y in rows(100, seed=1)]) > 0.95
    again = learner.copy()
    assert all(again.predict_proba_one(x) == learner.predict_proba_one(x) for x, _ in rows(20, seed=1))


def test_a_parameter_changed_meanwhile_is_for_the_next_time():
    for learner in (NaiveBayes(), HoeffdingTree()):
        learner.learn_one({"x": 1.0}, 0)
        unchanged = learner.copy()
        learner.set_params(categorical=[0])
        for row in ({"x": 1.0, "colour": "red"}, {"x": 1.0, "y": 2.0}):
            learner.learn_one(row, 0)
            unchanged.learn_one(row, 0)
        assert learner.predict_proba_one(row) == unchanged.predict_proba_one(row)


def test_wrong_texts_in_a_state_are_refused():
    learner = NaiveBayes()
    learner.learn_one({"colour": "red"}, 0)
    for texts in ([[1, ["red"]]], [[0, ["red", "red"]]], [[0, [1]]], [["colour", ["red"]]], [0], 3):
        with pytest.raises(StateError):
            NaiveBayes().restore(learner.state() | {"texts": texts})
