"""Text values in dict rows are categories."""

import numpy as np
import pytest

from thalweg import from_bytes, learners, to_bytes
from thalweg.errors import StateError
from thalweg.learners import AdaptiveLogistic, HoeffdingTree, NaiveBayes

COLOURS = ["red", "green", "blue", "grey"]
WEAK = {"MajorityClass", "NoChange", "LabelChain", "DecisionStump"}  # cannot use an input of four categories


def rows(n, seed=0):
    rng = np.random.default_rng(seed)
    colours, numbers = rng.choice(COLOURS, n).tolist(), rng.normal(size=n).tolist()
    return [
        ({"x": x, "colour": colour}, "warm" if colour in ("red", "grey") else "cold")
        for x, colour in zip(numbers, colours, strict=True)
    ]


@pytest.mark.parametrize("name", list(learners.registry))
def test_every_learner_learns_from_text(name):
    learner, n_right = learners.registry.load(name)(), 0
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


def test_text_that_comes_later_is_an_input_or_refused():
    learner = AdaptiveLogistic()
    for i, (x, y) in enumerate(rows(300)):
        learner.learn_one(x if i > 50 else {"x": x["x"]}, y)
    assert np.mean([learner.predict_one(x) == y for x, y in rows(100, seed=1)]) > 0.95
    tree = HoeffdingTree()
    tree.learn_one({"x": 1.0}, 0)
    with pytest.raises(ValueError, match="'colour' is a new input of text, which this learner must have in"):
        tree.learn_one({"x": 1.0, "colour": "red"}, 0)
    tree.learn_one({"x": 1.0, "other": 2.0}, 0)


def test_wrong_texts_in_a_state_are_refused():
    learner = NaiveBayes()
    learner.learn_one({"colour": "red"}, 0)
    for texts in ([[1, ["red"]]], [[0, ["red", "red"]]], [[0, [1]]], [["colour", ["red"]]], [0], 3):
        with pytest.raises(StateError):
            NaiveBayes().restore(learner.state() | {"texts": texts})
