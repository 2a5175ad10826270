"""What learners say of their inputs, by name, whatever they are wrapped in."""

import numpy as np
import pytest

import thalweg
from thalweg.commands.inspect import facts
from thalweg.evaluation import explanation
from thalweg.learners import (
    AdaptiveLogistic,
    AdaptiveRandomForest,
    DriftReset,
    HoeffdingTree,
    LastLabels,
    LogisticMixture,
    NaiveBayes,
    OnlineBagging,
    ParticleFilter,
)
from thalweg.preprocessing import OneHotEncoder, StandardScaler, make_pipeline
from thalweg.streams import SEA

NAMES = ["left", "right", "noise"]


def learned(learner, n_classes=2):
    X, y = next(SEA(seed=1).blocks(5000))
    y = y if n_classes == 2 else y + (X[:, 0] > 8)
    learner.begin(3, range(n_classes), names=NAMES).test_then_train(X, y)
    return learner


@pytest.mark.parametrize(
    "learner",
    [
        HoeffdingTree(delta=0.01),
        AdaptiveRandomForest(),
        AdaptiveLogistic("none"),
        LogisticMixture(),
        ParticleFilter(),
        LastLabels(HoeffdingTree(delta=0.01)),
        DriftReset(AdaptiveLogistic("none")),
        DriftReset(HoeffdingTree(delta=0.01)),
        make_pipeline(StandardScaler(), AdaptiveLogistic("none")),
        make_pipeline(StandardScaler(), HoeffdingTree(delta=0.01)),
    ],
    ids=repr,
)
def test_inputs_are_named_and_noise_is_small(learner):
    found = explanation(learned(learner))
    assert list(found) == NAMES
    assert abs(found["noise"]) < 0.3 * min(abs(found["left"]), abs(found["right"]))


def test_the_latest_labels_have_a_name():
    found = explanation(learned(LastLabels(AdaptiveLogistic())))
    assert set(found) == {*NAMES, "latest labels"}
    assert found["left"] < 0 and found["right"] < 0


def test_each_class_has_its_coefficients():
    learner = learned(AdaptiveLogistic(), 3)
    found = explanation(learner)
    assert len(found) == 9
    assert found["right, 1"] == learner.coef_[1, 1]


def test_categories_of_a_pipeline_have_names():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.random(2000), rng.integers(3, size=2000)])
    for learner in (make_pipeline(OneHotEncoder(), AdaptiveLogistic()), AdaptiveLogistic()):
        learner.begin(2, [0, 1], names=["size", "colour"], n_categories=[0, 3])
        learner.test_then_train(X, (X[:, 1] == 2).astype(int))
        found = explanation(learner)
        assert "size" in found
        assert max(found, key=found.get).startswith("colour")
        assert max(found, key=found.get).endswith("2")


def test_features_of_a_function_are_named_as_such():
    learner = learned(ParticleFilter(boundary=lambda X: np.hstack([X, X**2])))
    assert list(explanation(learner)) == [f"feature {j}" for j in range(6)]


@pytest.mark.parametrize(
    "learner", [NaiveBayes(), OnlineBagging(NaiveBayes()), DriftReset(), ParticleFilter(boundary="circle")]
)
def test_others_have_none(learner):
    assert explanation(learned(learner)) is None
    assert explanation(object()) is None


def learned_from_dicts(learner):
    draw = np.random.default_rng(1)
    colours = draw.choice(["red", "green", "blue"], 1000).tolist()
    for colour, size in zip(colours, draw.random(1000), strict=True):
        label = "yes" if (colour == "red") != (size > 0.9) else "no"
        learner.learn_one({"size": size, "colour": colour}, label)
    return learner


def test_text_in_dict_rows_is_named_by_its_values():
    learner = learned_from_dicts(LogisticMixture())
    colours = {"colour = red", "colour = green", "colour = blue"}
    assert set(explanation(learner)) == {"size", "colour = others", *colours}
    assert {"size", "colour=red", "colour=green", "colour=blue", "colour=other"} <= set(learner.input_names_)


def test_a_tree_of_dict_rows_names_the_values_it_has_seen():
    lines = learned_from_dicts(HoeffdingTree(grace_period=50, delta=0.01)).describe().splitlines()
    first = {line.partition(":")[0] for line in lines if not line.startswith(" ")}
    assert first == {"colour = red", "colour = green", "colour = blue"}


def test_inspect_names_the_inputs_and_values_of_dict_rows(tmp_path):
    path = tmp_path / "model.tw"
    thalweg.save(learned_from_dicts(LogisticMixture()), path)
    found = facts(path)
    assert found["inputs"] == {"number": ["size"], "category": ["colour"]}
    assert "colour = red" in found["values"]
    thalweg.save(NaiveBayes().begin(names=["wind", "rain"]), path)
    assert facts(path)["inputs"] == {"input": ["wind", "rain"]}
