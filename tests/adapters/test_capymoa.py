"""Learners in CapyMOA; skipped where it is not installed."""

import numpy as np
import pytest

from thalweg.adapters import to_capymoa
from thalweg.learners import HoeffdingTree, LogisticMixture, NaiveBayes
from thalweg.preprocessing import OneHotEncoder, make_pipeline

capymoa = pytest.importorskip("capymoa", reason="CapyMOA, which needs Java, is not installed")
pytestmark = pytest.mark.filterwarnings("default")  # of CapyMOA and what it needs


def evaluated(stream, model, **settings):
    from capymoa.evaluation import prequential_evaluation

    return prequential_evaluation(stream, model, **settings)


def stream_of(X, y):
    from capymoa.stream import NumpyStream

    return NumpyStream(X, y)


def numbers(n=500, seed=1):
    X = np.random.default_rng(seed).normal(size=(n, 3))
    return X, (X[:, 0] + X[:, 1] > 0).astype(int)


@pytest.mark.parametrize("learner", [NaiveBayes(), HoeffdingTree(), LogisticMixture()], ids=str)
@pytest.mark.parametrize("knows_schema", [False, True])
def test_predictions_are_those_of_the_learner_alone(learner, knows_schema):
    X, y = numbers()
    stream = stream_of(X, y)
    model = to_capymoa(learner, stream.get_schema() if knows_schema else None)
    results = evaluated(stream, model, store_predictions=True)
    p = type(learner)().begin(3, [0, 1]).test_then_train(X, y)
    np.testing.assert_array_equal(results.predictions(), p.argmax(axis=1))
    assert results.cumulative.accuracy() == pytest.approx(100 * (p.argmax(axis=1) == y).mean())
    assert str(model) == type(learner).__name__
    assert not hasattr(learner, "classes_")


def test_categories_of_the_schema_are_categories():
    from capymoa.stream import Schema

    categories = {"colour": ["red", "green", "blue"], "class": ["no", "yes"]}
    schema = Schema.from_custom(["colour", "size", "class"], target="class", categories=categories)
    model = to_capymoa(make_pipeline(OneHotEncoder(), NaiveBayes()), schema)
    assert model._begun.get_feature_names_out().tolist() == ["colour=0", "colour=1", "colour=2", "size"]
    assert model._begun.classes_.tolist() == ["no", "yes"]


def test_a_learner_that_has_begun_goes_on():
    X, y = numbers()
    learner = NaiveBayes().begin(3, [0, 1])
    learner.test_then_train(X, y)
    stream = stream_of(X, y)
    model = to_capymoa(learner, stream.get_schema())
    p = model.predict_proba(stream.next_instance())
    np.testing.assert_array_equal(p, learner.predict_proba_one(X[0]))
    with pytest.raises(ValueError, match="the learner has 4 inputs and 2 classes, the schema 3 and 2"):
        to_capymoa(NaiveBayes().begin(4, [0, 1]), stream.get_schema())


def test_generators_of_moa():
    from capymoa.stream.generator import SEA

    results = evaluated(SEA(), to_capymoa(HoeffdingTree()), max_instances=2000)
    assert results.cumulative.accuracy() > 85
